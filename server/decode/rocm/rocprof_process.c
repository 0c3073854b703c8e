/* rocprof_process.c - decodes one process of a rocprofv3 JSON file */
#include "rocprof_process.h"
#include "rocprof.h"
#include "rocprof_read.h"

/* the loops over fields, objects and strings. */

const char *fields_read(const struct fields *f, struct scan *s, const char *p,
	void *to)
{
	bool end;
	struct span key;
	if (*p != '{')
		return scan_skip(s, p, true);
	for (p = scan_first(s, p, &end); p && !end;
		p = p ? scan_next(s, p, &end) : NULL) {
		p = scan_key(s, p, &key);
		if (p)
			p = f->field(f, s, p,
				words_find(f->words, key.at, key.len), to);
	}
	return p;
}

const char *fields_inner(const struct fields *f, struct scan *s, const char *p,
	field_fn *field, void *to)
{
	struct fields g = { f->words, field };
	return fields_read(&g, s, p, to);
}

/* Behind what separates an item of a list from the next, or at its end. */
static const char *fields_next(struct scan *s, const char *p)
{
	p = scan_ws(p);
	if (*p == ',')
		return scan_ws(p + 1);
	return *p == ']' ? p : scan_stop(s, p);
}

static const char *fields_each(const struct fields *f, struct scan *s,
	const char *p, field_fn *field, void *to)
{
	if (*p != '[')
		return scan_skip(s, p, true);
	p = scan_ws(p + 1);
	while (p && *p != ']') {
		p = *p == '{' ? fields_inner(f, s, p, field, to)
			      : scan_skip(s, p, false);
		p = p ? fields_next(s, p) : NULL;
	}
	return p ? p + 1 : NULL;
}

const char *fields_number(struct scan *s, const char *p, int64_t *to)
{
	struct num n;
	p = num_int(s, p, &n);
	if (p && n.kind == NUM_OK && n.value >= 0)
		*to = n.value;
	return p;
}

/* The string at p, an item of a list that is not over, and the comma behind it:
 *
 *	for (p = scan_ws(p + 1); p && *p != ']';)
 *		p = fields_string(s, p, &text);
 *
 * What is no string gives an `at` of NULL. */
static const char *fields_string(struct scan *s, const char *p,
	struct span *text)
{
	const char *q = p;
	*text = (struct span){ 0 };
	if (*p != '"') {
		p = scan_skip(s, p, false);
		return p ? fields_next(s, p) : NULL;
	}
	q = scan_value(s, p + 1, false);
	if (!q)
		return NULL;
	*text = (struct span){ p + 1, (uint32_t)(q - p - 1), s->escaped };
	return fields_next(s, q + 1);
}

/* takes in what records refer to. */

/* The id of a text as it lies in the file; 0 where there is none. */
static bool rocprof_refer_raw(struct rocprof *r, const struct span *s,
	uint32_t *id)
{
	*id = s->at ? names_put(&r->raw, s->at, s->len) : 0;
	return *id != NAMES_NONE;
}

/* The name people know is the one the tool prints: demangled, and without the
 * ".kd" of its symbol. The tool's first symbol stands for "none". */
bool rocprof_symbol_add(struct rocprof *r)
{
	const struct rocprof_symbol *y = &r->thing.symbol;
	struct span name = y->formatted;
	uint32_t id;
	if (y->kernel.kind != NUM_OK || !y->name.len)
		return true;
	if (!name.len)
		name = y->demangled;
	if (!name.len)
		name = y->name;
	name.len = (uint32_t)roc_kernel_len(name.at, name.len);
	if (r->items.reader.quoted)
		note_add(&r->trace->notes, NOTE_name_quote, 1, name.at,
			name.len);
	return rocprof_refer_raw(r, &name, &id) &&
	       roc_map_put(&r->symbols, y->kernel.value,
		       roc_small(y->vgprs) * (INT64_C(1) << 32) + id);
}

/* Each list of operations is of the next kind; where one is lost, nobody knows
 * any more which the others are of. */
