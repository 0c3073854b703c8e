/* kineto.c - decodes Kineto and Chrome trace JSON
 *
 * Reads traces of CUDA and ROCm with the category names of 2020 to today. A
 * file is an object with a list `traceEvents`, or only the list, with one
 * process or with several fused processes. Events are read one at a time from a
 * window over the text. An event that cannot be read is read again with
 * unescaped quotes allowed. If that fails too, it is skipped and counted, and
 * reading continues at the next event that can be recognized. The bytes that
 * are read twice are bounded, so that at most a few times the length of a text
 * is read.
 *
 * If a file has two lists of events, both are read. If a key occurs twice in an
 * event, the last value counts. */
#include "kineto.h"
#include "fact_list.h"
#include "finish.h"
#include "format.h"
#include "json_reader.h"

struct kineto_meta {
	struct trace *trace;
	struct text *text;
	const struct kineto_words *words;
	int64_t base_time_ns; /* since 1970, if the file has it; else -1 */
	int32_t rank, world_size; /* -1 unknown */
	uint32_t host;
	struct fact_list facts;
	bool pytorch; /* a key was seen that only PyTorch writes */
	bool amd; /* a key or name was seen that only AMD's GPUs have */
};

enum form { AS_IT_IS, CUDA, HIP };

/* Options of the profiler that take time on the host. */
static const struct kineto_meta_fact {
	enum kineto_key key;
	const char *name; /* name of the fact */
	enum form form;
} kineto_meta_facts[] = {
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

static const struct kineto_meta_fact *kineto_meta_fact_find(enum kineto_key k)
{
	for (size_t i = 0;
		i < sizeof kineto_meta_facts / sizeof *kineto_meta_facts; i++)
		if (kineto_meta_facts[i].key == k)
			return &kineto_meta_facts[i];
	return NULL;
}

/* Whether the value of a key becomes a fact. */
static bool kineto_meta_fact_key(enum kineto_key k)
{
	return k >= KEY_CUDA_DRIVER && k <= KEY_PROFILE_MEMORY;
}

/* Reads a string, or the bytes of a number or word. A null, a list or an object
 * has no value. */
static const char *kineto_meta_fact_scalar(struct scan *s, const char *p,
	struct text_span *text)
{
	*text = (struct text_span){ 0 };
	if (*p == '"')
		return scan_text(s, p, text);
	const char *q = scan_skip(s, p, true);
	if (q && !strchr("{[n", *p))
		*text = (struct text_span){ p, (uint32_t)(q - p), false };
	return q;
}

static const char *kineto_meta_fact_value(struct kineto_meta *m, struct scan *s,
	const char *p, enum kineto_key k)
{
	const struct kineto_meta_fact *f = kineto_meta_fact_find(k);
	struct number n = { 0 };
	struct text_span text;
	bool ok = true;
	const char *q = kineto_meta_fact_scalar(s, p, &text);
	if (!q || !f || !text.len)
		return q;
	if (f->form != AS_IT_IS && !number_int(s, p, &n))
		return NULL;
	/* A smaller number is the version itself, not this encoding. */
	if (f->form == CUDA && n.kind == NUMBER_OK && n.value >= 1000)
		ok = fact_list_cuda(&m->facts, f->name, n.value);
	else if (f->form == HIP && n.kind == NUMBER_OK && n.value >= 1000000)
		ok = fact_list_hip(&m->facts, f->name, n.value);
	else if (!text.escaped)
		ok = fact_list_put(&m->facts, f->name, text.at, text.len);
	return ok ? q : scan_stop(s, p);
}

/* A file lists a handful of devices; a longer list is not a list of devices. */
enum { DEVICES_MAX = 4096 };

/* A trace without a base time counts from 1970 if its times are then between
 * 2001 and 2096. */
static const int64_t UTC_FROM = INT64_C(1000000000000000000),
		     UTC_TO = INT64_C(4000000000000000000);

/* Whether the value of a key outside the events is used. */
static bool kineto_meta_key(struct kineto_meta *m, enum kineto_key k)
{
	m->pytorch |= k == KEY_SCHEMA;
	m->amd |= k == KEY_HIP_DRIVER || k == KEY_HIP_RUNTIME ||
		  k == KEY_ROCTRACER;
	return k == KEY_DEVICES || k == KEY_DISTRIBUTED || k == KEY_BASE_TIME ||
	       k == KEY_HOST_NAME || k == KEY_HOSTNAME ||
	       kineto_meta_fact_key(k);
}

static const char *kineto_meta_small(struct scan *s, const char *p, int32_t *to)
{
	struct number n;
	p = number_int(s, p, &n);
	if (p && n.kind == NUMBER_OK && n.value >= 0 && n.value <= INT32_MAX)
		*to = (int32_t)n.value;
	return p;
}

/* Adds a property that only the XPU backend writes as a fact; devices with the
 * same value are listed once. */
static const char *kineto_meta_device_fact(struct kineto_meta *m,
	struct scan *s, const char *p, const char *name)
{
	struct text_span text;
	const char *q = kineto_meta_fact_scalar(s, p, &text);
	if (!q || !text.len || text.escaped)
		return q;
	return fact_list_append(&m->facts, name, text.at, text.len)
		       ? q
		       : scan_stop(s, p);
}

static const char *kineto_meta_device_field(struct kineto_meta *m,
	struct scan *s, const char *p, enum kineto_key k, struct device *d)
{
	struct number n;
	struct text_span text;
	switch (k) {
	case KEY_ID:
		return kineto_meta_small(s, p, &d->number);
	case KEY_SM_COUNT:
		return kineto_meta_small(s, p, &d->sm_count);
	case KEY_COMPUTE_MAJOR:
		return kineto_meta_small(s, p, &d->compute_major);
	case KEY_COMPUTE_MINOR:
		return kineto_meta_small(s, p, &d->compute_minor);
	case KEY_TOTAL_MEMORY:
		p = number_int(s, p, &n);
		if (p && n.kind == NUMBER_OK && n.value > 0)
			d->memory_bytes = n.value;
		return p;
	case KEY_NAME:
		p = scan_text(s, p, &text);
		if (p && text.at)
			d->name = text_id(m->text, &text);
		if (p && text.at && text.len > 4)
			m->amd |= !memcmp(text.at, "AMD ", 4);
		return p;
	case KEY_XPU_DRIVER:
		return kineto_meta_device_fact(m, s, p, "driver");
	case KEY_XPU_CLOCK:
		return kineto_meta_device_fact(m, s, p, "sm_clock_max_mhz");
	default:
		return scan_skip(s, p, true);
	}
}

static const char *kineto_meta_device(struct kineto_meta *m, struct scan *s,
	const char *p, struct device *d)
{
	bool end;
	*d = (struct device){ .process = -1,
		.number = -1,
		.sm_count = -1,
		.compute_major = -1,
		.compute_minor = -1,
		.memory_bytes = -1 };
	if (*p != '{')
		return scan_skip(s, p, false);
	for (p = scan_first(s, p, &end); p && !end;
		p = p ? scan_next(s, p, &end) : NULL) {
		struct text_span key;
		p = scan_key(s, p, &key);
		if (p)
			p = kineto_meta_device_field(m, s, p,
				word_table_find(&m->words->keys, key.at,
					key.len),
				d);
	}
	return p;
}

static bool kineto_meta_device_add(struct trace *t, const struct device *d)
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

static const char *kineto_meta_devices(struct kineto_meta *m, struct scan *s,
	const char *p)
{
	if (*p != '[')
		return scan_skip(s, p, true);
	p = scan_ws(p + 1);
	while (*p != ']') {
		struct device d;
		p = kineto_meta_device(m, s, p, &d);
		if (!p)
			return NULL;
		if (d.name == NAMES_NONE ||
			!kineto_meta_device_add(m->trace, &d))
			return scan_stop(s, p);
		p = scan_ws(p);
		if (*p == ',')
			p = scan_ws(p + 1);
		else if (*p != ']')
			return scan_stop(s, p);
	}
	return p + 1;
}

static const char *kineto_meta_distributed(struct kineto_meta *m,
	struct scan *s, const char *p)
{
	bool end;
	if (*p != '{')
		return scan_skip(s, p, true);
	for (p = scan_first(s, p, &end); p && !end;
		p = p ? scan_next(s, p, &end) : NULL) {
		struct text_span key;
		p = scan_key(s, p, &key);
		if (!p)
			return NULL;
		enum kineto_key k =
			word_table_find(&m->words->keys, key.at, key.len);
		if (k == KEY_RANK)
			p = kineto_meta_small(s, p, &m->rank);
		else if (k == KEY_WORLD_SIZE)
			p = kineto_meta_small(s, p, &m->world_size);
		else if (k == KEY_NCCL)
			p = kineto_meta_fact_value(m, s, p, k);
		else
			p = scan_skip(s, p, true);
	}
	return p;
}

/* Reads the value at p of such a key. Returns the position after it, or NULL.
 * An unexpected value is skipped. */
static const char *kineto_meta_value(struct kineto_meta *m, struct scan *s,
	const char *p, enum kineto_key k)
{
	struct number n;
	struct text_span text;
	if (k == KEY_DEVICES)
		return kineto_meta_devices(m, s, p);
	if (k == KEY_DISTRIBUTED)
		return kineto_meta_distributed(m, s, p);
	if (kineto_meta_fact_key(k))
		return kineto_meta_fact_value(m, s, p, k);
	if (k == KEY_BASE_TIME) {
		p = number_int(s, p, &n);
		if (p && n.kind == NUMBER_OK && n.value > 0)
			m->base_time_ns = n.value;
		return p;
	}
	p = scan_text(s, p, &text);
	if (p && text.at && text.len)
		m->host = text_id(m->text, &text);
	return p;
}

static void kineto_meta_base(const struct kineto_meta *m)
{
	struct trace *t = m->trace;
	int64_t utc;
	if (m->base_time_ns > 0 &&
		!__builtin_add_overflow(t->base_ns, m->base_time_ns, &utc))
		t->base_ns = utc;
	t->base_is_utc = t->base_ns >= UTC_FROM && t->base_ns <= UTC_TO;
}

/* GPUs whose records have another number than their properties.
 *
 * deviceProperties numbers the GPUs that the process sees from 0. ROCm's tracer
 * numbers the agents of the host: first its CPUs, then all GPUs, whether the
 * process sees them or not. So the records of a process that sees one MI300X
 * can be on device 2 or 9, and its properties under id 0. The rule, where
 * records are on a device without properties:
 *
 *  1. If records are on one device and the file has properties of one, they
 *     are those of this device.
 *  2. If the GPUs are AMD's, the numbers differ by an offset, which is that of
 *     the agents before the first visible GPU. Each offset fits that leads from
 *     every used device to properties. If all that fit lead to equal
 *     properties, the devices have these.
 *  3. Otherwise the properties of AMD's devices are unknown. */

enum { KINETO_USED_MAX = 64 };

struct kineto_used {
	int32_t number[KINETO_USED_MAX];
	uint32_t n; /* KINETO_USED_MAX + 1 if there are more */
	int32_t highest;
};

static void kineto_used_add(struct kineto_used *u, const int32_t *device,
	uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		uint32_t at = 0;
		if (device[i] < 0 || (i && device[i] == device[i - 1]))
			continue;
		while (at < u->n && at < KINETO_USED_MAX &&
			u->number[at] != device[i])
			at++;
		if (at < u->n || u->n > KINETO_USED_MAX)
			continue;
		if (at < KINETO_USED_MAX)
			u->number[at] = device[i];
		u->n++;
		if (device[i] > u->highest)
			u->highest = device[i];
	}
}

