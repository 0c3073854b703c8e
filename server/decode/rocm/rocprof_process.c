/* rocprof_process.c - puts the processes of a rocprofv3 JSON file together */
#include "rocprof.h"

/* Takes in what records refer to. */

/* The id of a text as the file spells it; 0 if there is none. */
static bool rocprof_process_refer_raw(struct rocprof *r,
	const struct text_span *s, uint32_t *id)
{
	*id = s->at ? names_put(&r->raw, s->at, s->len) : 0;
	return *id != NAMES_NONE;
}

/* The known name is the one that the tool prints: demangled, and without the
 * ".kd" of its symbol. The tool's first symbol means "none". */
bool rocprof_symbol_add(struct rocprof *r)
{
	const struct rocprof_symbol *y = &r->thing.symbol;
	struct text_span name = y->formatted;
	uint32_t id;
	if (y->kernel.kind != NUMBER_OK || !y->name.len)
		return true;
	if (!name.len)
		name = y->demangled;
	if (!name.len)
		name = y->name;
	name.len = (uint32_t)rocm_kernel_len(name.at, name.len);
	if (r->json.quoted)
		note_add(&r->trace->notes, NOTE_name_quote, 1, name.at,
			name.len);
	return rocprof_process_refer_raw(r, &name, &id) &&
	       rocm_map_put(&r->symbols, y->kernel.value,
		       rocm_small(y->vgprs) * (INT64_C(1) << 32) + id);
}

/* Each list of operations is of the next kind; after a lost one, the kinds of
 * the rest are unknown. */
bool rocprof_operations_add(struct rocprof *r)
{
	const char *p = r->thing.operations.list;
	struct scan s = { .end = r->json.window->end,
		.lenient = r->json.quoted };
	int64_t kind = r->kinds, number = 0;
	if (kind < 0 || kind >= UINT16_MAX)
		return true;
	r->kinds++;
	p = p ? scan_ws(p + 1) : NULL;
	while (p && *p != ']' && number < UINT16_MAX) {
		struct text_span name;
		uint32_t id;
		p = rocprof_read_string(&s, p, &name);
		if (p && name.at &&
			(!rocprof_process_refer_raw(r, &name, &id) ||
				!rocm_map_put(&r->names, kind << 16 | number,
					id)))
			return false;
		number++;
	}
	return true;
}

bool rocprof_message_add(struct rocprof *r)
{
	const struct rocprof_entry *m = &r->thing.entry;
	uint32_t id;
	if (m->key.kind != NUMBER_OK || !m->value.at)
		return true;
	return rocprof_process_refer_raw(r, &m->value, &id) &&
	       rocm_map_put(&r->messages, m->key.value, id);
}

bool rocprof_metadata_add(struct rocprof *r)
{
	const struct rocprof_metadata *m = &r->thing.metadata;
	struct text_span program = m->program;
	if (m->pid.kind == NUMBER_OK && m->pid.value >= 0)
		r->process.pid = m->pid.value;
	if (m->host.len)
		r->process.host = text_id(&r->text, &m->host);
	if (program.len) {
		size_t at = rocm_program_at(program.at, program.len);
		program.at += at;
		program.len -= (uint32_t)at;
		r->process.name = text_id(&r->text, &program);
	}
	return r->process.host != NAMES_NONE && r->process.name != NAMES_NONE &&
	       rocm_system_facts(&r->facts, m->system.at, m->system.len,
		       m->release.at, m->release.len);
}

/* GPUs have the number the tool gives them among GPUs, which is HIP's. */
bool rocprof_agent_add(struct rocprof *r)
{
	const struct rocprof_agent *a = &r->thing.agent;
	enum { TYPE_CPU = 1, TYPE_GPU = 2 };
	struct device d = { .process = (int32_t)r->trace->processes_n,
		.number = rocm_small(a->logical) };
	const struct text_span *name = a->product.len ? &a->product : &a->name;
	if (a->handle.kind != NUMBER_OK)
		return true;
	if (a->type != TYPE_GPU)
		return rocm_map_put(&r->numbers, a->handle.value, -1) &&
		       (a->type != TYPE_CPU ||
			       fact_list_append(&r->facts, "cpu", a->product.at,
				       a->product.len));
	rocm_device_describe(&d, a->cu_count, a->gfx, a->memory_bytes);
	if (d.number < 0)
		d.number = rocm_small(a->gpu_index);
	if (d.number < 0)
		d.number = r->gpus;
	r->gpus++;
	if (name->len)
		d.name = text_id(&r->text, name);
	return d.name != NAMES_NONE &&
	       rocm_clock_fact(&r->facts, a->clock_mhz) &&
	       rocm_map_put(&r->numbers, a->handle.value, d.number) &&
	       rocm_device_add(r->trace, &r->devices_cap, &d);
}

