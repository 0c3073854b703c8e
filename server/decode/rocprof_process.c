/* rocprof_process.c - a process begins; it ends, and its rows are completed. */
#include "rocprof.h"

bool rocprof_init(struct rocprof *r, struct window *w, struct trace *t)
{
	*r = (struct rocprof){ .trace = t,
		.items.reader.window = w,
		.text.trace = t };
	rocprof_words_init(&r->words);
	struct roc_map *const maps[] = { &r->numbers, &r->symbols, &r->names,
		&r->messages, &r->ancestors };
	for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
		maps[i]->arena = t->arena;
	struct roc_times *const times[] = { &r->kernel_times, &r->copy_times,
		&r->call_times, &r->range_times };
	for (size_t i = 0; i < sizeof times / sizeof *times; i++)
		times[i]->trace = t;
	return names_init(&r->raw, t->arena) &&
	       names_init(&r->agents, t->arena) &&
	       names_init(&r->shapes, t->arena);
}

bool rocprof_process_begin(struct rocprof *r, struct err *e)
{
	struct trace *t = r->trace;
	if (r->open && !rocprof_process_end(r, e))
		return false;
	if (t->processes_n == ROCPROF_PROCESSES_MAX)
		return err_set(e, ERR_TOO_LARGE,
			"the file holds more than %d processes",
			ROCPROF_PROCESSES_MAX);
	r->open = true;
	r->process =
		(struct process){ .pid = -1, .rank = -1, .world_size = -1 };
	r->kernels.from = t->kernel.n;
	r->copies.from = t->copy.n;
	r->calls.from = t->call.n;
	r->ranges.from = t->range.n;
	r->kinds = 0;
	r->gpus = 0;
	r->facts = (struct fact_list){ .text = &r->text };
	roc_map_clear(&r->numbers);
	roc_map_clear(&r->symbols);
	roc_map_clear(&r->names);
	roc_map_clear(&r->messages);
	roc_map_clear(&r->ancestors);
	return true;
}

/* The id of a text as it lies in the file. */
static uint32_t text_of(struct rocprof *r, uint32_t raw)
{
	const struct name *n = &r->raw.list[raw];
	struct span s = { n->text, n->len, false };
	for (uint32_t i = 0; i < n->len && !s.escaped; i++)
		s.escaped =
			n->text[i] == '\\' || (unsigned char)n->text[i] < 0x20;
	return text_id(&r->text, &s);
}

/* What a number of `map` stands for; "what 7" where nobody tells. */
static uint32_t named(struct rocprof *r, struct roc_map *map, int64_t key,
	const char *what, int64_t number)
{
	int64_t raw;
	if (roc_map_find(map, key, &raw))
		return text_of(r, (uint32_t)raw);
	return roc_numbered(r->trace, what, number);
}

static uint32_t operation_name(struct rocprof *r, uint32_t operation,
	const char *what)
{
	return named(r, &r->names, operation, what, operation & UINT16_MAX);
}

/* A device's number; the handle itself, which is one too, where the file does
 * not list the agent. */
static int32_t device_of(struct rocprof *r, int64_t agent)
{
	int64_t handle, number;
	if (agent <= 0)
		return -1;
	memcpy(&handle, r->agents.list[agent].text, sizeof handle);
	return roc_map_find(&r->numbers, handle, &number) ? (int32_t)number
							  : roc_small(handle);
}

static bool kernel_end(struct rocprof *r, uint32_t i)
{
	struct kernel_rows *k = &r->trace->kernel;
	struct launch_shape shape = { { -1, -1, -1 }, { -1, -1, -1 }, -1, -1 };
	int64_t symbol;
	if (k->launch[i])
		memcpy(&shape, r->shapes.list[k->launch[i]].text, sizeof shape);
	if (roc_map_find(&r->symbols, k->graph_id[i], &symbol)) {
		shape.registers = (int32_t)(symbol >> 32);
		k->name[i] = text_of(r, (uint32_t)symbol);
	} else {
		k->name[i] = roc_numbered(r->trace, "kernel", k->graph_id[i]);
	}
	if (k->launch[i] || shape.registers >= 0)
		k->launch[i] = trace_launch_shape(r->trace, &shape);
	k->graph_id[i] = -1;
	k->device[i] = device_of(r, k->device[i]);
	k->correlation[i] = roc_map_follow(&r->ancestors, k->correlation[i]);
	return k->name[i] != NAMES_NONE && k->launch[i] != NAMES_NONE;
}

