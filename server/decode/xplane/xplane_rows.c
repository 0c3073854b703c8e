/* xplane_rows.c - stores the events of a plane as rows */
#include "xplane.h"
#include <ctype.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>

/* What the statistics of an event or of a plane say. */
struct xplane_about {
	int64_t number[XPLANE_KEYS]; /* -1 unknown */
	uint32_t text[XPLANE_KEYS]; /* 0 unknown */
};

/* An event that is to be stored. */
struct xplane_item {
	const struct xplane_line *line;
	const struct xplane_event *event;
	struct xplane_about about;
	uint32_t name, display; /* texts */
	int64_t start_ns, dur_ns;
};

static const char *xplane_rows_text(const struct xplane *x, uint32_t id)
{
	return names_text(&x->trace->names, id);
}

/* ---- the tables of the plane */

static int64_t xplane_rows_id_at(const void *at, size_t place)
{
	int64_t id;
	memcpy(&id, (const char *)at + place, sizeof id);
	return id;
}

/* The first entry with this id in a table that is sorted by it; NULL if there
 * is none. Entries begin with their id. */
static const void *xplane_rows_find(const void *at, uint32_t n, size_t size,
	int64_t id)
{
	uint32_t low = 0, high = n;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (xplane_rows_id_at(at, middle * size) < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low < n && xplane_rows_id_at(at, low * size) == id
		       ? (const char *)at + low * size
		       : NULL;
}

_Static_assert(offsetof(struct xplane_meta, id) == 0 &&
		       offsetof(struct xplane_word, id) == 0,
	"xplane_rows_find() reads it there");

static const struct xplane_meta *xplane_rows_meta(const struct xplane *x,
	int64_t id)
{
	return xplane_rows_find(x->plane.metas.at, x->plane.metas.n,
		sizeof *x->plane.metas.at, id);
}

static const struct xplane_word *xplane_rows_word(const struct xplane *x,
	int64_t id)
{
	return xplane_rows_find(x->plane.words.at, x->plane.words.n,
		sizeof *x->plane.words.at, id);
}

static void xplane_rows_about(const struct xplane *x,
	const struct xplane_stat *s, uint32_t n, struct xplane_about *about)
{
	for (uint32_t i = 0; i < n; i++) {
		const struct xplane_word *w = xplane_rows_word(x, s[i].of);
		if (!w || w->key == XPLANE_OTHER)
			continue;
		if (s[i].kind == XPLANE_NUMBER) {
			about->number[w->key] = s[i].value;
		} else if (s[i].kind == XPLANE_TEXT) {
			about->text[w->key] = (uint32_t)s[i].value;
		} else if (s[i].kind == XPLANE_REF) {
			const struct xplane_word *to =
				xplane_rows_word(x, s[i].value);
			about->text[w->key] = to ? to->name : 0;
		}
	}
}

static void xplane_rows_about_clear(struct xplane_about *about)
{
	memset(about->number, -1, sizeof about->number);
	memset(about->text, 0, sizeof about->text);
}

/* ---- what every kind of row has */

static void xplane_rows_note(struct xplane *x, enum note_code code,
	uint32_t name)
{
	const struct name *n = &x->trace->names.list[name];
	note_add(&x->trace->notes, code, 1, n->len ? n->text : "(unnamed)",
		n->len ? n->len : strlen("(unnamed)"));
}

/* Rounds half away from zero. */
static int64_t xplane_rows_ns(int64_t ps)
{
	return ps / 1000 + (ps % 1000 >= 500) - (ps % 1000 <= -500);
}

/* Whether an event has times that a trace can represent; notes it if not. */
static bool xplane_rows_timely(struct xplane *x, struct xplane_item *i,
	enum xplane_time kind)
{
	enum note_code code = NOTE_CODES;
	i->dur_ns = xplane_rows_ns(i->event->dur_ps);
	if (i->event->summed)
		code = NOTE_no_duration;
	else if (i->dur_ns < 0)
		code = NOTE_negative_time;
	else if (i->dur_ns > TRACE_TIME_MAX_NS - x->total_ns[kind] ||
		 __builtin_add_overflow(i->line->start_ns,
			 xplane_rows_ns(i->event->offset_ps), &i->start_ns))
		code = NOTE_huge_time;
	if (code == NOTE_CODES) {
		x->total_ns[kind] += i->dur_ns;
		x->used++;
		return true;
	}
	xplane_rows_note(x, code, i->name);
	return false;
}

/* Sets the event's names. An event that the table does not explain is named by
 * its number. */
static bool xplane_rows_named(struct xplane *x, struct xplane_item *i)
{
	const struct xplane_meta *m = xplane_rows_meta(x, i->event->metadata);
	char text[40];
	xplane_rows_about_clear(&i->about);
	if (m && m->stats.to > m->stats.from)
		xplane_rows_about(x, x->plane.stats.at + m->stats.from,
			m->stats.to - m->stats.from, &i->about);
	if (i->event->stats.to > i->event->stats.from)
		xplane_rows_about(x, x->plane.stats.at + i->event->stats.from,
			i->event->stats.to - i->event->stats.from, &i->about);
	i->name = m ? m->name ? m->name : m->display : 0;
	i->display = m && m->display ? m->display : i->name;
	if (i->name)
		return true;
	int len = snprintf(text, sizeof text, "event %" PRId64,
		i->event->metadata);
	note_add(&x->trace->notes, NOTE_name_unknown, 1, text, (size_t)len);
	i->name = i->display = names_put(&x->trace->names, text, (size_t)len);
	return i->name != NAMES_NONE;
}

/* A number that is only known if it is positive. */
static int64_t xplane_rows_id(const struct xplane_item *i, enum xplane_key key)
{
	return i->about.number[key] > 0 ? i->about.number[key] : -1;
}

static int32_t xplane_rows_small(int64_t n)
{
	return n >= 0 && n <= INT32_MAX ? (int32_t)n : -1;
}

/* ---- details: "regs:32 static_shared:0 grid:16,1,1 block:512,1,1" */

/* Every larger number is damage; sums of these fit into 64 bits. */
#define NUMBER_MOST (INT64_C(1) << 53)

struct xplane_details {
	int64_t grid[3], block[3], registers, statically, dynamically, group;
	int64_t bytes;
};

/* Reads up to `n` numbers that are separated by commas. */
static void xplane_rows_numbers(const char *s, int64_t *to, int n)
{
	for (int i = 0; i < n && isdigit((unsigned char)*s); i++) {
		char *end;
		long long value = strtoll(s, &end, 10);
		to[i] = value <= NUMBER_MOST ? value : -1;
		s = end + (*end == ',');
	}
}

static struct xplane_details xplane_rows_details(const char *s)
{
	struct xplane_details d;
	const struct {
		const char *key;
		int64_t *to;
		int n;
	} known[] = {
		{ "grid:", d.grid, 3 },
		{ "block:", d.block, 3 },
		{ "regs:", &d.registers, 1 },
		{ "registers_per_thread:", &d.registers, 1 },
		{ "static_shared:", &d.statically, 1 },
		{ "dynamic_shared:", &d.dynamically, 1 },
		{ "group_mem:", &d.group, 1 },
		{ "size:", &d.bytes, 1 },
		{ "num_bytes:", &d.bytes, 1 },
	};
	memset(&d, -1, sizeof d);
	for (s += strspn(s, " \n"); *s;
		s += strcspn(s, " \n"), s += strspn(s, " \n"))
		for (size_t i = 0; i < sizeof known / sizeof *known; i++)
			if (!strncmp(s, known[i].key, strlen(known[i].key)))
				xplane_rows_numbers(s + strlen(known[i].key),
					known[i].to, known[i].n);
	return d;
}

/* The shape of a launch. A thread has at most 255 registers on NVIDIA's GPUs
 * and 512 on AMD's. Older versions on ROCm write the addresses of other data in
 * place of registers and shared memory, which are then unknown. */
static bool xplane_rows_shape(struct xplane *x, const struct xplane_item *i,
	uint32_t *id)
{
	enum { REGISTERS_MOST = 512 };
	struct xplane_details d = xplane_rows_details(
		xplane_rows_text(x, i->about.text[XPLANE_KERNEL_DETAILS]));
	struct launch_shape s = { .registers = -1, .shared_bytes = -1 };
	for (int k = 0; k < 3; k++) {
		s.grid[k] = xplane_rows_small(d.grid[k]);
		s.block[k] = xplane_rows_small(d.block[k]);
	}
	if (d.registers <= REGISTERS_MOST) {
		s.registers = xplane_rows_small(d.registers);
		if (d.statically >= 0 && d.dynamically >= 0)
			d.group = d.statically + d.dynamically;
		s.shared_bytes = xplane_rows_small(d.group);
	}
	*id = i->about.text[XPLANE_KERNEL_DETAILS]
		      ? trace_launch_shape(x->trace, &s)
		      : 0;
	return *id != NAMES_NONE;
}

/* ---- one function per kind of row */

/* The number in the name of a stream's line, "Stream #17(Kernel)"; -1 if the
 * line is none. */
static int64_t xplane_rows_stream(const struct xplane *x,
	const struct xplane_line *l)
{
	static const char before[] = "Stream #";
	const char *name = xplane_rows_text(x, l->name);
	size_t n = sizeof before - 1;
	if (strncmp(name, before, n) != 0 || !isdigit((unsigned char)name[n]))
		return -1;
	return strtoll(name + n, NULL, 10);
}

/* Keeps which HLO operator launched the kernel that was stored last. */
static bool xplane_rows_use(struct xplane *x, const struct xplane_item *i)
{
	const uint32_t *text = i->about.text;
	if (!text[XPLANE_HLO_OP])
		return true;
	x->jax |= !strncmp(xplane_rows_text(x, text[XPLANE_HLO_MODULE]), "jit_",
		4);
	if (!XPLANE_ROOM(x, x->uses))
		return false;
	x->uses.at[x->uses.n++] =
		(struct xplane_use){ .kernel = x->trace->kernel.n - 1,
			.op = text[XPLANE_HLO_OP],
			.scope = text[XPLANE_SCOPE],
			.program = i->about.number[XPLANE_PROGRAM] };
	return true;
}

static bool xplane_rows_kernel(struct xplane *x, struct xplane_item *i,
	int32_t device)
{
	struct names *ns = &x->trace->names;
	uint32_t launch;
	const struct name *n = &ns->list[i->name];
	size_t len = text_kernel_len(n->text, n->len);
	if (len < n->len)
		i->name = names_put(ns, n->text, len);
	if (i->name == NAMES_NONE || !xplane_rows_shape(x, i, &launch))
		return false;
	int64_t stream = xplane_rows_stream(x, i->line);
	return trace_kernel_add(x->trace,
		       &(struct kernel_row){
			       .start_ns = i->start_ns,
			       .dur_ns = i->dur_ns,
			       .name = i->name,
			       .device = device,
			       .stream = stream >= 0 ? stream : i->line->id,
			       .correlation =
				       xplane_rows_id(i, XPLANE_CORRELATION),
			       .external_id = -1,
			       .graph_id = xplane_rows_id(i, XPLANE_GRAPH_ID),
			       .graph_node =
				       xplane_rows_id(i, XPLANE_GRAPH_NODE),
			       .launch = launch,
		       }) &&
	       xplane_rows_use(x, i);
}

/* XLA writes "MemcpyH2D" on NVIDIA's GPUs; on AMD's, the name is ROCm's. */
static uint32_t xplane_rows_copy_name(struct xplane *x, uint32_t name)
{
	static const char before[] = "Memcpy";
	const struct name *n = &x->trace->names.list[name];
	char text[sizeof "Memcpy HtoD"];
	if (n->len != sizeof before - 1 + 3 ||
		memcmp(n->text, before, sizeof before - 1) != 0 ||
		n->text[n->len - 2] != '2')
		return name;
	int len = snprintf(text, sizeof text, "Memcpy %cto%c",
		n->text[n->len - 3], n->text[n->len - 1]);
	return names_put(&x->trace->names, text, (size_t)len);
}

static bool xplane_rows_copy(struct xplane *x, struct xplane_item *i,
	int32_t device, bool is_set)
{
	uint32_t details = i->about.text[is_set ? XPLANE_SET_DETAILS
						: XPLANE_COPY_DETAILS];
	struct xplane_details d =
		xplane_rows_details(xplane_rows_text(x, details));
	int64_t stream = xplane_rows_stream(x, i->line);
	uint32_t name = xplane_rows_copy_name(x, i->name);
	return name != NAMES_NONE &&
	       trace_copy_add(x->trace,
		       &(struct copy_row){
			       .start_ns = i->start_ns,
			       .dur_ns = i->dur_ns,
			       .name = name,
			       .device = device,
			       .stream = stream >= 0 ? stream : i->line->id,
			       .correlation =
				       xplane_rows_id(i, XPLANE_CORRELATION),
			       .external_id = -1,
			       .bytes = d.bytes,
			       .is_set = is_set,
		       });
}

/* The thread of a line: its number, which is unique in the file. */
static uint32_t xplane_rows_thread(struct xplane *x,
	const struct xplane_line *l)
{
	char text[24];
	int len = snprintf(text, sizeof text, "%" PRId64, l->id);
	return names_put(&x->trace->names, text, (size_t)len);
}

static bool xplane_rows_call(struct xplane *x, const struct xplane_item *i)
{
	uint32_t thread = xplane_rows_thread(x, i->line);
	return thread != NAMES_NONE &&
	       trace_call_add(x->trace, &(struct call_row){
						.start_ns = i->start_ns,
						.dur_ns = i->dur_ns,
						.name = i->name,
						.thread = thread,
						.correlation = xplane_rows_id(i,
							XPLANE_CORRELATION),
						.external_id = -1,
					});
}

static bool xplane_rows_range(struct xplane *x, enum range_kind kind,
	const struct xplane_item *i, uint32_t name, uint32_t thread)
{
	return name != NAMES_NONE && thread != NAMES_NONE &&
	       trace_range_add(x->trace, &(struct range_row){
						 .start_ns = i->start_ns,
						 .dur_ns = i->dur_ns,
						 .name = name,
						 .kind = (uint8_t)kind,
						 .thread = thread,
						 .id = -1,
						 .parent = -1,
					 });
}

/* The name of a step, "step 5: train", so that it is recognized as one. */
static uint32_t xplane_rows_step(struct xplane *x, int64_t number,
	const char *name)
{
	char text[120];
	int len = *name ? snprintf(text, sizeof text, "step %" PRId64 ": %.80s",
				  number, name)
			: snprintf(text, sizeof text, "step %" PRId64, number);
	return text_put(&x->text, text, (size_t)len, TEXT_MAX);
}

/* ---- lines of the host and of devices */

static bool xplane_rows_host(struct xplane *x, struct xplane_item *i)
{
	const char *name = xplane_rows_text(x, i->name);
	int64_t step = i->about.number[XPLANE_STEP];
	enum range_kind kind = RANGE_ANNOTATION;
	uint32_t text = i->name;
	if (i->about.number[XPLANE_CORRELATION] > 0)
		return !xplane_rows_timely(x, i, XPLANE_CALLS) ||
		       xplane_rows_call(x, i);
	if (!xplane_rows_timely(x, i, XPLANE_RANGES))
		return true;
	/* JAX's Python tracer: "$array.py:268 sharding". */
	if (*name == '$' && name[1]) {
		kind = RANGE_PYTHON;
		text = names_put(&x->trace->names, name + 1,
			x->trace->names.list[i->name].len - 1);
	} else if (step >= 0) {
		text = xplane_rows_step(x, step, name);
	}
	return xplane_rows_range(x, kind, i, text,
		xplane_rows_thread(x, i->line));
}

enum xplane_item_kind {
	ITEM_KERNEL,
	ITEM_COPY,
	ITEM_SET,
	ITEM_MEMORY,
	ITEM_RANGE
};

/* An event of a stream without details is recognized by its name. */
static enum xplane_item_kind xplane_rows_kind(const struct xplane *x,
	const struct xplane_item *i)
{
	const char *name = xplane_rows_text(x, i->name);
	if (i->about.text[XPLANE_KERNEL_DETAILS])
		return ITEM_KERNEL;
	if (i->about.text[XPLANE_COPY_DETAILS])
		return ITEM_COPY;
	if (i->about.text[XPLANE_SET_DETAILS])
		return ITEM_SET;
	if (i->about.text[XPLANE_MEMORY_DETAILS])
		return ITEM_MEMORY;
	if (xplane_rows_stream(x, i->line) < 0)
		return ITEM_RANGE;
	if (!strncmp(name, "Memset", strlen("Memset")))
		return ITEM_SET;
	if (!strncmp(name, "Memcpy", strlen("Memcpy")))
		return ITEM_COPY;
	return ITEM_KERNEL;
}

/* A line that is no stream contains what the profiler derived from the streams:
 * steps, modules, operators. */
static bool xplane_rows_derived(struct xplane *x, const struct xplane_item *i)
{
	const char *line = xplane_rows_text(x, i->line->name);
	const char *name = xplane_rows_text(x, i->display);
	uint32_t text = i->display;
	if (!strcmp(line, "Steps") && isdigit((unsigned char)*name))
		text = xplane_rows_step(x, strtoll(name, NULL, 10), "");
	return xplane_rows_range(x, RANGE_GPU_ANNOTATION, i, text,
		i->line->name ? i->line->name : xplane_rows_thread(x, i->line));
}

static bool xplane_rows_device(struct xplane *x, struct xplane_item *i,
	int32_t device)
{
	switch (xplane_rows_kind(x, i)) {
	case ITEM_KERNEL:
		return !xplane_rows_timely(x, i, XPLANE_KERNELS) ||
		       xplane_rows_kernel(x, i, device);
	case ITEM_COPY:
		return !xplane_rows_timely(x, i, XPLANE_COPIES) ||
		       xplane_rows_copy(x, i, device, false);
	case ITEM_SET:
		return !xplane_rows_timely(x, i, XPLANE_COPIES) ||
		       xplane_rows_copy(x, i, device, true);
	case ITEM_MEMORY:
		xplane_rows_note(x, NOTE_record_kind, i->name);
		return true;
	default:
		return !xplane_rows_timely(x, i, XPLANE_RANGES) ||
		       xplane_rows_derived(x, i);
	}
}

/* ---- planes */

/* The number in "/device:GPU:7"; the plane's own if there is none. */
static int32_t xplane_rows_device_number(const struct xplane *x)
{
	const char *name = xplane_rows_text(x, x->plane.name);
	const char *at = strstr(name, "device:");
	at = at ? strchr(at + strlen("device:"), ':') : NULL;
	if (at && isdigit((unsigned char)at[1]))
		return xplane_rows_small(strtoll(at + 1, NULL, 10));
	return xplane_rows_small(x->plane.id);
}

static bool xplane_rows_device_fact(struct xplane *x, const char *name,
	int64_t value)
{
	char text[24];
	int n = snprintf(text, sizeof text, "%" PRId64, value);
	return value <= 0 || fact_list_append(&x->facts, name, text, (size_t)n);
}

/* Adds the device of the plane. Its clock is in kHz, the bandwidth in bytes
 * per second. */
static bool xplane_rows_device_add(struct xplane *x, int32_t number,
	const struct xplane_about *a)
{
	struct trace *t = x->trace;
	const char *vendor = xplane_rows_text(x, a->text[XPLANE_VENDOR]);
	struct device d = { .number = number,
		.name = a->text[XPLANE_DEVICE_NAME],
		.sm_count = xplane_rows_small(a->number[XPLANE_CORES]),
		.compute_major = xplane_rows_small(a->number[XPLANE_MAJOR]),
		.compute_minor = xplane_rows_small(a->number[XPLANE_MINOR]),
		.memory_bytes = a->number[XPLANE_MEMORY] };
	if (d.memory_bytes < 0)
		d.memory_bytes = -1;
	if (trace_device(t, 0, number))
		return true;
	if (!xplane_grow(x, (void **)&t->devices, t->devices_n, &x->devices_cap,
		    sizeof *t->devices))
		return false;
	t->devices[t->devices_n++] = d;
	return xplane_rows_device_fact(x, "sm_clock_max_mhz",
		       a->number[XPLANE_CLOCK] / 1000) &&
	       xplane_rows_device_fact(x, "memory_bandwidth",
		       a->number[XPLANE_BANDWIDTH]) &&
	       (!*vendor || fact_list_append(&x->facts, "device_vendor", vendor,
				    strlen(vendor)));
}

enum xplane_kind { PLANE_DEVICE, PLANE_HOST, PLANE_OTHER };

static enum xplane_kind xplane_rows_plane_kind(const struct xplane *x)
{
	const char *name = xplane_rows_text(x, x->plane.name);
	if (strstr(name, "/device:"))
		return PLANE_DEVICE;
	return strstr(name, "/host:") ? PLANE_HOST : PLANE_OTHER;
}

static bool xplane_rows_line(struct xplane *x, const struct xplane_line *l,
	enum xplane_kind kind, int32_t device)
{
	bool ok = true;
	for (uint32_t k = l->events.from; ok && k < l->events.to; k++) {
		struct xplane_item i = { .line = l,
			.event = &x->plane.events.at[k] };
		x->events++;
		ok = xplane_rows_named(x, &i);
		if (ok && kind == PLANE_DEVICE)
			ok = xplane_rows_device(x, &i, device);
		else if (ok && kind == PLANE_HOST)
			ok = xplane_rows_host(x, &i);
		else if (ok)
			xplane_rows_note(x, NOTE_record_kind, x->plane.name);
	}
	return ok;
}

bool xplane_rows(struct xplane *x, struct err *e)
{
	struct trace *t = x->trace;
	struct xplane_about about;
	enum xplane_kind kind = xplane_rows_plane_kind(x);
	int32_t device = xplane_rows_device_number(x);
	uint32_t before = t->kernel.n + t->copy.n;
	bool ok = true;
	xplane_rows_about_clear(&about);
	xplane_rows_about(x, x->plane.own.at, x->plane.own.n, &about);
	if (about.number[XPLANE_PROFILE_START] > 0)
		x->profile_start_ns = about.number[XPLANE_PROFILE_START];
	for (uint32_t i = 0; ok && i < x->plane.lines.n; i++)
		ok = xplane_rows_line(x, &x->plane.lines.at[i], kind, device);
	if (ok && kind == PLANE_DEVICE && t->kernel.n + t->copy.n > before)
		ok = xplane_rows_device_add(x, device, &about);
	return ok || arena_err(t->arena, e);
}
