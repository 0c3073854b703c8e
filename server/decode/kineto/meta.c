/* meta.c - reads the metadata around the event list of a Kineto trace */
#include "meta.h"

static bool meta_fact_key(enum key k);
static const char *meta_fact_value(struct meta *m, struct scan *s,
	const char *p, enum key k);

/* A file holds a handful; more is no list of devices. */
enum { DEVICES_MAX = 4096 };

/* Traces without a base count from 1970 if they look like it: 2001 to 2096. */
static const int64_t UTC_FROM = INT64_C(1000000000000000000),
		     UTC_TO = INT64_C(4000000000000000000);

bool meta_key(struct meta *m, enum key k)
{
	m->pytorch |= k == KEY_SCHEMA;
	return k == KEY_DEVICES || k == KEY_DISTRIBUTED || k == KEY_BASE_TIME ||
	       k == KEY_HOST_NAME || k == KEY_HOSTNAME || meta_fact_key(k);
}

static const char *meta_small(struct scan *s, const char *p, int32_t *to)
{
	struct num n;
	p = num_int(s, p, &n);
	if (p && n.kind == NUM_OK && n.value >= 0 && n.value <= INT32_MAX)
		*to = (int32_t)n.value;
	return p;
}

static const char *meta_device_field(struct meta *m, struct scan *s,
	const char *p, enum key k, struct device *d)
{
	struct num n;
	struct span text;
	switch (k) {
	case KEY_ID:
		return meta_small(s, p, &d->number);
	case KEY_SM_COUNT:
		return meta_small(s, p, &d->sm_count);
	case KEY_COMPUTE_MAJOR:
		return meta_small(s, p, &d->compute_major);
	case KEY_COMPUTE_MINOR:
		return meta_small(s, p, &d->compute_minor);
	case KEY_TOTAL_MEMORY:
		p = num_int(s, p, &n);
		if (p && n.kind == NUM_OK && n.value > 0)
			d->memory_bytes = n.value;
		return p;
	case KEY_NAME:
		p = scan_text(s, p, &text);
		if (p && text.at)
			d->name = text_id(m->text, &text);
		return p;
	default:
		return scan_skip(s, p, true);
	}
}

static const char *meta_device(struct meta *m, struct scan *s, const char *p,
	struct device *d)
{
	bool end;
	*d = (struct device){ -1, -1, 0, -1, -1, -1, -1 };
	if (*p != '{')
		return scan_skip(s, p, false);
	for (p = scan_first(s, p, &end); p && !end;
		p = p ? scan_next(s, p, &end) : NULL) {
		struct span key;
		p = scan_key(s, p, &key);
		if (p)
			p = meta_device_field(m, s, p,
				words_find(&m->words->keys, key.at, key.len),
				d);
	}
	return p;
}

static bool meta_device_add(struct trace *t, const struct device *d)
{
	size_t n = t->devices_n + 1;
	if (d->number < 0 || n > DEVICES_MAX || trace_device(t, 0, d->number))
		return true;
	struct device *list =
		arena_grow(t->arena, t->devices, n * sizeof *list);
	if (!list)
		return false;
	list[t->devices_n++] = *d;
	t->devices = list;
	return true;
}

static const char *meta_devices(struct meta *m, struct scan *s, const char *p)
{
	if (*p != '[')
		return scan_skip(s, p, true);
	p = scan_ws(p + 1);
	while (*p != ']') {
		struct device d;
		p = meta_device(m, s, p, &d);
		if (!p)
			return NULL;
		if (d.name == NAMES_NONE || !meta_device_add(m->trace, &d))
			return scan_stop(s, p);
		p = scan_ws(p);
		if (*p == ',')
			p = scan_ws(p + 1);
		else if (*p != ']')
			return scan_stop(s, p);
	}
	return p + 1;
}

static const char *meta_distributed(struct meta *m, struct scan *s,
	const char *p)
{
	bool end;
	if (*p != '{')
		return scan_skip(s, p, true);
	for (p = scan_first(s, p, &end); p && !end;
		p = p ? scan_next(s, p, &end) : NULL) {
		struct span key;
		p = scan_key(s, p, &key);
		if (!p)
			return NULL;
		enum key k = words_find(&m->words->keys, key.at, key.len);
		if (k == KEY_RANK)
			p = meta_small(s, p, &m->rank);
		else if (k == KEY_WORLD_SIZE)
			p = meta_small(s, p, &m->world_size);
		else if (k == KEY_NCCL)
			p = meta_fact_value(m, s, p, k);
		else
			p = scan_skip(s, p, true);
	}
	return p;
}

