/* proton.c - decodes profiles of Triton Proton in the format hatchet. */
#include "fact_list.h"
#include "format.h"
#include "json_reader.h"
#include "number.h"
#include "text.h"
#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <strings.h>

/* The depth is that of callers (NOTE_callers_cut). */
enum {
	PROTON_DEVICES_MAX = 4096,
	PROTON_PATH_MAX = 4000,
	PROTON_DEPTH_MAX = 512
};

/* A node of the tree. Its children come before its name. */
struct proton_node {
	uint32_t parent; /* plus one; 0: none */
	uint32_t scope; /* as parent; the last that is not too deep */
	uint32_t depth;
	uint32_t name; /* 0: not read */
	int64_t time_ns, count; /* -1: it has none */
	int32_t device; /* -1 unknown */
};

struct proton {
	struct trace *trace;
	struct json_reader json;
	struct text text;
	struct fact_list facts;
	struct proton_devices *devices; /* read last */
	struct proton_node *nodes;
	uint32_t n, cap;
	uint32_t open; /* the node that is being read, plus one */
	bool broken; /* what follows the last token is not JSON */
	bool clocks; /* a node has counts of the GPU's clock */
	int64_t rows, total_ns, launches;
	char *path; /* the scopes around the children of path_of */
	size_t path_len;
	uint32_t path_of; /* plus one; 0: none */
	bool path_cut;
};

/* ---- the object at the end of the file: {"CUDA": {"0": {"arch": "90", …}}} */

struct proton_device {
	struct number clock_khz, memory_khz, bus_bits, sms;
	struct text_span arch;
};

static bool proton_is(const struct text_span *key, const char *word)
{
	return key->len == strlen(word) &&
	       !strncasecmp(key->at, word, key->len);
}

static const char *proton_device_field(struct scan *s, const char *p,
	const struct text_span *key, void *to)
{
	struct proton_device *d = to;
	if (proton_is(key, "clock_rate"))
		return number_int(s, p, &d->clock_khz);
	if (proton_is(key, "memory_clock_rate"))
		return number_int(s, p, &d->memory_khz);
	if (proton_is(key, "bus_width"))
		return number_int(s, p, &d->bus_bits);
	if (proton_is(key, "num_sms"))
		return number_int(s, p, &d->sms);
	if (proton_is(key, "arch"))
		return scan_text(s, p, &d->arch);
	return scan_skip(s, p, true);
}

/* The number that a whole text is; -1 if it is not one below 2^31. */
static int32_t proton_digits(const struct text_span *text)
{
	int64_t n = 0;
	if (!text->at || text->len == 0 || text->len > 10)
		return -1;
	for (uint32_t i = 0; i < text->len; i++) {
		if (!number_digit(text->at[i]))
			return -1;
		n = n * 10 + (text->at[i] - '0');
	}
	return n <= INT32_MAX ? (int32_t)n : -1;
}

static bool proton_good(const struct number *n, int64_t most)
{
	return n->kind == NUMBER_OK && n->value > 0 && n->value <= most;
}

/* Clocks are in kHz. Memory moves data twice per clock. */
static bool proton_device_facts(struct proton *x, const struct proton_device *d)
{
	const int64_t most = 100000000;
	char value[32];
	bool ok = true;
	if (proton_good(&d->clock_khz, most) && d->clock_khz.value >= 1000) {
		int n = snprintf(value, sizeof value, "%" PRId64,
			d->clock_khz.value / 1000);
		ok = fact_list_append(&x->facts, "sm_clock_max_mhz", value,
			(size_t)n);
	}
	if (ok && proton_good(&d->memory_khz, most) &&
		proton_good(&d->bus_bits, 1 << 20)) {
		int n = snprintf(value, sizeof value, "%" PRId64,
			d->memory_khz.value * 2 * 1000 / 8 * d->bus_bits.value);
		ok = fact_list_append(&x->facts, "memory_bandwidth", value,
			(size_t)n);
	}
	return ok;
}