static uint32_t kineto_used_missing(const struct kineto_used *u,
	const struct trace *t, int32_t offset)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < u->n; i++)
		n += !trace_device(t, 0, u->number[i] - offset);
	return n;
}

static bool kineto_device_equals(const struct device *a, const struct device *b)
{
	return a->name == b->name && a->sm_count == b->sm_count &&
	       a->compute_major == b->compute_major &&
	       a->compute_minor == b->compute_minor;
}

/* Gives the used devices the properties at this offset, if they have none yet.
 * Memory that differs a little between equal GPUs becomes unknown. False if a
 * device has others. */
static bool kineto_devices_shift(const struct kineto_used *u,
	const struct trace *t, int32_t offset, struct device *to)
{
	for (uint32_t i = 0; i < u->n; i++) {
		const struct device *d =
			trace_device(t, 0, u->number[i] - offset);
		if (to[i].number < 0)
			to[i] = *d;
		if (!kineto_device_equals(&to[i], d))
			return false;
		if (to[i].memory_bytes != d->memory_bytes)
			to[i].memory_bytes = -1;
		to[i].number = u->number[i];
	}
	return true;
}

/* Whether rule 1 or 2 finds the properties of the used devices. */
static bool kineto_devices_find(const struct kineto_meta *m,
	const struct kineto_used *u, struct device *to)
{
	const struct trace *t = m->trace;
	bool found = false;
	if (u->n == 1 && t->devices_n == 1)
		return kineto_devices_shift(u, t,
			u->number[0] - t->devices[0].number, to);
	for (int32_t k = 1; m->amd && k <= u->highest; k++) {
		if (kineto_used_missing(u, t, k))
			continue;
		if (!kineto_devices_shift(u, t, k, to))
			return false;
		found = true;
	}
	return found;
}