const char *meta_value(struct meta *m, struct scan *s, const char *p,
	enum key k)
{
	struct num n;
	struct span text;
	if (k == KEY_DEVICES)
		return meta_devices(m, s, p);
	if (k == KEY_DISTRIBUTED)
		return meta_distributed(m, s, p);
	if (meta_fact_key(k))
		return meta_fact_value(m, s, p, k);
	if (k == KEY_BASE_TIME) {
		p = num_int(s, p, &n);
		if (p && n.kind == NUM_OK && n.value > 0)
			m->base_time_ns = n.value;
		return p;
	}
	p = scan_text(s, p, &text);
	if (p && text.at && text.len)
		m->host = text_id(m->text, &text);
	return p;
}

static void meta_base(const struct meta *m)
{
	struct trace *t = m->trace;
	int64_t utc;
	if (m->base_time_ns > 0 &&
		!__builtin_add_overflow(t->base_ns, m->base_time_ns, &utc))
		t->base_ns = utc;
	t->base_is_utc = t->base_ns >= UTC_FROM && t->base_ns <= UTC_TO;
}

bool meta_apply(const struct meta *m)
{
	struct trace *t = m->trace;
	meta_base(m);
	for (uint32_t i = 0; i < t->processes_n; i++) {
		struct process *p = &t->processes[i];
		p->host = m->host == NAMES_NONE ? 0 : m->host;
		if (t->processes_n > 1)
			continue;
		if (p->rank < 0)
			p->rank = m->rank;
		if (p->rank == m->rank)
			p->world_size = m->world_size;
	}
	return fact_list_give_all(&m->facts);
}

/* the keys of a Kineto trace that tell what it was recorded with. */

enum form { AS_IT_IS, CUDA, HIP };

/* What the profiler was asked to record costs time on the host. */
static const struct meta_fact {
	enum key key;
	const char *name; /* of the fact */
	enum form form;
} list[] = {
	{ KEY_CUDA_DRIVER, "cuda_driver", CUDA },
	{ KEY_CUDA_RUNTIME, "cuda_runtime", CUDA },
	{ KEY_CUPTI, "cupti", AS_IT_IS },
	{ KEY_HIP_DRIVER, "hip_driver", HIP },
	{ KEY_HIP_RUNTIME, "hip_runtime", HIP },
	{ KEY_ROCTRACER, "roctracer", AS_IT_IS },
	{ KEY_NCCL, "nccl", AS_IT_IS },
	{ KEY_RECORD_SHAPES, "record_shapes", AS_IT_IS },
	{ KEY_WITH_STACK, "with_stack", AS_IT_IS },
	{ KEY_WITH_FLOPS, "with_flops", AS_IT_IS },
	{ KEY_WITH_MODULES, "with_modules", AS_IT_IS },
	{ KEY_PROFILE_MEMORY, "profile_memory", AS_IT_IS },
};

static const struct meta_fact *meta_fact_find(enum key k)
{
	for (size_t i = 0; i < sizeof list / sizeof *list; i++)
		if (list[i].key == k)
			return &list[i];
	return NULL;
}

/* meta_fact.c: the same for keys that tell of the surroundings; what cannot be
 * a fact is passed over. */
static bool meta_fact_key(enum key k)
{
	return k >= KEY_CUDA_DRIVER && k <= KEY_PROFILE_MEMORY;
}

/* A string, or the bytes of a number or word; null, a list or an object tells
 * nothing. */
static const char *meta_fact_scalar(struct scan *s, const char *p,
	struct span *text)
{
	*text = (struct span){ 0 };
	if (*p == '"')
		return scan_text(s, p, text);
	const char *q = scan_skip(s, p, true);
	if (q && !strchr("{[n", *p))
		*text = (struct span){ p, (uint32_t)(q - p), false };
	return q;
}

static const char *meta_fact_value(struct meta *m, struct scan *s,
	const char *p, enum key k)
{
	const struct meta_fact *f = meta_fact_find(k);
	struct num n = { 0 };
	struct span text;
	bool ok = true;
	const char *q = meta_fact_scalar(s, p, &text);
	if (!q || !f || !text.len)
		return q;
	if (f->form != AS_IT_IS && !num_int(s, p, &n))
		return NULL;
	/* Less is no number of these forms, but the version itself. */
	if (f->form == CUDA && n.kind == NUM_OK && n.value >= 1000)
		ok = fact_list_cuda(&m->facts, f->name, n.value);
	else if (f->form == HIP && n.kind == NUM_OK && n.value >= 1000000)
		ok = fact_list_hip(&m->facts, f->name, n.value);
	else if (!text.escaped)
		ok = fact_list_put(&m->facts, f->name, text.at, text.len);
	return ok ? q : scan_stop(s, p);
}