/* The architecture of NVIDIA is the compute capability: 89 is 8.9, 100 is
 * 10.0. */
static bool proton_device_add(struct proton *x, int32_t number, bool cuda,
	const struct proton_device *d)
{
	struct trace *t = x->trace;
	size_t n = (size_t)t->devices_n + 1;
	int32_t arch = cuda ? proton_digits(&d->arch) : -1;
	if (number < 0 || n > PROTON_DEVICES_MAX || trace_device(t, 0, number))
		return true;
	struct device *list =
		arena_grow(t->arena, t->devices, n * sizeof *list);
	if (!list)
		return false;
	t->devices = list;
	list[t->devices_n++] = (struct device){ .process = -1,
		.number = number,
		.sm_count = proton_good(&d->sms, INT32_MAX)
				    ? (int32_t)d->sms.value
				    : -1,
		.compute_major = arch >= 10 && arch < 1000 ? arch / 10 : -1,
		.compute_minor = arch >= 10 && arch < 1000 ? arch % 10 : -1,
		.memory_bytes = -1 };
	return proton_device_facts(x, d);
}

static const char *proton_device(struct scan *s, const char *p,
	struct proton_device *d)
{
	*d = (struct proton_device){ 0 };
	return scan_fields(s, p, proton_device_field, d);
}

/* A json_reader_fn that is called again from its start if the text in the
 * window ends inside the value. So nothing is stored before the value is
 * complete. */
enum { PROTON_DEVICES_READ = 64 }; /* Proton writes at most 32 */

struct proton_devices {
	uint32_t n;
	int32_t number[PROTON_DEVICES_READ];
	struct proton_device device[PROTON_DEVICES_READ];
};

static const char *proton_devices_field(struct scan *s, const char *p,
	const struct text_span *key, void *to)
{
	struct proton_devices *all = to;
	if (all->n == PROTON_DEVICES_READ)
		return scan_skip(s, p, true);
	p = proton_device(s, p, &all->device[all->n]);
	all->number[all->n++] = proton_digits(key);
	return p;
}

static const char *proton_devices_read(void *ctx, struct scan *s, const char *p)
{
	struct proton_devices *to = ctx;
	to->n = 0;
	return scan_fields(s, p, proton_devices_field, to);
}

/* ---- nodes */

static const char *proton_skip(void *ctx, struct scan *s, const char *p)
{
	(void)ctx;
	return scan_skip(s, p, true);
}

static const char *proton_key(void *ctx, struct scan *s, const char *p)
{
	return scan_key(s, p, ctx);
}

static const char *proton_frame_field(struct scan *s, const char *p,
	const struct text_span *key, void *to)
{
	return proton_is(key, "name") ? scan_text(s, p, to)
				      : scan_skip(s, p, true);
}

static const char *proton_frame(void *ctx, struct scan *s, const char *p)
{
	struct text_span *name = ctx;
	*name = (struct text_span){ 0 };
	return scan_fields(s, p, proton_frame_field, name);
}

struct proton_metrics {
	struct number time, count;
	struct text_span device;
	bool clocks;
};

static const char *proton_metric(struct scan *s, const char *p,
	const struct text_span *key, void *to)
{
	struct proton_metrics *m = to;
	/* Versions before 2024-05 wrote other capitals. */
	if (proton_is(key, "time (ns)"))
		return number_int(s, p, &m->time);
	if (proton_is(key, "count"))
		return number_int(s, p, &m->count);
	if (proton_is(key, "device_id") || proton_is(key, "DeviceId")) {
		const char *q = scan_skip(s, p, true);
		bool quoted = *p == '"';
		m->device = (struct text_span){ p + quoted,
			q ? (uint32_t)(q - p - 2 * quoted) : 0, false };
		return q;
	}
	m->clocks |= proton_is(key, "cycles");
	return scan_skip(s, p, true);
}

static const char *proton_metrics_read(void *ctx, struct scan *s, const char *p)
{
	struct proton_metrics *m = ctx;
	*m = (struct proton_metrics){ 0 };
	return scan_fields(s, p, proton_metric, m);
}

