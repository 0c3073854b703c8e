/* kineto_rows.c - stores the events of a Kineto trace as rows */
#include "kineto.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static bool kineto_rows_text(struct kineto_rows *r, const struct text_span *s,
	uint32_t *id);

/* A table of (pid, rank), with a memo for recent look-ups. */

struct kineto_pid_key {
	int64_t number;
	uint32_t text;
	int32_t rank;
};

static bool kineto_rows_pids_init(struct kineto_pids *ps, struct trace *t)
{
	*ps = (struct kineto_pids){ .trace = t };
	return names_init(&ps->keys, t->arena) &&
	       names_init(&ps->named, t->arena);
}

static int64_t kineto_rows_pids_number_of(const struct kineto_event *e)
{
	return e->pid.kind == NUMBER_OK ? e->pid.value : -1;
}

static int32_t kineto_rows_pids_rank_of(const struct kineto_event *e)
{
	return e->rank >= 0 && e->rank <= INT32_MAX ? (int32_t)e->rank : -1;
}

static bool kineto_rows_pids_grow(struct kineto_pids *ps)
{
	if (ps->n < ps->cap)
		return true;
	uint32_t cap = ps->cap ? ps->cap * 2 : 16;
	struct kineto_pid *list =
		arena_grow(ps->trace->arena, ps->list, cap * sizeof *list);
	if (!list)
		return false;
	ps->list = list;
	ps->cap = cap;
	return true;
}

static uint32_t kineto_rows_pids_find(struct kineto_pids *ps,
	const struct kineto_pid_key *k)
{
	uint32_t known = ps->keys.n;
	if (!kineto_rows_pids_grow(ps))
		return NAMES_NONE;
	uint32_t id = names_find(&ps->keys, (const char *)k, sizeof *k);
	if (id != NAMES_NONE)
		return id - 1;
	if (ps->n == PIDS_MAX)
		return PIDS_MAX;
	id = names_put(&ps->keys, (const char *)k, sizeof *k);
	if (id != known)
		return NAMES_NONE;
	ps->list[ps->n++] = (struct kineto_pid){ .number = k->number,
		.text = k->text,
		.rank = k->rank,
		.raw = -1 };
	return id - 1;
}

/* The index of an event's pid. If the pid is a text, `text` is the text's id.
 * PIDS_MAX if there are too many pids; NAMES_NONE if the arena is full. */
static uint32_t kineto_rows_pids_of(struct kineto_pids *ps,
	const struct kineto_event *e, uint32_t text)
{
	struct kineto_pid_key k = { kineto_rows_pids_number_of(e), text,
		kineto_rows_pids_rank_of(e) };
	struct pid_memo *m = &ps->memo[(k.number ^ k.rank) & 7];
	if (m->good && m->pid == k.number && m->rank == k.rank && !text)
		return m->index;
	uint32_t i = kineto_rows_pids_find(ps, &k);
	if (i >= PIDS_MAX)
		return i;
	if (e->pid_raw >= 0)
		ps->list[i].raw = e->pid_raw;
	if (!text)
		*m = (struct pid_memo){ k.number, k.rank, i, true };
	return i;
}

/* Stores the name of a pid's process. False if the arena is full. */
static bool kineto_rows_pids_name(struct kineto_pids *ps,
	const struct kineto_event *e, uint32_t text, uint32_t name)
{
	struct kineto_pid_key k = { kineto_rows_pids_number_of(e), text, 0 };
	uint32_t id = names_put(&ps->named, (const char *)&k, sizeof k);
	if (id == NAMES_NONE)
		return false;
	if (id >= ps->process_names_cap) {
		uint32_t cap = id * 2 + 16;
		uint32_t *p = arena_grow(ps->trace->arena, ps->process_names,
			cap * sizeof *p);
		if (!p)
			return false;
		ps->process_names = p;
		ps->process_names_cap = cap;
	}
	ps->process_names[id] = name;
	return true;
}