static bool kineto_devices_renumber(const struct kineto_meta *m)
{
	struct trace *t = m->trace;
	struct kineto_used u = { .highest = -1 };
	kineto_used_add(&u, t->kernel.device, t->kernel.n);
	kineto_used_add(&u, t->copy.device, t->copy.n);
	if (!t->devices_n || u.n > KINETO_USED_MAX || u.highest > DEVICES_MAX)
		return true;
	if (!kineto_used_missing(&u, t, 0))
		return true;
	struct device *to = arena_array(t->arena, struct device, u.n);
	if (!to)
		return false;
	for (uint32_t i = 0; i < u.n; i++)
		to[i].number = -1;
	if (kineto_devices_find(m, &u, to)) {
		t->devices_listed = (int32_t)t->devices_n;
		t->devices = to;
		t->devices_n = u.n;
	} else if (m->amd) {
		t->devices_n = 0;
		note_add(&t->notes, NOTE_device_unclear, u.n, NULL, 0);
	}
	return true;
}

/* Adds what was read to the trace, whose processes and base time are known.
 * False if the arena is full. */
static bool kineto_meta_apply(const struct kineto_meta *m)
{
	struct trace *t = m->trace;
	kineto_meta_base(m);
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
	return kineto_devices_renumber(m) && fact_list_give_all(&m->facts);
}