/* What a record becomes, until its process is over. */

/* The id of an agent's handle; 0 if the record has none. */
static bool rocprof_process_rows_agent(struct rocprof *r,
	const struct number *handle, uint32_t *id)
{
	*id = 0;
	if (handle->kind == NUMBER_OK)
		*id = names_put(&r->agents, (const char *)&handle->value,
			sizeof handle->value);
	return *id != NAMES_NONE;
}

static bool rocprof_process_rows_shape(struct rocprof *r, uint32_t *id)
{
	const struct rocprof_record *record = &r->thing.record;
	struct launch_shape s = { .registers = -1,
		.shared_bytes = rocm_small(record->lds) };
	bool told = record->lds >= 0;
	for (int i = 0; i < 3; i++) {
		s.grid[i] = rocm_blocks(record->grid[i], record->group[i]);
		s.block[i] = rocm_small(record->group[i]);
		told |= s.grid[i] >= 0 || s.block[i] >= 0;
	}
	*id = told ? names_put(&r->shapes, (const char *)&s, sizeof s) : 0;
	return *id != NAMES_NONE;
}

/* Whether the record has an operation, and which; notes it where not. */
static bool rocprof_process_rows_operation(struct rocprof *r, uint32_t *to)
{
	const struct rocprof_record *record = &r->thing.record;
	if (record->kind >= 0 && record->kind < UINT16_MAX &&
		record->operation >= 0 && record->operation < UINT16_MAX) {
		*to = (uint32_t)(record->kind << 16 | record->operation);
		return true;
	}
	note_add(&r->trace->notes, NOTE_bad_event, 1, r->section,
		strlen(r->section));
	return false;
}

static bool rocprof_process_rows_span(struct rocprof *r,
	struct rocm_times *times, int64_t *dur_ns)
{
	return rocm_span(times, r->thing.record.start, r->thing.record.end,
		r->section, dur_ns);
}

bool rocprof_kernel_add(struct rocprof *r)
{
	const struct rocprof_record *record = &r->thing.record;
	uint32_t device, launch;
	int64_t dur_ns;
	r->records++;
	if (!rocprof_process_rows_span(r, &r->kernel_times, &dur_ns))
		return true;
	r->used++;
	return rocprof_process_rows_agent(r, &record->agent, &device) &&
	       rocprof_process_rows_shape(r, &launch) &&
	       trace_kernel_add(r->trace,
		       &(struct kernel_row){
			       .process = (uint16_t)r->trace->processes_n,
			       .start_ns = record->start.value,
			       .dur_ns = dur_ns,
			       .device = (int32_t)device,
			       .stream = record->stream >= 0 ? record->stream
							     : record->queue,
			       .correlation = record->internal,
			       .external_id = -1,
			       .graph_id = record->kernel.kind == NUMBER_OK
						   ? record->kernel.value
						   : -1,
			       .graph_node = -1,
			       .launch = launch });
}

bool rocprof_copy_add(struct rocprof *r)
{
	const struct rocprof_record *record = &r->thing.record;
	uint32_t name, to, from;
	int64_t dur_ns;
	r->records++;
	if (!rocprof_process_rows_operation(r, &name) ||
		!rocprof_process_rows_span(r, &r->copy_times, &dur_ns))
		return true;
	r->used++;
	return rocprof_process_rows_agent(r, &record->dst, &to) &&
	       rocprof_process_rows_agent(r, &record->src, &from) &&
	       trace_copy_add(r->trace,
		       &(struct copy_row){
			       .process = (uint16_t)r->trace->processes_n,
			       .start_ns = record->start.value,
			       .dur_ns = dur_ns,
			       .name = name,
			       .device = (int32_t)to,
			       .stream = record->stream,
			       .correlation = record->internal,
			       .external_id = from,
			       .bytes = record->bytes });
}

bool rocprof_call_add(struct rocprof *r)
{
	const struct rocprof_record *record = &r->thing.record;
	uint32_t name, thread;
	int64_t dur_ns;
	r->records++;
	if (!rocprof_process_rows_operation(r, &name) ||
		!rocprof_process_rows_span(r, &r->call_times, &dur_ns))
		return true;
	r->used++;
	thread = rocm_thread(r->trace, record->thread);
	return thread != NAMES_NONE &&
	       trace_call_add(r->trace,
		       &(struct call_row){
			       .process = (uint16_t)r->trace->processes_n,
			       .start_ns = record->start.value,
			       .dur_ns = dur_ns,
			       .name = name,
			       .thread = thread,
			       .correlation = record->internal,
			       .external_id = -1 });
}