static bool proton_node_open(struct proton *x)
{
	if (x->n == x->cap) {
		uint32_t cap = x->cap ? x->cap * 2 : 256;
		struct proton_node *grown = arena_grow(x->trace->arena,
			x->nodes, (size_t)cap * sizeof *grown);
		if (!grown)
			return false;
		x->nodes = grown;
		x->cap = cap;
	}
	assert(x->nodes);
	const struct proton_node *up = x->open ? &x->nodes[x->open - 1] : NULL;
	uint32_t depth = up ? up->depth + 1 : 0;
	x->nodes[x->n++] = (struct proton_node){ .parent = x->open,
		.scope = depth > PROTON_DEPTH_MAX ? up->scope : x->open,
		.depth = depth,
		.time_ns = -1,
		.count = -1,
		.device = -1 };
	x->open = x->n;
	return true;
}

/* Reads one item. Returns false with *e for an error of the source; if the text
 * is not JSON or breaks off, `broken` is set and no more is read. */
static bool proton_item(struct proton *x, json_reader_fn *read, void *to,
	struct err *e)
{
	switch (json_reader_read(&x->json, read, to, false, e)) {
	case READ:
		return true;
	case READ_ERR:
		return false;
	case READ_CUT:
		x->json.cut = true;
		return true;
	default:
		x->broken = true;
		return true;
	}
}

static bool proton_stopped(const struct proton *x)
{
	return x->broken || x->json.cut;
}

static int64_t proton_value(const struct number *n)
{
	return n->kind == NUMBER_OK ? n->value : -1;
}

/* Reads a value of a node. The texts of a key and of a value are those of the
 * window, so they are used before the next read. */
static bool proton_node_frame(struct proton *x, struct err *e)
{
	struct text_span name;
	if (!proton_item(x, proton_frame, &name, e))
		return false;
	if (proton_stopped(x) || !name.at)
		return true;
	uint32_t id = text_id(&x->text, &name);
	if (id == NAMES_NONE)
		return arena_err(x->trace->arena, e);
	x->nodes[x->open - 1].name = id;
	return true;
}

static bool proton_node_metrics(struct proton *x, struct err *e)
{
	struct proton_node *n = &x->nodes[x->open - 1];
	struct proton_metrics m;
	if (!proton_item(x, proton_metrics_read, &m, e))
		return false;
	if (proton_stopped(x))
		return true;
	n->time_ns = proton_value(&m.time);
	n->count = proton_value(&m.count);
	n->device = proton_digits(&m.device);
	x->clocks |= m.clocks;
	return true;
}

static bool proton_node_devices(struct proton *x, bool cuda, struct err *e)
{
	struct proton_devices *d = x->devices;
	d->n = 0;
	bool ok = proton_item(x, proton_devices_read, d, e);
	for (uint32_t i = 0; ok && !proton_stopped(x) && i < d->n; i++)
		if (!proton_device_add(x, d->number[i], cuda, &d->device[i]))
			ok = arena_err(x->trace->arena, e);
	return ok;
}

enum proton_part {
	PROTON_CHILDREN,
	PROTON_FRAME,
	PROTON_METRICS,
	PROTON_CUDA,
	PROTON_HIP,
	PROTON_OTHER
};

static enum proton_part proton_part_of(const struct text_span *key)
{
	static const char *const words[] = { "children", "frame", "metrics",
		"CUDA", "HIP" };
	for (int i = 0; i < PROTON_OTHER; i++)
		if (key->at && proton_is(key, words[i]))
			return (enum proton_part)i;
	return PROTON_OTHER;
}