/* Decides which pids are processes, and to which process GPU events belong.
 *
 * Kineto writes GPU events under a pid that is the device's number. The rule:
 *
 *  1. A pid with calls or operators is a process. If there is no such pid, a
 *     pid with annotations or Python ranges is a process.
 *  2. If there is exactly one process, all events of the file belong to it.
 *     Otherwise rules 3 to 5 apply.
 *  3. If events have a rank (args.rank, written by tools that fuse ranks into
 *     one file), the GPU events of a pid, and a pid that has only ranges,
 *     belong to the only process of their rank.
 *  4. Otherwise the GPU events of a pid belong to the process whose calls
 *     launched more than half of them. Only correlations that occur in one
 *     process count.
 *  5. Otherwise the GPU events belong to a process without a pid, one per
 *     rank, and are counted as no_process. A pid that has only ranges is then a
 *     process, too.
 *
 * One pid number may be both a process and a GPU: a process in a container
 * often has pid 1, and so has the second GPU. The kind of an event decides
 * which is meant.
 *
 * Samples of counters alone do not make a pid a process. If a pid has only GPU
 * events, its samples belong to that device; otherwise to the host. If their
 * pid belongs to no process, they are stored with the first process.
 *
 * The pid of a process is the one before ranks were fused (args.pid_raw). Rank
 * and world size are those of the event. If it has none and the file has one
 * process, they are those of the file (distributedInfo). */

/* Finds the process of each correlation, then a majority of processes per GPU
 * pid. (Boyer and Moore's algorithm: it keeps one candidate for each GPU pid,
 * then counts the candidate's votes.) */

enum { NOBODY = UINT16_MAX, SEVERAL = UINT16_MAX - 1 };

struct kineto_launcher {
	int64_t correlation;
	uint16_t process;
	bool used;
};

struct kineto_tally {
	uint16_t candidate;
	int64_t lead, votes, total;
};

struct kineto_votes {
	struct trace *trace;
	struct kineto_launcher *slots;
	size_t mask;
	struct kineto_tally *tallies;
};

static struct kineto_launcher *kineto_link_votes_slot(const struct kineto_votes
							      *v,
	int64_t correlation)
{
	size_t i = (size_t)((uint64_t)correlation * 0x9E3779B97F4A7C15u >> 20);
	for (;; i++) {
		struct kineto_launcher *l = &v->slots[i & v->mask];
		if (!l->used || l->correlation == correlation)
			return l;
	}
}

static bool kineto_link_votes_launchers(struct kineto_votes *v,
	const uint16_t *host)
{
	const struct call_rows *c = &v->trace->call;
	size_t cap = 1024;
	while (cap < (size_t)c->n * 2)
		cap *= 2;
	v->mask = cap - 1;
	v->slots = arena_grow(v->trace->arena, NULL, cap * sizeof *v->slots);
	if (!v->slots)
		return false;
	for (uint32_t i = 0; i < c->n; i++) {
		uint16_t process = host[c->process[i]];
		struct kineto_launcher *l =
			kineto_link_votes_slot(v, c->correlation[i]);
		if (c->correlation[i] <= 0)
			continue;
		if (!l->used)
			*l = (struct kineto_launcher){ c->correlation[i],
				process, true };
		else if (l->process != process)
			l->process = SEVERAL;
	}
	return true;
}

/* Casts the vote of one GPU event: in the first pass to find a candidate, in
 * the second pass to count its votes. */
static void kineto_link_votes_cast(struct kineto_votes *v, uint16_t pid,
	int64_t correlation, bool count)
{
	struct kineto_tally *t = &v->tallies[pid];
	const struct kineto_launcher *l =
		kineto_link_votes_slot(v, correlation);
	if (!l->used || l->process == SEVERAL)
		return;
	if (count) {
		t->total++;
		t->votes += l->process == t->candidate;
	} else if (t->lead == 0) {
		t->candidate = l->process;
		t->lead = 1;
	} else {
		t->lead += l->process == t->candidate ? 1 : -1;
	}
}