uint32_t kineto_rows_pids_name_of(const struct kineto_pids *ps,
	const struct kineto_pid *p)
{
	struct kineto_pid_key k = { p->number, p->text, 0 };
	uint32_t id = names_find(&ps->named, (const char *)&k, sizeof k);
	return id == NAMES_NONE ? 0 : ps->process_names[id];
}

bool kineto_rows_init(struct kineto_rows *r, struct trace *t)
{
	*r = (struct kineto_rows){ .trace = t, .text = { .trace = t } };
#define VIEW(op) word_table_add(&r->views, op, 1);
#define ALLOCATION(op) VIEW(op)
#define SCALAR(op) VIEW(op)
#include "view_operators.def"
#undef VIEW
#undef ALLOCATION
#undef SCALAR
	return kineto_rows_pids_init(&r->pids, t);
}

static void kineto_rows_note(struct kineto_rows *r, enum note_code code,
	const struct text_span *s)
{
	note_add(&r->trace->notes, code, 1, s->at ? s->at : "(unnamed)",
		s->at ? s->len : strlen("(unnamed)"));
}

void kineto_rows_bad(struct kineto_rows *r, const char *what, size_t len)
{
	r->events++;
	note_add(&r->trace->notes, NOTE_bad_event, 1, what, len);
}

/* The sum of durations of this kind of row. Readers of a trace add these
 * durations, so the sum must not overflow. */
static int64_t *kineto_rows_total(struct kineto_rows *r, enum kineto_category c)
{
	if (c == CATEGORY_SET)
		c = CATEGORY_COPY;
	if (c == CATEGORY_GPU_ANNOTATION || c == CATEGORY_PYTHON)
		c = CATEGORY_ANNOTATION;
	return &r->total_ns[c];
}

/* Whether an event has times that a trace can represent; notes it if not. */
static bool kineto_rows_timely(struct kineto_rows *r,
	const struct kineto_event *e)
{
	enum note_code code = NOTE_CODES;
	int64_t *sum = kineto_rows_total(r, e->category);
	if (e->ts.kind == NUMBER_HUGE || e->dur.kind == NUMBER_HUGE)
		code = NOTE_huge_time;
	else if (e->ts.kind != NUMBER_OK || e->dur.kind != NUMBER_OK)
		code = NOTE_no_duration;
	else if (e->dur.value < 0)
		code = NOTE_negative_time;
	else if (e->dur.value > TRACE_TIME_MAX_NS - *sum)
		code = NOTE_huge_time;
	if (code == NOTE_CODES) {
		*sum += e->dur.value;
		return true;
	}
	kineto_rows_note(r, code, &e->name);
	return false;
}

/* Of metadata events, only the names of processes are used. */
static bool kineto_rows_metadata(struct kineto_rows *r,
	const struct kineto_event *e)
{
	static const char what[] = "process_name";
	uint32_t pid, name;
	if (e->name.len != sizeof what - 1 || !e->label.at ||
		memcmp(e->name.at, what, e->name.len) != 0)
		return true;
	struct text_span pid_text = e->pid.kind == NUMBER_OK
					    ? (struct text_span){ 0 }
					    : e->pid_text;
	return kineto_rows_text(r, &pid_text, &pid) &&
	       kineto_rows_text(r, &e->label, &name) &&
	       kineto_rows_pids_name(&r->pids, e, pid, name);
}

/* Phases of the Chrome trace format other than X, M and C. Flows and instants
 * add nothing that is stored; begin and end events are not paired. */
static bool kineto_rows_other_phase(struct kineto_rows *r,
	const struct kineto_event *e)
{
	if (e->ph && strchr("iIstfSTpFPNODVvRc()=,an", e->ph))
		return true;
	kineto_rows_note(r,
		e->ph && strchr("BEbe", e->ph) ? NOTE_category_unknown
					       : NOTE_bad_event,
		e->category_text.at ? &e->category_text : &e->name);
	return true;
}

/* The index of an event's pid; NAMES_NONE if the arena is full, PIDS_MAX if the
 * event was noted instead. */