/* Reads a field of the open node; *list: the children follow. */
static bool proton_field(struct proton *x, bool *list, struct err *e)
{
	struct text_span key = { 0 };
	bool top = x->nodes[x->open - 1].parent == 0;
	char c;
	if (!proton_item(x, proton_key, &key, e))
		return false;
	if (proton_stopped(x))
		return true;
	enum proton_part part = proton_part_of(&key);
	if (!json_reader_token(&x->json, &c, e))
		return false;
	if (part == PROTON_CHILDREN && c == '[') {
		x->json.window->at++;
		*list = true;
		return true;
	}
	if (part == PROTON_FRAME)
		return proton_node_frame(x, e);
	if (part == PROTON_METRICS)
		return proton_node_metrics(x, e);
	if (top && (part == PROTON_CUDA || part == PROTON_HIP))
		return proton_node_devices(x, part == PROTON_CUDA, e);
	return proton_item(x, proton_skip, NULL, e);
}

/* Uses the next token, in a list of nodes or in a node. *end: the outermost
 * list is closed. */
static bool proton_token(struct proton *x, bool *list, bool *end, struct err *e)
{
	struct byte_window *w = x->json.window;
	char c;
	if (!json_reader_token(&x->json, &c, e))
		return false;
	if (w->at >= w->end) {
		x->json.cut = true;
		return true;
	}
	if (c == ',') {
		w->at++;
	} else if (*list && c == '{') {
		w->at++;
		*list = false;
		if (!proton_node_open(x))
			return arena_err(x->trace->arena, e);
	} else if (*list && c == ']') {
		w->at++;
		*list = false;
		*end = x->open == 0;
	} else if (!*list && c == '}') {
		w->at++;
		x->open = x->nodes[x->open - 1].parent;
		*list = true;
	} else if (!*list && c == '"') {
		return proton_field(x, list, e);
	} else {
		x->broken = true;
	}
	return true;
}

static bool proton_read(struct proton *x, struct err *e)
{
	bool list = true, end = false;
	char c;
	if (!json_reader_token(&x->json, &c, e))
		return false;
	x->json.window->at++; /* the bracket by which the file was recognized */
	while (!end && !proton_stopped(x))
		if (!proton_token(x, &list, &end, e))
			return false;
	if (x->broken) {
		note_add(&x->trace->notes, NOTE_bad_event, 1,
			"the rest of the tree", 20);
		x->json.window->at = x->json.window->end;
		x->json.cut = false;
		return true;
	}
	return json_reader_end(&x->json, x->trace, e);
}

/* ---- rows */

static bool proton_is_kernel(const struct proton_node *n)
{
	return n->time_ns >= 0 && n->count > 0;
}

/* A line end inside a name would divide it into two scopes. */
static void proton_path_add(char *to, const struct name *n)
{
	for (uint32_t i = 0; i < n->len; i++)
		to[i] = (unsigned char)n->text[i] < ' ' ? ' ' : n->text[i];
}

/* Writes the names of a node and of the scopes around it into x->path, the
 * outermost first, separated by line ends. The root has no name of its own. */
static void proton_path(struct proton *x, uint32_t scope)
{
	uint32_t stack[PROTON_DEPTH_MAX + 1], depth = 0;
	size_t len = 0;
	if (scope == x->path_of)
		return;
	x->path_of = scope;
	x->path_cut = false;
	for (uint32_t up = scope; up; up = x->nodes[up - 1].scope)
		if (x->nodes[up - 1].parent && x->nodes[up - 1].name)
			stack[depth++] = x->nodes[up - 1].name;
	while (depth && !x->path_cut) {
		const struct name *n = &x->trace->names.list[stack[--depth]];
		x->path_cut = len + n->len + 1 > PROTON_PATH_MAX;
		if (x->path_cut)
			break;
		proton_path_add(x->path + len, n);
		len += n->len;
		x->path[len++] = '\n';
	}
	x->path_len = len ? len - 1 : 0;
}

/* The text of the scopes around a node; 0 none, NAMES_NONE if the arena is
 * full. */
static uint32_t proton_scope(struct proton *x, const struct proton_node *n)
{
	proton_path(x, n->scope);
	if (x->path_cut || n->depth > PROTON_DEPTH_MAX)
		note_add(&x->trace->notes, NOTE_callers_cut, n->count, NULL, 0);
	return x->path_len ? names_put(&x->trace->names, x->path, x->path_len)
			   : 0;
}