static void kineto_link_votes_round_of(struct kineto_votes *v,
	const uint16_t *gpu, bool count)
{
	const struct kernel_rows *k = &v->trace->kernel;
	const struct copy_rows *c = &v->trace->copy;
	for (uint32_t i = 0; i < k->n; i++)
		if (gpu[k->process[i]] == NOBODY)
			kineto_link_votes_cast(v, k->process[i],
				k->correlation[i], count);
	for (uint32_t i = 0; i < c->n; i++)
		if (gpu[c->process[i]] == NOBODY)
			kineto_link_votes_cast(v, c->process[i],
				c->correlation[i], count);
}

/* For each GPU pid without a process (NOBODY in gpu[]; UINT16_MAX) finds the
 * process that launched more than half of its launched events. Counts only
 * events whose correlation occurs in one process. `host` gives the process of a
 * call's pid. False if the arena is full. */
static bool kineto_link_votes_count(struct trace *t, const uint16_t *host,
	uint32_t pids, uint16_t *gpu)
{
	struct kineto_votes v = { .trace = t };
	v.tallies = arena_grow(t->arena, NULL, pids * sizeof *v.tallies);
	bool ok = v.tallies && kineto_link_votes_launchers(&v, host);
	if (ok) {
		kineto_link_votes_round_of(&v, gpu, false);
		kineto_link_votes_round_of(&v, gpu, true);
		for (uint32_t i = 0; i < pids; i++)
			if (v.tallies[i].votes * 2 > v.tallies[i].total)
				gpu[i] = v.tallies[i].candidate;
	}
	arena_drop(t->arena, v.slots);
	arena_drop(t->arena, v.tallies);
	return ok;
}

enum { LINK_NOBODY = UINT16_MAX };

struct kineto_link {
	struct trace *trace;
	const struct kineto_pids *pids;
	uint16_t *host, *gpu; /* by pid: the process of its rows */
	uint32_t *owner; /* by process: its pid, or NAMES_NONE */
	uint32_t cap;
};

static uint16_t kineto_link_process_add(struct kineto_link *l, uint32_t pid,
	int32_t rank)
{
	struct trace *t = l->trace;
	struct process *p = &t->processes[t->processes_n];
	*p = (struct process){ .pid = -1, .rank = rank, .world_size = -1 };
	if (pid != NAMES_NONE) {
		const struct kineto_pid *q = &l->pids->list[pid];
		p->pid = q->raw >= 0 ? q->raw : q->number;
		p->name = kineto_rows_pids_name_of(l->pids, q);
	}
	l->owner[t->processes_n] = pid;
	return (uint16_t)t->processes_n++;
}

static bool kineto_link_init(struct kineto_link *l)
{
	struct arena *a = l->trace->arena;
	/* One pid may become two processes: that of its host rows and that of
	 * its GPU rows. */
	l->cap = l->pids->n * 2 + 1;
	if (l->cap > LINK_NOBODY)
		l->cap = LINK_NOBODY;
	l->host = arena_grow(a, NULL, l->cap * sizeof *l->host);
	l->gpu = arena_grow(a, NULL, l->cap * sizeof *l->gpu);
	l->owner = arena_grow(a, NULL, l->cap * sizeof *l->owner);
	l->trace->processes =
		arena_grow(a, NULL, l->cap * sizeof *l->trace->processes);
	if (!l->host || !l->gpu || !l->owner || !l->trace->processes)
		return false;
	for (uint32_t i = 0; i < l->pids->n; i++)
		l->host[i] = l->gpu[i] = LINK_NOBODY;
	return true;
}

/* Rule 1. */
static void kineto_link_hosts(struct kineto_link *l)
{
	uint32_t tasks = 0;
	for (uint32_t i = 0; i < l->pids->n; i++)
		tasks += l->pids->list[i].tasks;
	for (uint32_t i = 0; i < l->pids->n; i++) {
		const struct kineto_pid *p = &l->pids->list[i];
		if (tasks ? p->tasks : p->ranges)
			l->host[i] = kineto_link_process_add(l, i, p->rank);
	}
}

/* The only process of a rank; NOBODY if there is none or more than one. If no
 * rank is given, the only process of the file. */
static uint16_t kineto_link_only_of(const struct kineto_link *l, int32_t rank,
	uint32_t real)
{
	uint16_t found = LINK_NOBODY;
	for (uint32_t i = 0; i < real; i++) {
		int32_t its = l->trace->processes[i].rank;
		if (rank >= 0 && its >= 0 && its != rank)
			continue;
		if (found != LINK_NOBODY)
			return LINK_NOBODY;
		found = (uint16_t)i;
	}
	return found;
}