static uint32_t kineto_rows_pid_of(struct kineto_rows *r,
	const struct kineto_event *e)
{
	uint32_t text_pid = 0;
	if (e->pid.kind != NUMBER_OK &&
		!kineto_rows_text(r, &e->pid_text, &text_pid))
		return NAMES_NONE;
	uint32_t pid = kineto_rows_pids_of(&r->pids, e, text_pid);
	if (pid == PIDS_MAX)
		kineto_rows_note(r, NOTE_bad_event, &e->name);
	return pid;
}

/* Functions that add an event as a row, one per kind. */

/* The id of a string; 0 if there is none. */
static bool kineto_rows_text(struct kineto_rows *r, const struct text_span *s,
	uint32_t *id)
{
	*id = s->at ? text_id(&r->text, s) : 0;
	return *id != NAMES_NONE;
}

static bool kineto_rows_add_json(struct kineto_rows *r,
	const struct text_span *s, uint32_t *id)
{
	*id = s->at ? text_json_id(&r->text, s) : 0;
	return *id != NAMES_NONE;
}

static bool kineto_rows_add_thread(struct kineto_rows *r,
	const struct text_span *s, uint32_t *id)
{
	if (!s->at || s->len == 0 || s->len > 16 || s->escaped)
		return kineto_rows_text(r, s, id);
	unsigned i = (unsigned char)s->at[s->len - 1] & 7;
	if (r->thread_memo[i].len == s->len &&
		!memcmp(r->thread_memo[i].text, s->at, s->len)) {
		*id = r->thread_memo[i].id;
		return true;
	}
	if (!kineto_rows_text(r, s, id))
		return false;
	memcpy(r->thread_memo[i].text, s->at, s->len);
	r->thread_memo[i].len = s->len;
	r->thread_memo[i].id = *id;
	return true;
}

static bool kineto_rows_add_shape(struct kineto_rows *r,
	const struct kineto_event *e, uint32_t *id)
{
	struct launch_shape s = { .registers = e->registers,
		.shared_bytes = e->shared };
	memcpy(s.grid, e->grid, sizeof s.grid);
	memcpy(s.block, e->block, sizeof s.block);
	*id = e->has_shape ? trace_launch_shape(r->trace, &s) : 0;
	return *id != NAMES_NONE;
}

/* A GPU event's device: its own field, or else its pid, which is the device's
 * number in every Kineto trace. */
static int32_t kineto_rows_add_device(const struct kineto_event *e)
{
	int64_t d = e->device;
	if (d < 0)
		d = e->pid_raw;
	if (d < 0 && e->pid.kind == NUMBER_OK)
		d = e->pid.value;
	return d >= 0 && d <= INT32_MAX ? (int32_t)d : -1;
}

/* A GPU event's stream: its own field, or else its thread, "7" or "stream
 * 7". */
static int64_t kineto_rows_add_stream(const struct kineto_event *e)
{
	static const char before[] = "stream ";
	size_t from = sizeof before - 1;
	int64_t n = e->stream;
	if (n >= 0 || !e->tid.at)
		return n;
	if (e->tid.len < from || memcmp(e->tid.at, before, from) != 0)
		from = 0;
	if (e->tid.len == from || e->tid.len > from + 18)
		return -1;
	for (n = 0; from < e->tid.len; from++) {
		if (!number_digit(e->tid.at[from]))
			return -1;
		n = n * 10 + (e->tid.at[from] - '0');
	}
	return n;
}

static bool kineto_rows_add_kernel(struct kineto_rows *r,
	const struct kineto_event *e, uint16_t pid)
{
	uint32_t name, launch;
	return kineto_rows_text(r, &e->name, &name) &&
	       kineto_rows_add_shape(r, e, &launch) &&
	       trace_kernel_add(r->trace,
		       &(struct kernel_row){ .process = pid,
			       .start_ns = e->ts.value,
			       .dur_ns = e->dur.value,
			       .name = name,
			       .device = kineto_rows_add_device(e),
			       .stream = kineto_rows_add_stream(e),
			       .correlation = e->correlation,
			       .external_id = e->external_id,
			       .graph_id = e->graph_id,
			       .graph_node = e->graph_node,
			       .launch = launch });
}