bool rocprof_range_add(struct rocprof *r)
{
	const struct rocprof_record *record = &r->thing.record;
	uint32_t name, thread;
	int64_t dur_ns;
	r->records++;
	if (!rocprof_process_rows_operation(r, &name) ||
		!rocprof_process_rows_span(r, &r->range_times, &dur_ns))
		return true;
	r->used++;
	thread = rocm_thread(r->trace, record->thread);
	const char *library = strcmp(r->section, "rccl_api") ? "roctx" : "rccl";
	uint32_t domain = names_put(&r->trace->names, library, strlen(library));
	return thread != NAMES_NONE && domain != NAMES_NONE &&
	       trace_range_add(r->trace,
		       &(struct range_row){
			       .process = (uint16_t)r->trace->processes_n,
			       .start_ns = record->start.value,
			       .dur_ns = dur_ns,
			       .name = name,
			       .kind = RANGE_ANNOTATION,
			       .thread = thread,
			       .domain = domain,
			       .id = record->internal,
			       .parent = -1 });
}

bool rocprof_other_add(struct rocprof *r)
{
	r->records++;
	note_add(&r->trace->notes, NOTE_record_kind, 1, r->section,
		strlen(r->section));
	return true;
}

/* HIP calls HSA for most of its work, and a kernel's record then names the HSA
 * call: only the callers of these are stored. */
bool rocprof_hsa_add(struct rocprof *r)
{
	const struct rocprof_record *record = &r->thing.record;
	rocprof_other_add(r);
	if (record->internal <= 0 || record->ancestor <= 0 ||
		record->internal == record->ancestor)
		return true;
	return rocm_map_put(&r->ancestors, record->internal, record->ancestor);
}