/* The process without a pid for a rank; it is added if it does not exist
 * yet. */
static uint16_t kineto_link_nameless(struct kineto_link *l, int32_t rank,
	uint32_t real)
{
	for (uint32_t i = real; i < l->trace->processes_n; i++)
		if (l->owner[i] == NAMES_NONE &&
			l->trace->processes[i].rank == rank)
			return (uint16_t)i;
	return kineto_link_process_add(l, NAMES_NONE, rank);
}

/* Rules 2, 3 and 5 for ranges alone. */
static void kineto_link_ranges(struct kineto_link *l, uint32_t real)
{
	for (uint32_t i = 0; i < l->pids->n; i++) {
		const struct kineto_pid *p = &l->pids->list[i];
		if (l->host[i] != LINK_NOBODY || !p->ranges)
			continue;
		l->host[i] = kineto_link_only_of(l, p->rank, real);
		if (l->host[i] == LINK_NOBODY)
			l->host[i] = kineto_link_process_add(l, i, p->rank);
	}
}

/* Rules 2 to 5 for GPU events. */
static bool kineto_link_gpus(struct kineto_link *l, uint32_t real)
{
	bool vote = false;
	for (uint32_t i = 0; i < l->pids->n; i++) {
		const struct kineto_pid *p = &l->pids->list[i];
		if (p->gpu)
			l->gpu[i] = kineto_link_only_of(l, p->rank, real);
		vote |= p->gpu && l->gpu[i] == LINK_NOBODY;
	}
	if (vote && real &&
		!kineto_link_votes_count(l->trace, l->host, l->pids->n, l->gpu))
		return false;
	for (uint32_t i = 0; i < l->pids->n; i++) {
		const struct kineto_pid *p = &l->pids->list[i];
		if (!p->gpu || l->gpu[i] != LINK_NOBODY)
			continue;
		l->gpu[i] = kineto_link_nameless(l, p->rank, real);
		note_add(&l->trace->notes, NOTE_no_process, p->gpu, NULL, 0);
	}
	return true;
}

static void kineto_link_apply(const struct kineto_link *l)
{
	struct trace *t = l->trace;
	for (uint32_t i = 0; i < t->kernel.n; i++)
		t->kernel.process[i] = l->gpu[t->kernel.process[i]];
	for (uint32_t i = 0; i < t->copy.n; i++)
		t->copy.process[i] = l->gpu[t->copy.process[i]];
	for (uint32_t i = 0; i < t->call.n; i++)
		t->call.process[i] = l->host[t->call.process[i]];
	for (uint32_t i = 0; i < t->op.n; i++)
		t->op.process[i] = l->host[t->op.process[i]];
	for (uint32_t i = 0; i < t->range.n; i++) {
		bool on_gpu = t->range.kind[i] == RANGE_GPU_ANNOTATION;
		t->range.process[i] =
			(on_gpu ? l->gpu : l->host)[t->range.process[i]];
	}
	for (uint32_t i = 0; i < t->comm.n; i++) {
		bool on_gpu = t->comm.correlation[i] >= 0;
		t->comm.process[i] =
			(on_gpu ? l->gpu : l->host)[t->comm.process[i]];
	}
}

/* A sample under a GPU's pid belongs to that device, any other sample to the
 * host. */
static void kineto_link_counters(const struct kineto_link *l)
{
	struct counter_rows *c = &l->trace->counter;
	for (uint32_t i = 0; i < c->n; i++) {
		const struct kineto_pid *p = &l->pids->list[c->process[i]];
		bool on_gpu = p->gpu && !p->tasks;
		int64_t number = p->raw >= 0 ? p->raw : p->number;
		uint16_t of = (on_gpu ? l->gpu : l->host)[c->process[i]];
		c->process[i] = of == LINK_NOBODY ? 0 : of;
		if (on_gpu && c->device[i] < 0 && number <= INT32_MAX)
			c->device[i] = (int32_t)number;
	}
}

static void kineto_link_release(struct kineto_link *l)
{
	arena_drop(l->trace->arena, l->host);
	arena_drop(l->trace->arena, l->gpu);
	arena_drop(l->trace->arena, l->owner);
}

/* Fills trace->processes and every row's `process`. Afterwards there is at
 * least one process. False if the arena is full. */
static bool kineto_link_processes(struct trace *t, const struct kineto_pids *ps)
{
	struct kineto_link l = { .trace = t, .pids = ps };
	bool ok = kineto_link_init(&l);
	if (ok) {
		kineto_link_hosts(&l);
		uint32_t real = t->processes_n;
		kineto_link_ranges(&l, real);
		ok = kineto_link_gpus(&l, real);
	}
	if (ok) {
		if (t->processes_n == 0)
			kineto_link_process_add(&l, NAMES_NONE, -1);
		if (t->processes_n > 1)
			note_add(&t->notes, NOTE_fused, t->processes_n, NULL,
				0);
		kineto_link_apply(&l);
		kineto_link_counters(&l);
	}
	kineto_link_release(&l);
	return ok;
}