static bool kineto_rows_add_copy(struct kineto_rows *r,
	const struct kineto_event *e, uint16_t pid)
{
	uint32_t name;
	return kineto_rows_text(r, &e->name, &name) &&
	       trace_copy_add(r->trace,
		       &(struct copy_row){ .process = pid,
			       .start_ns = e->ts.value,
			       .dur_ns = e->dur.value,
			       .name = name,
			       .device = kineto_rows_add_device(e),
			       .stream = kineto_rows_add_stream(e),
			       .correlation = e->correlation,
			       .external_id = e->external_id,
			       .bytes = e->bytes,
			       .is_set = e->category == CATEGORY_SET });
}

static bool kineto_rows_add_call(struct kineto_rows *r,
	const struct kineto_event *e, uint16_t pid)
{
	uint32_t name, tid, launched, launch;
	return kineto_rows_text(r, &e->name, &name) &&
	       kineto_rows_add_thread(r, &e->tid, &tid) &&
	       kineto_rows_text(r, &e->kernel, &launched) &&
	       kineto_rows_add_shape(r, e, &launch) &&
	       trace_call_add(r->trace, &(struct call_row){ .process = pid,
						.start_ns = e->ts.value,
						.dur_ns = e->dur.value,
						.name = name,
						.thread = tid,
						.correlation = e->correlation,
						.external_id = e->external_id,
						.kernel = launched,
						.launch = launch });
}

/* The values of the arguments that are not tensors; none for views. */
static bool kineto_rows_add_concrete(struct kineto_rows *r,
	const struct kineto_event *e, uint32_t *id)
{
	*id = 0;
	return !e->concrete.at ||
	       word_table_find(&r->views, e->name.at, e->name.len) ||
	       kineto_rows_add_json(r, &e->concrete, id);
}

static bool kineto_rows_add_function(struct trace *t,
	const struct kineto_event *e)
{
	struct op_function *list = trace_list_room(t, t->op_functions,
		sizeof *list, t->op_functions_n, &t->op_functions_cap);
	if (!list)
		return false;
	t->op_functions = list;
	list[t->op_functions_n++] =
		(struct op_function){ e->external_id, e->function };
	return true;
}

static bool kineto_rows_add_op(struct kineto_rows *r,
	const struct kineto_event *e, uint16_t pid)
{
	uint32_t name, tid, dims, types, concrete;
	r->pytorch = true;
	if (e->function > 0 && !kineto_rows_add_function(r->trace, e))
		return false;
	return kineto_rows_text(r, &e->name, &name) &&
	       kineto_rows_add_thread(r, &e->tid, &tid) &&
	       kineto_rows_add_json(r, &e->dims, &dims) &&
	       kineto_rows_add_json(r, &e->types, &types) &&
	       kineto_rows_add_concrete(r, e, &concrete) &&
	       trace_op_add(r->trace,
		       &(struct op_row){ .process = pid,
			       .start_ns = e->ts.value,
			       .dur_ns = e->dur.value,
			       .name = name,
			       .thread = tid,
			       .external_id = e->external_id,
			       .dims = dims,
			       .types = types,
			       .concrete = concrete,
			       .numbered = e->autograd_number >= 0 });
}

static enum range_kind kineto_rows_add_range_kind(const struct kineto_event *e)
{
	static const char module[] = "nn.Module: ";
	size_t len = sizeof module - 1;
	if (e->category == CATEGORY_ANNOTATION)
		return RANGE_ANNOTATION;
	if (e->category == CATEGORY_GPU_ANNOTATION)
		return RANGE_GPU_ANNOTATION;
	return e->name.len > len && !memcmp(e->name.at, module, len)
		       ? RANGE_MODULE
		       : RANGE_PYTHON;
}