bool rocprof_init(struct rocprof *r, struct byte_window *w, struct trace *t)
{
	*r = (struct rocprof){ .trace = t, .json.window = w, .text.trace = t };
	rocprof_words_init(&r->words);
	struct rocm_map *const maps[] = { &r->numbers, &r->symbols, &r->names,
		&r->messages, &r->ancestors };
	for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
		maps[i]->arena = t->arena;
	struct rocm_times *const times[] = { &r->kernel_times, &r->copy_times,
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
	rocm_map_clear(&r->numbers);
	rocm_map_clear(&r->symbols);
	rocm_map_clear(&r->names);
	rocm_map_clear(&r->messages);
	rocm_map_clear(&r->ancestors);
	return true;
}

/* The id of a text as the file spells it. */
static uint32_t rocprof_process_text_of(struct rocprof *r, uint32_t raw)
{
	const struct name *n = &r->raw.list[raw];
	struct text_span s = { n->text, n->len, false };
	for (uint32_t i = 0; i < n->len && !s.escaped; i++)
		s.escaped =
			n->text[i] == '\\' || (unsigned char)n->text[i] < 0x20;
	return text_id(&r->text, &s);
}

/* The name that a number of `map` has; "what 7" if it has none. */
static uint32_t rocprof_process_named(struct rocprof *r, struct rocm_map *map,
	int64_t key, const char *what, int64_t number)
{
	int64_t raw;
	if (rocm_map_find(map, key, &raw))
		return rocprof_process_text_of(r, (uint32_t)raw);
	return rocm_numbered(r->trace, what, number);
}

static uint32_t rocprof_process_operation_name(struct rocprof *r,
	uint32_t operation, const char *what)
{
	return rocprof_process_named(r, &r->names, operation, what,
		operation & UINT16_MAX);
}

/* A device's number; the handle itself, which is one too, where the file does
 * not list the agent. */
static int32_t rocprof_process_device_of(struct rocprof *r, int64_t agent)
{
	int64_t handle, number;
	if (agent <= 0)
		return -1;
	memcpy(&handle, r->agents.list[agent].text, sizeof handle);
	return rocm_map_find(&r->numbers, handle, &number) ? (int32_t)number
							   : rocm_small(handle);
}

static bool rocprof_process_kernel_end(struct rocprof *r, uint32_t i)
{
	struct kernel_rows *k = &r->trace->kernel;
	struct launch_shape shape = { { -1, -1, -1 }, { -1, -1, -1 }, -1, -1 };
	int64_t symbol;
	if (k->launch[i])
		memcpy(&shape, r->shapes.list[k->launch[i]].text, sizeof shape);
	if (rocm_map_find(&r->symbols, k->graph_id[i], &symbol)) {
		shape.registers = (int32_t)(symbol >> 32);
		k->name[i] = rocprof_process_text_of(r, (uint32_t)symbol);
	} else {
		k->name[i] = rocm_numbered(r->trace, "kernel", k->graph_id[i]);
	}
	if (k->launch[i] || shape.registers >= 0)
		k->launch[i] = trace_launch_shape(r->trace, &shape);
	k->graph_id[i] = -1;
	k->device[i] = rocprof_process_device_of(r, k->device[i]);
	k->correlation[i] = rocm_map_follow(&r->ancestors, k->correlation[i]);
	return k->name[i] != NAMES_NONE && k->launch[i] != NAMES_NONE;
}

/* A copy belongs to the GPU that it writes to, or else to the one that it reads
 * from. */
static bool rocprof_process_copy_end(struct rocprof *r, uint32_t i)
{
	struct copy_rows *c = &r->trace->copy;
	int32_t to = rocprof_process_device_of(r, c->device[i]);
	c->device[i] =
		to >= 0 ? to : rocprof_process_device_of(r, c->external_id[i]);
	c->external_id[i] = -1;
	c->correlation[i] = rocm_map_follow(&r->ancestors, c->correlation[i]);
	c->name[i] =
		rocprof_process_operation_name(r, c->name[i], "memory_copy");
	return c->name[i] != NAMES_NONE;
}

/* Of the markers those are kept that last: not roctxMarkA() and the like. */
static bool rocprof_process_range_end(struct rocprof *r, uint32_t i, bool *keep)
{
	struct range_rows *g = &r->trace->range;
	struct names *ns = &r->trace->names;
	bool marker = !strcmp(names_text(ns, g->domain[i]), "roctx");
	uint32_t name = rocprof_process_operation_name(r, g->name[i],
		marker ? "marker_api" : "rccl_api");
	int64_t raw, correlation = g->id[i];
	*keep = true;
	g->id[i] = -1;
	g->name[i] = name;
	if (!marker || name == NAMES_NONE)
		return name != NAMES_NONE;
	const char *call = names_text(ns, name);
	enum rocm_marker what = rocm_marker_of(call);
	if (what == ROCM_MARK) {
		*keep = false;
		note_add(&r->trace->notes, NOTE_record_kind, 1, call,
			strlen(call));
		return true;
	}
	if (what == ROCM_LOOSE)
		g->kind[i] = RANGE_LOOSE;
	if (rocm_map_find(&r->messages, correlation, &raw))
		g->name[i] = rocprof_process_text_of(r, (uint32_t)raw);
	return g->name[i] != NAMES_NONE;
}

static bool rocprof_process_ranges_end(struct rocprof *r)
{
	struct range_rows *g = &r->trace->range;
	uint32_t to = r->ranges.from;
	bool keep;
#define COLUMN(type, field, what) g->field[to] = g->field[i];
	for (uint32_t i = to; i < g->n; i++) {
		if (!rocprof_process_range_end(r, i, &keep))
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

static bool rocprof_process_rows_end(struct rocprof *r)
{
	struct trace *t = r->trace;
	if (!rocm_map_sort(&r->numbers) || !rocm_map_sort(&r->symbols) ||
		!rocm_map_sort(&r->names) || !rocm_map_sort(&r->messages) ||
		!rocm_map_sort(&r->ancestors))
		return false;
	for (uint32_t i = r->kernels.from; i < t->kernel.n; i++)
		if (!rocprof_process_kernel_end(r, i))
			return false;
	for (uint32_t i = r->copies.from; i < t->copy.n; i++)
		if (!rocprof_process_copy_end(r, i))
			return false;
	for (uint32_t i = r->calls.from; i < t->call.n; i++) {
		t->call.name[i] = rocprof_process_operation_name(r,
			t->call.name[i], "hip_api");
		if (t->call.name[i] == NAMES_NONE)
			return false;
	}
	return rocprof_process_ranges_end(r);
}

/* Keeps the process, or drops its devices where it has no rows. */
static bool rocprof_process_keep(struct rocprof *r)
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
	return rocm_process_add(t, &r->processes_cap, &r->process) &&
	       fact_list_give(&r->facts, t->processes_n - 1);
}

bool rocprof_process_end(struct rocprof *r, struct err *e)
{
	r->open = false;
	return (rocprof_process_rows_end(r) && rocprof_process_keep(r)) ||
	       arena_err(r->trace->arena, e);
}