struct kineto_events {
	struct json_reader json;
	struct json_list_kind kind;
	struct kineto_words words;
	struct kineto_rows rows;
	struct kineto_event event; /* the event that is being read */
};

static const char *kineto_read_event(void *ctx, struct scan *s, const char *p)
{
	struct kineto_events *es = ctx;
	p = kineto_event_read(s, &es->words, p, &es->event);
	es->json.name = es->event.name;
	return p;
}

static bool kineto_use(void *ctx, struct err *e)
{
	struct kineto_events *es = ctx;
	const struct text_span *name = &es->event.name;
	struct trace *t = es->rows.trace;
	if (es->json.quoted)
		note_add(&t->notes, NOTE_name_quote, 1, name->at,
			name->at ? name->len : 0);
	return kineto_rows_event(&es->rows, &es->event) ||
	       arena_err(t->arena, e);
}

static void kineto_bad(void *ctx, const char *what, size_t len)
{
	struct kineto_events *es = ctx;
	kineto_rows_bad(&es->rows, what, len);
}

/* Prepares to read events from `w` into `t`. False if the arena is full. */
static bool kineto_events_init(struct kineto_events *es, struct byte_window *w,
	struct trace *t)
{
	*es = (struct kineto_events){ .json.window = w };
	kineto_words_init(&es->words);
	es->kind = (struct json_list_kind){
		.keys = { &es->words.keys, KEY_PH, KEY_ID, KEY_EVENTS },
		.read = kineto_read_event,
		.use = kineto_use,
		.bad = kineto_bad,
	};
	return kineto_rows_init(&es->rows, t);
}

/* Reads from inside the list to the position after its closing bracket, or to
 * the end of the text. */
static bool kineto_events_read(struct kineto_events *es, struct err *e)
{
	return json_reader_list(&es->json, &es->kind, es, e);
}

struct kineto {
	struct trace *trace;
	struct kineto_events events;
	struct kineto_meta meta;
	enum kineto_key key; /* the key whose value is being read */
	bool listed; /* a list of events was found */
};

static const char *kineto_read_key(void *ctx, struct scan *s, const char *p)
{
	struct kineto *k = ctx;
	struct text_span key;
	p = scan_key(s, p, &key);
	if (p)
		k->key =
			word_table_find(&k->events.words.keys, key.at, key.len);
	return p;
}

static const char *kineto_read_value(void *ctx, struct scan *s, const char *p)
{
	struct kineto *k = ctx;
	return kineto_meta_key(&k->meta, k->key)
		       ? kineto_meta_value(&k->meta, s, p, k->key)
		       : scan_skip(s, p, true);
}

static bool kineto_list(struct kineto *k, struct err *e)
{
	k->listed = true;
	k->events.json.window->at++;
	return kineto_events_read(&k->events, e);
}

/* The value of k->key. READ_ERR with *e. */
static enum json_reading kineto_value(struct kineto *k, struct err *e)
{
	struct json_reader *r = &k->events.json;
	char c;
	if (!json_reader_token(r, &c, e))
		return READ_ERR;
	if (k->key == KEY_EVENTS && c == '[')
		return kineto_list(k, e) ? READ : READ_ERR;
	if (!kineto_meta_key(&k->meta, k->key) && c && strchr("[{\"", c))
		return byte_window_skip(r->window, e) ? READ : READ_ERR;
	enum json_reading got =
		json_reader_read(r, kineto_read_value, k, false, e);
	if (got == READ_LONG)
		return byte_window_skip(r->window, e) ? READ : READ_ERR;
	if (k->trace->arena->full) {
		arena_err(k->trace->arena, e);
		return READ_ERR;
	}
	return got;
}

/* A value around the events cannot be read: continues at the next event. */
static bool kineto_broken(struct kineto *k, bool *end, struct err *e)
{
	struct byte_window *w = k->events.json.window;
	int64_t from = json_reader_offset(&k->events.json);
	enum json_resync r = json_reader_resync(w, &k->events.kind.keys, e);
	note_add(&k->trace->notes, NOTE_json_garbage,
		json_reader_offset(&k->events.json) - from, NULL, 0);
	*end = r == RESYNC_NONE;
	if (r == RESYNC_ITEM) {
		k->listed = true;
		return kineto_events_read(&k->events, e);
	}
	if (r == RESYNC_LIST_END)
		w->at++;
	return r != RESYNC_ERR;
}