static bool kineto_rows_add_range(struct kineto_rows *r,
	const struct kineto_event *e, uint16_t pid)
{
	uint32_t name, tid;
	bool python = e->category == CATEGORY_PYTHON;
	return kineto_rows_text(r, &e->name, &name) &&
	       kineto_rows_add_thread(r, &e->tid, &tid) &&
	       trace_range_add(r->trace,
		       &(struct range_row){ .process = pid,
			       .start_ns = e->ts.value,
			       .dur_ns = e->dur.value,
			       .name = name,
			       .kind = (uint8_t)kineto_rows_add_range_kind(e),
			       .thread = tid,
			       .id = python ? e->python_id : e->external_id,
			       .parent = e->python_parent });
}

static bool kineto_rows_add_event(struct kineto_rows *r,
	const struct kineto_event *e, uint32_t index)
{
	struct kineto_pid *p = &r->pids.list[index];
	uint16_t pid = (uint16_t)index;
	r->used++;
	switch (e->category) {
	case CATEGORY_KERNEL:
		p->gpu++;
		return kineto_rows_add_kernel(r, e, pid);
	case CATEGORY_COPY:
	case CATEGORY_SET:
		p->gpu++;
		return kineto_rows_add_copy(r, e, pid);
	case CATEGORY_CALL:
		p->tasks++;
		return kineto_rows_add_call(r, e, pid);
	case CATEGORY_OP:
		p->tasks++;
		return kineto_rows_add_op(r, e, pid);
	case CATEGORY_GPU_ANNOTATION:
		p->gpu++;
		return kineto_rows_add_range(r, e, pid);
	default:
		p->ranges++;
		return kineto_rows_add_range(r, e, pid);
	}
}

static bool kineto_rows_add(struct kineto_rows *r, const struct kineto_event *e,
	uint32_t index)
{
	return kineto_rows_add_event(r, e, index) &&
	       kineto_comms_add(r, e, (uint16_t)index);
}

/* Stores each number in a counter event's args as a row. */

enum { NUMBER = 64 };

/* The number at p, with or without quotes; NaN for any other value. */
static double kineto_rows_counter_number(const char *p)
{
	char text[NUMBER + 1];
	size_t len = strspn(p += *p == '"', "0123456789+-.eE");
	char *end;

	if (len == 0 || len > NUMBER || !(number_end(p[len]) || p[len] == '"'))
		return NAN;
	memcpy(text, p, len);
	text[len] = 0;
	double value = strtod(text, &end);
	return *end || !isfinite(value) ? NAN : value;
}

/* Whether the key names whose samples these are, and is not a sample itself. */
static bool kineto_rows_counter_about(const struct text_span *key)
{
	static const char *const words[] = { "device", "rank", "pid_raw" };
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (strlen(words[i]) == key->len &&
			!memcmp(words[i], key->at, key->len))
			return true;
	return false;
}

/* Builds "NAME[ID]/KEY" from the parts that are not empty; NAMES_NONE if the
 * arena is full. */
static uint32_t kineto_rows_counter_label(struct kineto_rows *r, uint32_t name,
	uint32_t id, uint32_t key)
{
	struct names *ns = &r->trace->names;
	const struct name *n = &ns->list[name], *i = &ns->list[id],
			  *k = &ns->list[key];
	bool plain = key == name || !strcmp(k->text, "value");
	size_t most = (size_t)n->len + i->len + k->len + sizeof "[]/";

	if (!id && plain)
		return name;
	if (most > r->label_cap) {
		char *grown = arena_grow(r->trace->arena, r->label, most * 2);
		if (!grown)
			return NAMES_NONE;
		r->label = grown;
		r->label_cap = most * 2;
	}
	int len = snprintf(r->label, most, "%s%s%s%s%s%s", n->text,
		id ? "[" : "", i->text, id ? "]" : "", plain ? "" : "/",
		plain ? "" : k->text);
	return names_put(ns, r->label, (size_t)len);
}

