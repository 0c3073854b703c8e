/* rocprof.c - decodes rocprofv3 JSON files */
#include "finish.h"
#include "format.h"
#include "json_reader.h"
#include "rocm.h"
#include "rocprof_read.h"

/* The processes of the file, one after the other.
 *
 * A record refers to a kernel's name, an agent, an operation or a marker's
 * message, which may come before or after it in the file. A row contains the
 * file's numbers until its process has been read; rocprof_process_end() then
 * replaces them. Until then
 *
 *         kernel  graph_id is the kernel's id, device an id of `agents`,
 *                 launch an id of `shapes`
 *         copy    name is an operation, device and external_id are ids of
 *                 `agents` (to, from)
 *         call    name is an operation
 *         range   name is an operation, id the correlation its message has
 *
 * where an operation is its kind << 16 | its number. */

enum { ROCPROF_PROCESSES_MAX = 16384 };

struct rocprof {
	struct trace *trace;
	struct json_reader json;
	struct word_table words;
	struct text text;
	int64_t records, used; /* of any kind; became a row */

	union rocprof_thing thing; /* the object that is being read */
	char section[32]; /* the key of the list that contains it */

	/* Values of the process that is being read: */
	bool open;
	struct process process;
	struct slice kernels, copies, calls, ranges; /* its rows; `from` */
	int64_t kinds; /* lists of operations so far, -1: one was broken */
	int32_t gpus; /* so far, for those without a number */
	struct fact_list facts;
	struct names raw; /* texts as the file spells them, of all */
	struct names agents, shapes; /* met in rows, of all */
	struct rocm_map numbers; /* agent → device, -1 the host */
	struct rocm_map symbols; /* kernel → vgprs << 32 | id of raw */
	struct rocm_map names; /* operation → id of raw */
	struct rocm_map messages; /* correlation → id of raw */
	struct rocm_map ancestors; /* correlation of an HSA call → its caller */
	struct rocm_times kernel_times, copy_times, call_times, range_times;
	uint32_t processes_cap, devices_cap;
};

/* Stores the objects that records refer to.
 *
 * The object that was read last becomes a row, or is kept for records that
 * refer to it, or is counted as unused. False if the arena is full. */

/* The id of a text, unchanged from the file; 0 if there is none. */
static bool rocprof_refer_raw(struct rocprof *r, const struct text_span *s,
	uint32_t *id)
{
	*id = s->at ? names_put(&r->raw, s->at, s->len) : 0;
	return *id != NAMES_NONE;
}

/* The kernel's name is the one that the tool prints: demangled, and without the
 * ".kd" of its symbol. The tool's first symbol means "none". */
static bool rocprof_symbol_add(struct rocprof *r)
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
	name.len = (uint32_t)text_kernel_len(name.at, name.len);
	if (r->json.quoted)
		note_add(&r->trace->notes, NOTE_name_quote, 1, name.at,
			name.len);
	return rocprof_refer_raw(r, &name, &id) &&
	       rocm_map_put(&r->symbols, y->kernel.value,
		       rocm_small(y->vgprs) * (INT64_C(1) << 32) + id);
}

/* Each list of operations belongs to the next kind. After a lost list, the
 * kinds of the other lists are unknown. */
static bool rocprof_operations_add(struct rocprof *r)
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
			(!rocprof_refer_raw(r, &name, &id) ||
				!rocm_map_put(&r->names, kind << 16 | number,
					id)))
			return false;
		number++;
	}
	return true;
}

static bool rocprof_message_add(struct rocprof *r)
{
	const struct rocprof_entry *m = &r->thing.entry;
	uint32_t id;
	if (m->key.kind != NUMBER_OK || !m->value.at)
		return true;
	return rocprof_refer_raw(r, &m->value, &id) &&
	       rocm_map_put(&r->messages, m->key.value, id);
}

static bool rocprof_metadata_add(struct rocprof *r)
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