/* Reads the object around the list, from its inside to the position after its
 * end. */
static bool kineto_object(struct kineto *k, struct err *e)
{
	struct json_reader *r = &k->events.json;
	bool end = false;
	char c;
	while (!end && !k->events.json.cut) {
		if (!json_reader_token(r, &c, e))
			return false;
		if (r->window->at >= r->window->end) {
			k->events.json.cut = true;
			break;
		}
		if (c == ',' || c == '}') {
			r->window->at++;
			end = c == '}';
			continue;
		}
		enum json_reading got =
			json_reader_read(r, kineto_read_key, k, false, e);
		if (got == READ)
			got = kineto_value(k, e);
		k->events.json.cut |= got == READ_CUT;
		if (got == READ_ERR)
			return false;
		if ((got == READ_BROKEN || got == READ_LONG) &&
			!kineto_broken(k, &end, e))
			return false;
	}
	return true;
}

/* Whether another trace begins behind the first one. Some versions of Triton
 * Proton write one object per stream, one per line. */
static bool kineto_again(struct kineto *k, bool *again, struct err *e)
{
	static const char *const keys[] = { "\"displayTimeUnit\"",
		"\"traceEvents\"" };
	struct byte_window *w = k->events.json.window;
	enum { NEEDED = 64 };
	char c;
	*again = false;
	if (k->events.json.cut)
		return true;
	if (!json_reader_token(&k->events.json, &c, e))
		return false;
	for (enum window_state s = WINDOW_MORE;
		s == WINDOW_MORE && w->end - w->at < NEEDED;)
		if ((s = byte_window_more(w, e)) == WINDOW_ERR)
			return false;
	if (c != '{')
		return true;
	const char *p = scan_ws(w->at + 1);
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		*again |= (size_t)(w->end - p) > strlen(keys[i]) &&
			  !memcmp(p, keys[i], strlen(keys[i]));
	return true;
}

static bool kineto_objects(struct kineto *k, struct err *e)
{
	bool again = true;
	while (again) {
		k->events.json.window->at++;
		if (!kineto_object(k, e) || !kineto_again(k, &again, e))
			return false;
	}
	return json_reader_end(&k->events.json, k->trace, e);
}

static bool kineto_text(struct kineto *k, struct err *e)
{
	struct byte_window *w = k->events.json.window;
	char c;
	if (w->end - w->at >= 3 && !memcmp(w->at, "\xEF\xBB\xBF", 3))
		w->at += 3;
	if (!json_reader_token(&k->events.json, &c, e))
		return false;
	if (c == '[')
		return kineto_list(k, e) &&
		       json_reader_end(&k->events.json, k->trace, e);
	return kineto_objects(k, e);
}

/* Explains why a file without a single usable row is rejected. */
static bool kineto_useless(const struct kineto *k, struct err *e)
{
	if (json_reader_end_explains(&k->events.json, k->events.rows.events,
		    "event", e))
		return false;
	if (!k->listed)
		return err_set(e, ERR_TRACE,
			"the JSON has no list 'traceEvents'; upload what "
			"torch.profiler's export_chrome_trace() wrote");
	if (k->events.rows.events == 0)
		return err_set(e, ERR_TRACE,
			"the list of events is empty; was the profiler "
			"running while the work was done?");
	return err_set(e, ERR_TRACE,
		"none of the %lld events is a kernel, copy, call, operator or "
		"range that could be read",
		(long long)k->events.rows.events);
}

static bool kineto_finish(struct kineto *k, struct err *e)
{
	struct trace *t = k->trace;
	if (k->events.rows.used == 0)
		return kineto_useless(k, e);
	json_reader_note_cut(&k->events.json, t);
	t->format = "kineto";
	if (k->meta.pytorch || k->events.rows.pytorch)
		t->framework = "pytorch";
	finish_rebase(t);
	if (!kineto_link_processes(t, &k->events.rows.pids))
		return arena_err(t->arena, e);
	return (kineto_meta_apply(&k->meta) && finish_drop_idle(t)) ||
	       arena_err(t->arena, e);
}

bool kineto_decode(struct byte_window *w, struct trace *t, struct err *e)
{
	struct kineto *k = arena_new(t->arena, struct kineto);
	if (!k || !kineto_events_init(&k->events, w, t))
		return arena_err(t->arena, e);
	k->trace = t;
	k->meta = (struct kineto_meta){ .trace = t,
		.text = &k->events.rows.text,
		.facts.text = &k->events.rows.text,
		.words = &k->events.words,
		.base_time_ns = -1,
		.rank = -1,
		.world_size = -1 };
	return kineto_text(k, e) && kineto_finish(k, e);
}