static bool kineto_rows_counter_add(struct kineto_rows *r,
	const struct kineto_event *e, uint32_t index,
	const struct text_span *key, double value)
{
	uint32_t name, id, key_id;
	if (!kineto_rows_text(r, &e->name, &name) ||
		!kineto_rows_text(r, &e->id, &id) ||
		!kineto_rows_text(r, key, &key_id))
		return false;
	uint32_t of = kineto_rows_counter_label(r, name, id, key_id);
	return of != NAMES_NONE &&
	       trace_counter_add(r->trace,
		       &(struct counter_row){ .process = (uint16_t)index,
			       .start_ns = e->ts.value,
			       .name = of,
			       .device =
				       e->device >= 0 && e->device <= INT32_MAX
					       ? (int32_t)e->device
					       : -1,
			       .value = value });
}

/* Stores the samples of a counter event ("C"): one for each number in its args.
 * A sample is named "NAME/KEY", or "NAME" if the key equals the name or is
 * "value". If the event has an id, "NAME[ID]" replaces the name. An event
 * without a number counts as a bad event. */
static bool kineto_rows_counter_values(struct kineto_rows *r,
	const struct kineto_event *e, uint32_t index)
{
	struct scan s = { .end = e->args.at ? e->args.at + e->args.len : NULL };
	bool end = true, some = false;
	const char *p = e->args.at ? scan_first(&s, e->args.at, &end) : NULL;

	for (; p && !end; p = p ? scan_next(&s, p, &end) : NULL) {
		struct text_span key = { 0 };
		p = scan_key(&s, p, &key);
		double value = p && !kineto_rows_counter_about(&key)
				       ? kineto_rows_counter_number(p)
				       : NAN;
		if (!isnan(value)) {
			if (!kineto_rows_counter_add(r, e, index, &key, value))
				return false;
			some = true;
		}
		p = p ? scan_skip(&s, p, true) : NULL;
	}
	if (!some)
		note_add(&r->trace->notes, NOTE_bad_event, 1,
			e->name.at ? e->name.at : "(unnamed)",
			e->name.at ? e->name.len : strlen("(unnamed)"));
	return true;
}

static bool kineto_rows_counter(struct kineto_rows *r,
	const struct kineto_event *e)
{
	if (e->ts.kind != NUMBER_OK) {
		kineto_rows_note(r,
			e->ts.kind == NUMBER_HUGE ? NOTE_huge_time
						  : NOTE_no_duration,
			&e->name);
		return true;
	}
	uint32_t pid = kineto_rows_pid_of(r, e);
	if (pid >= PIDS_MAX)
		return pid == PIDS_MAX;
	return kineto_rows_counter_values(r, e, pid);
}

/* Whether this is not a kernel, but the metrics of one: the scope profiler of
 * the XPU backend writes them with the category of kernels, around the kernel's
 * time. They have no correlation. */
static bool kineto_rows_is_metrics(const struct kineto_event *e)
{
	static const char before[] = "metrics: ";
	size_t n = sizeof before - 1;
	return e->category == CATEGORY_KERNEL && e->correlation < 0 &&
	       e->name.at && e->name.len > n && !memcmp(e->name.at, before, n);
}

bool kineto_rows_event(struct kineto_rows *r, const struct kineto_event *e)
{
	r->events++;
	if (e->ph == 'M')
		return kineto_rows_metadata(r, e);
	if (e->ph == 'C')
		return kineto_rows_counter(r, e);
	if (e->ph != 'X')
		return kineto_rows_other_phase(r, e);
	if (e->category == CATEGORY_DULL)
		return true;
	if (e->category == CATEGORY_NONE) {
		kineto_rows_note(r, NOTE_category_unknown, &e->category_text);
		return true;
	}
	if (kineto_rows_is_metrics(e)) {
		kineto_rows_note(r, NOTE_record_kind, &e->name);
		return true;
	}
	if (!kineto_rows_timely(r, e))
		return true;
	uint32_t pid = kineto_rows_pid_of(r, e);
	if (pid >= PIDS_MAX)
		return pid == PIDS_MAX;
	return kineto_rows_add(r, e, pid);
}