/* A GPU's number is the tool's number among GPUs, which equals HIP's. */
static bool rocprof_agent_add(struct rocprof *r)
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
	d.bus_id = rocm_bus_id(r->trace, a->pci_domain, a->pci_location);
	if (d.number < 0)
		d.number = rocm_small(a->gpu_index);
	if (d.number < 0)
		d.number = r->gpus;
	r->gpus++;
	if (name->len)
		d.name = text_id(&r->text, name);
	return d.name != NAMES_NONE && d.bus_id != NAMES_NONE &&
	       rocm_clock_fact(&r->facts, a->clock_mhz) &&
	       rocm_map_put(&r->numbers, a->handle.value, d.number) &&
	       rocm_device_add(r->trace, &r->devices_cap, &d);
}

/* The rows that records become until their process has been read. */

/* The id of an agent's handle; 0 if the record has none. */
static bool rocprof_rows_agent(struct rocprof *r, const struct number *handle,
	uint32_t *id)
{
	*id = 0;
	if (handle->kind == NUMBER_OK)
		*id = names_put(&r->agents, (const char *)&handle->value,
			sizeof handle->value);
	return *id != NAMES_NONE;
}

static bool rocprof_rows_shape(struct rocprof *r, uint32_t *id)
{
	const struct rocprof_record *record = &r->thing.record;
	struct launch_shape s = { .registers = -1,
		.shared_bytes = rocm_small(record->lds) };
	bool known = record->lds >= 0;
	for (int i = 0; i < 3; i++) {
		s.grid[i] = rocm_blocks(record->grid[i], record->group[i]);
		s.block[i] = rocm_small(record->group[i]);
		known |= s.grid[i] >= 0 || s.block[i] >= 0;
	}
	*id = known ? names_put(&r->shapes, (const char *)&s, sizeof s) : 0;
	return *id != NAMES_NONE;
}

/* Whether the record has an operation, and which one; notes it if not. */
static bool rocprof_rows_operation(struct rocprof *r, uint32_t *to)
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

static bool rocprof_rows_span(struct rocprof *r, struct rocm_times *times,
	int64_t *dur_ns)
{
	return rocm_span(times, r->thing.record.start, r->thing.record.end,
		r->section, dur_ns);
}