bool rocprof_operations_add(struct rocprof *r)
{
	const char *p = r->thing.operations.list;
	struct scan s = { .end = r->items.reader.window->end,
		.lenient = r->items.reader.quoted };
	int64_t kind = r->kinds, number = 0;
	if (kind < 0 || kind >= UINT16_MAX)
		return true;
	r->kinds++;
	p = p ? scan_ws(p + 1) : NULL;
	while (p && *p != ']' && number < UINT16_MAX) {
		struct span name;
		uint32_t id;
		p = fields_string(&s, p, &name);
		if (p && name.at &&
			(!rocprof_refer_raw(r, &name, &id) ||
				!roc_map_put(&r->names, kind << 16 | number,
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
	if (m->key.kind != NUM_OK || !m->value.at)
		return true;
	return rocprof_refer_raw(r, &m->value, &id) &&
	       roc_map_put(&r->messages, m->key.value, id);
}

bool rocprof_metadata_add(struct rocprof *r)
{
	const struct rocprof_metadata *m = &r->thing.metadata;
	struct span program = m->program;
	if (m->pid.kind == NUM_OK && m->pid.value >= 0)
		r->process.pid = m->pid.value;
	if (m->host.len)
		r->process.host = text_id(&r->text, &m->host);
	if (program.len) {
		size_t at = roc_program_at(program.at, program.len);
		program.at += at;
		program.len -= (uint32_t)at;
		r->process.name = text_id(&r->text, &program);
	}
	return r->process.host != NAMES_NONE && r->process.name != NAMES_NONE &&
	       roc_system_told(&r->facts, m->system.at, m->system.len,
		       m->release.at, m->release.len);
}

/* GPUs have the number the tool gives them among GPUs, which is HIP's. */
bool rocprof_agent_add(struct rocprof *r)
{
	const struct rocprof_agent *a = &r->thing.agent;
	enum { TYPE_CPU = 1, TYPE_GPU = 2 };
	struct device d = { .process = (int32_t)r->trace->processes_n,
		.number = roc_small(a->logical) };
	const struct span *name = a->product.len ? &a->product : &a->name;
	if (a->handle.kind != NUM_OK)
		return true;
	if (a->type != TYPE_GPU)
		return roc_map_put(&r->numbers, a->handle.value, -1) &&
		       (a->type != TYPE_CPU ||
			       fact_list_beside(&r->facts, "cpu", a->product.at,
				       a->product.len));
	roc_device_told(&d, a->cu_count, a->gfx, a->memory_bytes);
	if (d.number < 0)
		d.number = roc_small(a->gpu_index);
	if (d.number < 0)
		d.number = r->gpus;
	r->gpus++;
	if (name->len)
		d.name = text_id(&r->text, name);
	return d.name != NAMES_NONE &&
	       roc_clock_told(&r->facts, a->clock_mhz) &&
	       roc_map_put(&r->numbers, a->handle.value, d.number) &&
	       roc_device_add(r->trace, &r->devices_cap, &d);
}

/* what a record becomes, until its process is over. */

/* The id of an agent's handle; 0 where none is told. */
static bool rocprof_rows_agent(struct rocprof *r, const struct num *handle,
	uint32_t *id)
{
	*id = 0;
	if (handle->kind == NUM_OK)
		*id = names_put(&r->agents, (const char *)&handle->value,
			sizeof handle->value);
	return *id != NAMES_NONE;
}

static bool rocprof_rows_shape(struct rocprof *r, uint32_t *id)
{
	const struct rocprof_record *record = &r->thing.record;
	struct launch_shape s = { .registers = -1,
		.shared_bytes = roc_small(record->lds) };
	bool told = record->lds >= 0;
	for (int i = 0; i < 3; i++) {
		s.grid[i] = roc_blocks(record->grid[i], record->group[i]);
		s.block[i] = roc_small(record->group[i]);
		told |= s.grid[i] >= 0 || s.block[i] >= 0;
	}
	*id = told ? names_put(&r->shapes, (const char *)&s, sizeof s) : 0;
	return *id != NAMES_NONE;
}

/* Whether the record has an operation, and which; notes it where not. */
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

static bool rocprof_rows_span(struct rocprof *r, struct roc_times *times,
	int64_t *dur_ns)
{
	return roc_span(times, r->thing.record.start, r->thing.record.end,
		r->section, dur_ns);
}

bool rocprof_kernel_add(struct rocprof *r)
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
			       .graph_id = record->kernel.kind == NUM_OK
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

bool rocprof_call_add(struct rocprof *r)
{
	const struct rocprof_record *record = &r->thing.record;
	uint32_t name, thread;
	int64_t dur_ns;
	r->records++;
	if (!rocprof_rows_operation(r, &name) ||
		!rocprof_rows_span(r, &r->call_times, &dur_ns))
		return true;
	r->used++;
	thread = roc_thread(r->trace, record->thread);
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
	if (!rocprof_rows_operation(r, &name) ||
		!rocprof_rows_span(r, &r->range_times, &dur_ns))
		return true;
	r->used++;
	thread = roc_thread(r->trace, record->thread);
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

/* HIP calls HSA for most of what it does, and a kernel is then told to be the
 * HSA call's: only whose those are is kept. */
bool rocprof_hsa_add(struct rocprof *r)
{
	const struct rocprof_record *record = &r->thing.record;
	rocprof_other_add(r);
	if (record->internal <= 0 || record->ancestor <= 0 ||
		record->internal == record->ancestor)
		return true;
	return roc_map_put(&r->ancestors, record->internal, record->ancestor);
}

/* what records refer to: agents, names, the process. */

void rocprof_words_init(struct words *w)
{
	*w = (struct words){ 0 };
#define KEY(name, text) words_add(w, text, ROCPROF_##name);
#include "rocprof.def"
#undef KEY
}

static const char *rocprof_told_handle_field(const struct fields *f,
	struct scan *s, const char *p, uint32_t k, void *to)
{
	(void)f;
	return k == ROCPROF_HANDLE ? num_int(s, p, to) : scan_skip(s, p, true);
}

const char *rocprof_handle(const struct fields *f, struct scan *s,
	const char *p, struct num *to)
{
	return *p == '{' ? fields_inner(f, s, p, rocprof_told_handle_field, to)
			 : num_int(s, p, to);
}

static const char *rocprof_told_bank_field(const struct fields *f,
	struct scan *s, const char *p, uint32_t k, void *to)
{
	int64_t *bytes = to, more = 0;
	(void)f;
	if (k != ROCPROF_SIZE_IN_BYTES)
		return scan_skip(s, p, true);
	p = fields_number(s, p, &more);
	if (p && !__builtin_add_overflow(*bytes < 0 ? 0 : *bytes, more, bytes))
		return p;
	*bytes = -1;
	return p;
}

static const char *rocprof_told_agent_field(const struct fields *f,
	struct scan *s, const char *p, uint32_t k, void *to)
{
	struct rocprof_agent *a = to;
	switch (k) {
	case ROCPROF_ID:
		return rocprof_handle(f, s, p, &a->handle);
	case ROCPROF_TYPE:
		return fields_number(s, p, &a->type);
	case ROCPROF_LOGICAL_TYPE:
		return fields_number(s, p, &a->logical);
	case ROCPROF_GPU_INDEX:
		return fields_number(s, p, &a->gpu_index);
	case ROCPROF_CU_COUNT:
		return fields_number(s, p, &a->cu_count);
	case ROCPROF_GFX_VERSION:
		return fields_number(s, p, &a->gfx);
	case ROCPROF_MAX_CLOCK:
		return fields_number(s, p, &a->clock_mhz);
	case ROCPROF_MEM_BANKS:
		return fields_each(f, s, p, rocprof_told_bank_field,
			&a->memory_bytes);
	case ROCPROF_NAME:
		return scan_text(s, p, &a->name);
	case ROCPROF_PRODUCT:
		return scan_text(s, p, &a->product);
	default:
		return scan_skip(s, p, true);
	}
}

const char *rocprof_agent(struct scan *s, const struct words *w, const char *p,
	union rocprof_thing *t)
{
	struct fields f = { w, rocprof_told_agent_field };
	t->agent = (struct rocprof_agent){ .type = -1,
		.logical = -1,
		.gpu_index = -1,
		.cu_count = -1,
		.gfx = -1,
		.memory_bytes = -1,
		.clock_mhz = -1 };
	return fields_read(&f, s, p, &t->agent);
}

static const char *rocprof_told_operations_field(const struct fields *f,
	struct scan *s, const char *p, uint32_t k, void *to)
{
	struct rocprof_operations *o = to;
	(void)f;
	if (k == ROCPROF_KIND)
		return scan_text(s, p, &o->kind);
	const char *q = scan_skip(s, p, true);
	if (q && k == ROCPROF_OPERATIONS && *p == '[')
		o->list = p;
	return q;
}

const char *rocprof_operations(struct scan *s, const struct words *w,
	const char *p, union rocprof_thing *t)
{
	struct fields f = { w, rocprof_told_operations_field };
	t->operations = (struct rocprof_operations){ 0 };
	return fields_read(&f, s, p, &t->operations);
}

static const char *rocprof_told_entry_field(const struct fields *f,
	struct scan *s, const char *p, uint32_t k, void *to)
{
	struct rocprof_entry *m = to;
	(void)f;
	if (k == ROCPROF_MAP_KEY)
		return num_int(s, p, &m->key);
	if (k == ROCPROF_MAP_VALUE)
		return scan_text(s, p, &m->value);
	return scan_skip(s, p, true);
}

const char *rocprof_entry(struct scan *s, const struct words *w, const char *p,
	union rocprof_thing *t)
{
	struct fields f = { w, rocprof_told_entry_field };
	t->entry = (struct rocprof_entry){ 0 };
	return fields_read(&f, s, p, &t->entry);
}

static const char *rocprof_told_node_field(const struct fields *f,
	struct scan *s, const char *p, uint32_t k, void *to)
{
	struct rocprof_metadata *m = to;
	(void)f;
	switch (k) {
	case ROCPROF_HOST:
		return scan_text(s, p, &m->host);
	case ROCPROF_SYSTEM:
		return scan_text(s, p, &m->system);
	case ROCPROF_RELEASE:
		return scan_text(s, p, &m->release);
	default:
		return scan_skip(s, p, true);
	}
}

/* The first word of a command. */
static const char *rocprof_told_command(struct scan *s, const char *p,
	struct span *program)
{
	struct span more;
	if (*p != '[')
		return scan_text(s, p, program);
	p = scan_ws(p + 1);
	if (*p != ']')
		p = fields_string(s, p, program);
	while (p && *p != ']')
		p = fields_string(s, p, &more);
	return p ? p + 1 : NULL;
}

static const char *rocprof_told_metadata_field(const struct fields *f,
	struct scan *s, const char *p, uint32_t k, void *to)
{
	struct rocprof_metadata *m = to;
	switch (k) {
	case ROCPROF_NODE:
		return fields_inner(f, s, p, rocprof_told_node_field, m);
	case ROCPROF_HOST:
		return scan_text(s, p, &m->host);
	case ROCPROF_PID:
		return num_int(s, p, &m->pid);
	case ROCPROF_COMMAND:
		return rocprof_told_command(s, p, &m->program);
	default:
		return scan_skip(s, p, true);
	}
}

const char *rocprof_metadata(struct scan *s, const struct words *w,
	const char *p, union rocprof_thing *t)
{
	struct fields f = { w, rocprof_told_metadata_field };
	t->metadata = (struct rocprof_metadata){ 0 };
	return fields_read(&f, s, p, &t->metadata);
}

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
static uint32_t rocprof_process_text_of(struct rocprof *r, uint32_t raw)
{
	const struct name *n = &r->raw.list[raw];
	struct span s = { n->text, n->len, false };
	for (uint32_t i = 0; i < n->len && !s.escaped; i++)
		s.escaped =
			n->text[i] == '\\' || (unsigned char)n->text[i] < 0x20;
	return text_id(&r->text, &s);
}

/* What a number of `map` stands for; "what 7" where nobody tells. */
static uint32_t rocprof_process_named(struct rocprof *r, struct roc_map *map,
	int64_t key, const char *what, int64_t number)
{
	int64_t raw;
	if (roc_map_find(map, key, &raw))
		return rocprof_process_text_of(r, (uint32_t)raw);
	return roc_numbered(r->trace, what, number);
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
	return roc_map_find(&r->numbers, handle, &number) ? (int32_t)number
							  : roc_small(handle);
}

static bool rocprof_process_kernel_end(struct rocprof *r, uint32_t i)
{
	struct kernel_rows *k = &r->trace->kernel;
	struct launch_shape shape = { { -1, -1, -1 }, { -1, -1, -1 }, -1, -1 };
	int64_t symbol;
	if (k->launch[i])
		memcpy(&shape, r->shapes.list[k->launch[i]].text, sizeof shape);
	if (roc_map_find(&r->symbols, k->graph_id[i], &symbol)) {
		shape.registers = (int32_t)(symbol >> 32);
		k->name[i] = rocprof_process_text_of(r, (uint32_t)symbol);
	} else {
		k->name[i] = roc_numbered(r->trace, "kernel", k->graph_id[i]);
	}
	if (k->launch[i] || shape.registers >= 0)
		k->launch[i] = trace_launch_shape(r->trace, &shape);
	k->graph_id[i] = -1;
	k->device[i] = rocprof_process_device_of(r, k->device[i]);
	k->correlation[i] = roc_map_follow(&r->ancestors, k->correlation[i]);
	return k->name[i] != NAMES_NONE && k->launch[i] != NAMES_NONE;
}

/* A copy is the GPU's that it goes to, else the one's it comes from. */
static bool rocprof_process_copy_end(struct rocprof *r, uint32_t i)
{
	struct copy_rows *c = &r->trace->copy;
	int32_t to = rocprof_process_device_of(r, c->device[i]);
	c->device[i] =
		to >= 0 ? to : rocprof_process_device_of(r, c->external_id[i]);
	c->external_id[i] = -1;
	c->correlation[i] = roc_map_follow(&r->ancestors, c->correlation[i]);
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
	if (!roc_map_sort(&r->numbers) || !roc_map_sort(&r->symbols) ||
		!roc_map_sort(&r->names) || !roc_map_sort(&r->messages) ||
		!roc_map_sort(&r->ancestors))
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
	return roc_process_add(t, &r->processes_cap, &r->process) &&
	       fact_list_give(&r->facts, t->processes_n - 1);
}

bool rocprof_process_end(struct rocprof *r, struct err *e)
{
	r->open = false;
	return (rocprof_process_rows_end(r) && rocprof_process_keep(r)) ||
	       arena_err(r->trace->arena, e);
}