/* A copy is the GPU's that it goes to, else the one's it comes from. */
static bool copy_end(struct rocprof *r, uint32_t i)
{
	struct copy_rows *c = &r->trace->copy;
	int32_t to = device_of(r, c->device[i]);
	c->device[i] = to >= 0 ? to : device_of(r, c->external_id[i]);
	c->external_id[i] = -1;
	c->correlation[i] = roc_map_follow(&r->ancestors, c->correlation[i]);
	c->name[i] = operation_name(r, c->name[i], "memory_copy");
	return c->name[i] != NAMES_NONE;
}

/* Of the markers those are kept that last: not roctxMarkA() and the like. */
static bool range_end(struct rocprof *r, uint32_t i, bool *keep)
{
	struct range_rows *g = &r->trace->range;
	struct names *ns = &r->trace->names;
	bool marker = !strcmp(names_text(ns, g->domain[i]), "roctx");
	uint32_t name = operation_name(r, g->name[i],
		marker ? "marker_api" : "rccl_api");
	int64_t raw, correlation = g->id[i];
	*keep = true;
	g->id[i] = -1;
	g->name[i] = name;
	if (!marker || name == NAMES_NONE)
		return name != NAMES_NONE;
	const char *call = names_text(ns, name);
	enum roc_marker what = roc_marker_of(call);
	if (what == ROC_MARK) {
		*keep = false;
		note_add(&r->trace->notes, NOTE_record_kind, 1, call,
			strlen(call));
		return true;
	}
	if (what == ROC_LOOSE)
		g->kind[i] = RANGE_LOOSE;
	if (roc_map_find(&r->messages, correlation, &raw))
		g->name[i] = text_of(r, (uint32_t)raw);
	return g->name[i] != NAMES_NONE;
}

static bool ranges_end(struct rocprof *r)
{
	struct range_rows *g = &r->trace->range;
	uint32_t to = r->ranges.from;
	bool keep;
#define COLUMN(type, field, what) g->field[to] = g->field[i];
	for (uint32_t i = to; i < g->n; i++) {
		if (!range_end(r, i, &keep))
			return false;
		if (keep) {
			RANGE_COLUMNS(COLUMN)
			to++;
		}
	}
#undef COLUMN
	r->used -= g->n - to;
	g->n = to;
	return true;
}

static bool rows_end(struct rocprof *r)
{
	struct trace *t = r->trace;
	if (!roc_map_sort(&r->numbers) || !roc_map_sort(&r->symbols) ||
		!roc_map_sort(&r->names) || !roc_map_sort(&r->messages) ||
		!roc_map_sort(&r->ancestors))
		return false;
	for (uint32_t i = r->kernels.from; i < t->kernel.n; i++)
		if (!kernel_end(r, i))
			return false;
	for (uint32_t i = r->copies.from; i < t->copy.n; i++)
		if (!copy_end(r, i))
			return false;
	for (uint32_t i = r->calls.from; i < t->call.n; i++) {
		t->call.name[i] = operation_name(r, t->call.name[i], "hip_api");
		if (t->call.name[i] == NAMES_NONE)
			return false;
	}
	return ranges_end(r);
}

/* Keeps the process, or drops its devices where it has no rows. */
static bool keep(struct rocprof *r)
{
	struct trace *t = r->trace;
	bool used = t->kernel.n > r->kernels.from ||
		    t->copy.n > r->copies.from || t->call.n > r->calls.from ||
		    t->range.n > r->ranges.from;
	while (!used && t->devices_n &&
		t->devices[t->devices_n - 1].process == (int32_t)t->processes_n)
		t->devices_n--;
	if (!used)
		return true;
	return roc_process_add(t, &r->processes_cap, &r->process) &&
	       fact_list_give(&r->facts, t->processes_n - 1);
}

bool rocprof_process_end(struct rocprof *r, struct err *e)
{
	r->open = false;
	return (rows_end(r) && keep(r)) || arena_err(r->trace->arena, e);
}