static bool proton_within(int64_t *sum, int64_t add)
{
	if (add < 0 || add > TRACE_TIME_MAX_NS - *sum)
		return false;
	*sum += add;
	return true;
}

static bool proton_row(struct proton *x, uint32_t node)
{
	const struct proton_node *n = &x->nodes[node];
	struct trace *t = x->trace;
	static const char unnamed[] = "(unnamed)";
	const char *shown = n->name ? names_text(&t->names, n->name) : unnamed;
	int64_t ns = x->total_ns, launches = x->launches;
	if (!n->name) {
		note_add(&t->notes, NOTE_table_row, 1, shown, strlen(shown));
		return true;
	}
	if (!proton_within(&ns, n->time_ns) ||
		!proton_within(&launches, n->count)) {
		note_add(&t->notes, NOTE_huge_time, 1, shown, strlen(shown));
		return true;
	}
	uint32_t scope = proton_scope(x, n);
	if (scope == NAMES_NONE)
		return false;
	x->total_ns = ns;
	x->launches = launches;
	return trace_stat_add(t, &(struct stat_row){ .row = x->rows++,
					 .name = n->name,
					 .scope = scope,
					 .device = n->device,
					 .instances = n->count,
					 .total_ns = n->time_ns,
					 .min_ns = -1,
					 .max_ns = -1,
					 .avg_ns = NAN,
					 .med_ns = NAN,
					 .stddev_ns = NAN,
					 .time_pct = NAN });
}

/* A node with a time but without a count, or with another impossible value, is
 * noted. The root has zeros. */
static bool proton_rows(struct proton *x)
{
	x->path = arena_grow(x->trace->arena, NULL, PROTON_PATH_MAX);
	if (!x->path)
		return false;
	for (uint32_t i = 0; i < x->n; i++) {
		const struct proton_node *n = &x->nodes[i];
		if (proton_is_kernel(n)) {
			if (!proton_row(x, i))
				return false;
		} else if (n->time_ns > 0 || n->count > 0 || n->time_ns < -1 ||
			   n->count < -1) {
			const char *shown =
				n->name ? names_text(&x->trace->names, n->name)
					: "(unnamed)";
			note_add(&x->trace->notes, NOTE_table_row, 1, shown,
				strlen(shown));
		}
	}
	return true;
}

static bool proton_useless(const struct proton *x, struct err *e)
{
	if (x->clocks)
		return err_set(e, ERR_TRACE,
			"this profile of Triton Proton has clock counts of "
			"instrumented kernels, but no times; record with the "
			"backend cupti or roctracer");
	if (json_reader_end_explains(&x->json, 0, "kernel", e))
		return false;
	if (x->trace->notes.count[NOTE_table_row])
		return err_set(e, ERR_TRACE,
			"none of the kernels of this profile of Triton Proton "
			"could be read");
	return err_set(e, ERR_TRACE,
		"this profile of Triton Proton has no kernel; was it active "
		"while the work was done?");
}

static bool proton_finish(struct proton *x, struct err *e)
{
	struct trace *t = x->trace;
	if (!proton_rows(x))
		return arena_err(t->arena, e);
	if (x->rows == 0)
		return proton_useless(x, e);
	json_reader_note_cut(&x->json, t);
	t->format = "proton";
	return fact_list_give_all(&x->facts) || arena_err(t->arena, e);
}

bool proton_decode(struct byte_window *w, struct trace *t, struct err *e)
{
	struct proton x = { .trace = t,
		.text = { .trace = t },
		.json = { .window = w } };
	x.facts.text = &x.text;
	t->processes = arena_new(t->arena, struct process);
	x.devices = arena_new(t->arena, struct proton_devices);
	if (!t->processes || !x.devices)
		return arena_err(t->arena, e);
	t->processes_n = 1;
	t->processes[0] =
		(struct process){ .pid = -1, .rank = -1, .world_size = -1 };
	return proton_read(&x, e) && proton_finish(&x, e);
}