static bool rocprof_kernel_add(struct rocprof *r)
{
	const struct rocprof_record *record = &r->thing.record;
	uint32_t device, launch;
	int64_t dur_ns;
	r->records++;
	if (!rocprof_rows_span(r, &r->kernel_times, &dur_ns))
		return true;
	r->used++;
	return rocprof_rows_agent(r, &record->agent, &device) &&
	       rocprof_rows_shape(r, &launch) &&
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

static bool rocprof_copy_add(struct rocprof *r)
{
	const struct rocprof_record *record = &r->thing.record;
	uint32_t name, to, from;
	int64_t dur_ns;
	r->records++;
	if (!rocprof_rows_operation(r, &name) ||
		!rocprof_rows_span(r, &r->copy_times, &dur_ns))
		return true;
	r->used++;
	return rocprof_rows_agent(r, &record->dst, &to) &&
	       rocprof_rows_agent(r, &record->src, &from) &&
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

static bool rocprof_call_add(struct rocprof *r)
{
	const struct rocprof_record *record = &r->thing.record;
	uint32_t name, thread;
	int64_t dur_ns;
	r->records++;
	if (!rocprof_rows_operation(r, &name) ||
		!rocprof_rows_span(r, &r->call_times, &dur_ns))
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

static bool rocprof_range_add(struct rocprof *r)
{
	const struct rocprof_record *record = &r->thing.record;
	uint32_t name, thread;
	int64_t dur_ns;
	r->records++;
	if (!rocprof_rows_operation(r, &name) ||
		!rocprof_rows_span(r, &r->range_times, &dur_ns))
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

static bool rocprof_other_add(struct rocprof *r)
{
	r->records++;
	note_add(&r->trace->notes, NOTE_record_kind, 1, r->section,
		strlen(r->section));
	return true;
}

/* HIP calls HSA for most of its work, and a kernel's record then names the HSA
 * call. Only the callers of HSA calls are stored. */
static bool rocprof_hsa_add(struct rocprof *r)
{
	const struct rocprof_record *record = &r->thing.record;
	rocprof_other_add(r);
	if (record->internal <= 0 || record->ancestor <= 0 ||
		record->internal == record->ancestor)
		return true;
	return rocm_map_put(&r->ancestors, record->internal, record->ancestor);
}

static bool rocprof_init(struct rocprof *r, struct byte_window *w,
	struct trace *t)
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

/* The id of a text, unchanged from the file. */
static uint32_t rocprof_process_text_of(struct rocprof *r, uint32_t raw)
{
	const struct name *n = &r->raw.list[raw];
	struct text_span s = { n->text, n->len, false };
	for (uint32_t i = 0; i < n->len && !s.escaped; i++)
		s.escaped =
			n->text[i] == '\\' || (unsigned char)n->text[i] < 0x20;
	return text_id(&r->text, &s);
}

/* The name of a number in `map`; "what 7" if it has none. */
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

/* A device's number. If the file does not list the agent, the number is the
 * handle itself. */
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

/* Of the markers, only those with a duration are stored: not roctxMarkA() and
 * the like. */
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

/* Keeps the process, or drops its devices if it has no rows. */
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

/* At the end of a process, replaces the file's numbers in its rows. A process
 * without rows is dropped with its devices. False with *e if the arena is
 * full. */
static bool rocprof_process_end(struct rocprof *r, struct err *e)
{
	r->open = false;
	return (rocprof_process_rows_end(r) && rocprof_process_keep(r)) ||
	       arena_err(r->trace->arena, e);
}

/* Begins a process, after ending one that is still open. In a damaged file, the
 * list of processes may begin inside a process; its rows would otherwise keep
 * numbers of the file instead of ids of names. False with *e if the arena is
 * full or there are too many processes. */
static bool rocprof_process_begin(struct rocprof *r, struct err *e)
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

/* Reads the text of the file: its positions, lists and damage. */

enum rocprof_place {
	ROCPROF_AT_END, /* behind the last bracket, or unknown */
	ROCPROF_AT_TOP,
	ROCPROF_AT_TOOLS, /* the value is a list; the others are objects */
	ROCPROF_AT_TOOL,
	ROCPROF_AT_STRINGS,
	ROCPROF_AT_CALLBACK,
	ROCPROF_AT_BUFFER,
};

/* A list that is used: how an object in it is read, and what the object
 * becomes. */
struct rocprof_list {
	enum rocprof_place at;
	enum rocprof_key key;
	rocprof_read_fn *read;
	bool (*add)(struct rocprof *r);
};

/* Looks up the lists of rocprof.def. */

static const struct enter {
	enum rocprof_place at;
	enum rocprof_key key;
	enum rocprof_place inside;
} enters[] = {
#define ENTER(at, key, inside) \
	{ ROCPROF_AT_##at, ROCPROF_##key, ROCPROF_AT_##inside },
#include "rocprof.def"
#undef ENTER
};

static const struct rocprof_list lists[] = {
#define LIST(at, key, read, add) \
	{ ROCPROF_AT_##at, ROCPROF_##key, rocprof_##read, rocprof_##add },
#include "rocprof.def"
#undef LIST
};
enum {
	ENTERS = sizeof enters / sizeof *enters,
	LISTS = sizeof lists / sizeof *lists
};

static enum rocprof_place rocprof_json_around(enum rocprof_place at)
{
	static const enum rocprof_place around[] = {
		[ROCPROF_AT_TOP] = ROCPROF_AT_END,
		[ROCPROF_AT_TOOLS] = ROCPROF_AT_TOP,
		[ROCPROF_AT_TOOL] = ROCPROF_AT_TOOLS,
		[ROCPROF_AT_STRINGS] = ROCPROF_AT_TOOL,
		[ROCPROF_AT_CALLBACK] = ROCPROF_AT_TOOL,
		[ROCPROF_AT_BUFFER] = ROCPROF_AT_TOOL,
	};
	return around[at];
}

/* The position inside the value of a key, if `bracket` is the value's expected
 * first byte; otherwise AT_END. */
static enum rocprof_place rocprof_json_inside(enum rocprof_place at,
	enum rocprof_key k, char bracket)
{
	for (int i = 0; i < ENTERS; i++) {
		enum rocprof_place in = enters[i].inside;
		char opens = in == ROCPROF_AT_TOOLS ? '[' : '{';
		if (enters[i].at == at && enters[i].key == k &&
			bracket == opens)
			return in;
	}
	return ROCPROF_AT_END;
}

/* The list that a key's value is, if it is used; otherwise NULL. */
static const struct rocprof_list *rocprof_json_list_of(enum rocprof_place at,
	enum rocprof_key k)
{
	for (int i = 0; i < LISTS; i++)
		if (lists[i].at == at && lists[i].key == k)
			return &lists[i];
	return NULL;
}

/* The key at p, which is a quote, if it is a key around records and a bracket
 * follows it; *bracket is that bracket. Otherwise ROCPROF_NONE. */
static enum rocprof_key rocprof_json_section_at(const struct word_table *w,
	const char *p, const char *end, char *bracket)
{
	struct scan s = { .end = end };
	struct text_span key;
	p = scan_key(&s, p, &key);
	*bracket = p ? *p : 0;
	if (*bracket != '[' && *bracket != '{')
		return ROCPROF_NONE;
	enum rocprof_key k = word_table_find(w, key.at, key.len);
	return k >= ROCPROF_TOOLS ? k : ROCPROF_NONE;
}

/* The position of such a key, if the key alone decides it. If a key occurs at
 * two positions, the position of records is returned. */
static enum rocprof_place rocprof_json_place_of(enum rocprof_key k,
	char bracket)
{
	enum rocprof_place at = ROCPROF_AT_TOOL;
	for (int i = 0; i < LISTS && bracket == '['; i++)
		if (lists[i].key == k)
			at = lists[i].at;
	return k == ROCPROF_TOOLS ? ROCPROF_AT_TOP : at;
}

struct rocprof_file {
	struct rocprof r;
	struct json_list_kind kind;
	enum rocprof_place at;
	enum rocprof_key key; /* the key whose value is being read */
	const struct rocprof_list
		*list; /* being read; NULL: records not kept */
};

static const char *rocprof_json_read_key(void *ctx, struct scan *s,
	const char *p)
{
	struct rocprof_file *f = ctx;
	struct text_span key;
	p = scan_key(s, p, &key);
	if (!p)
		return NULL;
	f->key = word_table_find(&f->r.words, key.at, key.len);
	snprintf(f->r.section, sizeof f->r.section, "%.*s", (int)key.len,
		key.at);
	return p;
}

static const char *rocprof_json_read_thing(void *ctx, struct scan *s,
	const char *p)
{
	struct rocprof_file *f = ctx;
	return f->list ? f->list->read(s, &f->r.words, p, &f->r.thing)
		       : scan_skip(s, p, false);
}

static const char *rocprof_json_read_metadata(void *ctx, struct scan *s,
	const char *p)
{
	struct rocprof_file *f = ctx;
	return rocprof_metadata(s, &f->r.words, p, &f->r.thing);
}

static const char *rocprof_json_read_other(void *ctx, struct scan *s,
	const char *p)
{
	(void)ctx;
	return scan_skip(s, p, true);
}

static bool rocprof_json_use(void *ctx, struct err *e)
{
	struct rocprof_file *f = ctx;
	return (f->list ? f->list->add(&f->r) : rocprof_other_add(&f->r)) ||
	       arena_err(f->r.trace->arena, e);
}

static void rocprof_json_bad(void *ctx, const char *what, size_t len)
{
	struct rocprof_file *f = ctx;
	f->r.records++;
	if (f->at == ROCPROF_AT_STRINGS && f->key == ROCPROF_BUFFER)
		f->r.kinds = -1;
	note_add(&f->r.trace->notes, NOTE_bad_event, 1, what, len);
}

static bool rocprof_json_metadata(struct rocprof_file *f,
	enum json_reading *got, struct err *e)
{
	*got = json_reader_read(&f->r.json, rocprof_json_read_metadata, f,
		false, e);
	return *got != READ || rocprof_metadata_add(&f->r) ||
	       arena_err(f->r.trace->arena, e);
}

/* Reads the value of f->key. READ_ERR with *e. */
static enum json_reading rocprof_json_value(struct rocprof_file *f,
	struct err *e)
{
	struct json_reader *r = &f->r.json;
	enum json_reading got;
	char c;
	if (!json_reader_token(r, &c, e))
		return READ_ERR;
	enum rocprof_place in = rocprof_json_inside(f->at, f->key, c);
	f->list = rocprof_json_list_of(f->at, f->key);
	if (in != ROCPROF_AT_END) {
		r->window->at++;
		f->at = in;
		return READ;
	}
	if (c == '[' && (f->list || f->at == ROCPROF_AT_BUFFER ||
				f->at == ROCPROF_AT_CALLBACK)) {
		r->window->at++;
		return json_reader_list(&f->r.json, &f->kind, f, e) ? READ
								    : READ_ERR;
	}
	if (c == '{' && f->at == ROCPROF_AT_TOOL &&
		f->key == ROCPROF_METADATA && json_reader_patient(r)) {
		if (!rocprof_json_metadata(f, &got, e))
			return READ_ERR;
		if (got != READ_LONG)
			return got;
	}
	if (c && strchr("[{\"", c))
		return byte_window_skip(r->window, e) ? READ : READ_ERR;
	return json_reader_read(r, rocprof_json_read_other, f, false, e);
}

/* Moves to the next key around records; false with *e, or with `cut` set if
 * there is none. */
static bool rocprof_json_resync_section(struct rocprof_file *f,
	enum rocprof_key *k, char *bracket, struct err *e)
{
	/* room for the longest key and the bytes after it */
	enum { KEY_ROOM = 64 };
	struct byte_window *w = f->r.json.window;
	for (;; w->at++) {
		if (w->end - w->at < KEY_ROOM &&
			byte_window_more(w, e) == WINDOW_ERR)
			return false;
		f->r.json.cut = w->at >= w->end;
		if (f->r.json.cut)
			return false;
		*k = *w->at == '"' ? rocprof_json_section_at(&f->r.words, w->at,
					     w->end, bracket)
				   : ROCPROF_NONE;
		if (*k)
			return true;
	}
}

/* A value around the records cannot be read: continues at the next list of
 * records. */
static bool rocprof_json_broken(struct rocprof_file *f, struct err *e)
{
	struct json_reader *r = &f->r.json;
	int64_t from = json_reader_offset(r);
	enum rocprof_key k = ROCPROF_NONE;
	char bracket = 0;
	r->window->at++;
	bool found = rocprof_json_resync_section(f, &k, &bracket, e);
	note_add(&f->r.trace->notes, NOTE_json_garbage,
		json_reader_offset(r) - from, NULL, 0);
	if (!found)
		return f->r.json.cut;
	f->at = rocprof_json_place_of(k, bracket);
	return f->at == ROCPROF_AT_TOP || f->r.open ||
	       rocprof_process_begin(&f->r, e);
}

/* Handles a bracket that closes the current position. */
static bool rocprof_json_leave(struct rocprof_file *f, struct err *e)
{
	enum rocprof_place left = f->at;
	f->r.json.window->at++;
	f->at = rocprof_json_around(left);
	return left != ROCPROF_AT_TOOL || !f->r.open ||
	       rocprof_process_end(&f->r, e);
}

/* Reads the next value in the list of processes. */
static bool rocprof_json_tool(struct rocprof_file *f, char first, struct err *e)
{
	struct json_reader *r = &f->r.json;
	if (first == '{') {
		r->window->at++;
		f->at = ROCPROF_AT_TOOL;
		return rocprof_process_begin(&f->r, e);
	}
	rocprof_json_bad(f, "not a process", strlen("not a process"));
	if (strchr("[\"", first))
		return byte_window_skip(r->window, e);
	enum json_reading got =
		json_reader_read(r, rocprof_json_read_other, f, false, e);
	f->r.json.cut |= got == READ_CUT;
	return got == READ_BROKEN || got == READ_LONG
		       ? rocprof_json_broken(f, e)
		       : got != READ_ERR;
}

static bool rocprof_json_field(struct rocprof_file *f, struct err *e)
{
	enum json_reading got = json_reader_read(&f->r.json,
		rocprof_json_read_key, f, false, e);
	if (got == READ)
		got = rocprof_json_value(f, e);
	f->r.json.cut |= got == READ_CUT;
	return got == READ_BROKEN || got == READ_LONG
		       ? rocprof_json_broken(f, e)
		       : got != READ_ERR;
}

static bool rocprof_json_text(struct rocprof_file *f, struct err *e)
{
	struct json_reader *r = &f->r.json;
	char c;
	while (f->at != ROCPROF_AT_END && !f->r.json.cut) {
		bool ok = true;
		if (!json_reader_token(r, &c, e))
			return false;
		if (r->window->at >= r->window->end)
			f->r.json.cut = true;
		else if (c == ',')
			r->window->at++;
		else if (c == '}' || c == ']')
			ok = rocprof_json_leave(f, e);
		else
			ok = f->at == ROCPROF_AT_TOOLS
				     ? rocprof_json_tool(f, c, e)
				     : rocprof_json_field(f, e);
		if (!ok)
			return false;
	}
	return !f->r.open || rocprof_process_end(&f->r, e);
}

/* Explains why a file without a single usable row is rejected. */
static bool rocprof_json_useless(const struct rocprof_file *f, struct err *e)
{
	if (json_reader_end_explains(&f->r.json, f->r.records, "record", e))
		return false;
	if (f->r.records == 0)
		return err_set(e, ERR_TRACE,
			"this rocprofv3 JSON holds no records; run the "
			"program with rocprofv3 --sys-trace");
	return err_set(e, ERR_TRACE,
		"none of the %lld records of this rocprofv3 JSON is a kernel, "
		"copy, HIP call or marker that could be read; run the program "
		"with rocprofv3 --sys-trace",
		(long long)f->r.records);
}

static bool rocprof_json_finish(struct rocprof_file *f, struct err *e)
{
	struct trace *t = f->r.trace;
	if (f->r.used == 0)
		return rocprof_json_useless(f, e);
	json_reader_note_cut(&f->r.json, t);
	if (t->processes_n > 1)
		note_add(&t->notes, NOTE_fused, t->processes_n, NULL, 0);
	t->format = "rocprofv3";
	finish_rebase(t);
	return true;
}

bool rocprof_json_decode(struct byte_window *w, struct trace *t, struct err *e)
{
	struct rocprof_file *f = arena_new(t->arena, struct rocprof_file);
	if (!f || !rocprof_init(&f->r, w, t))
		return arena_err(t->arena, e);
	f->kind = (struct json_list_kind){
		.keys = { &f->r.words, ROCPROF_SIZE, ROCPROF_BYTES,
			ROCPROF_TOOLS },
		.read = rocprof_json_read_thing,
		.use = rocprof_json_use,
		.bad = rocprof_json_bad,
	};
	f->at = ROCPROF_AT_TOP;
	if (w->end - w->at >= 3 && !memcmp(w->at, "\xEF\xBB\xBF", 3))
		w->at += 3;
	char c;
	if (!json_reader_token(&f->r.json, &c, e))
		return false;
	w->at++;
	return rocprof_json_text(f, e) && json_reader_end(&f->r.json, t, e) &&
	       rocprof_json_finish(f, e);
}
