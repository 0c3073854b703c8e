/* rocprof_rows.c - what a record becomes, until its process is over. */
#include "rocprof.h"

/* The id of an agent's handle; 0 where none is told. */
static bool agent(struct rocprof *r, const struct num *handle, uint32_t *id)
{
	*id = 0;
	if (handle->kind == NUM_OK)
		*id = names_put(&r->agents, (const char *)&handle->value,
			sizeof handle->value);
	return *id != NAMES_NONE;
}

static bool shape(struct rocprof *r, uint32_t *id)
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
static bool operation(struct rocprof *r, uint32_t *to)
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

static bool span(struct rocprof *r, struct roc_times *times, int64_t *dur_ns)
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
	if (!span(r, &r->kernel_times, &dur_ns))
		return true;
	r->used++;
	return agent(r, &record->agent, &device) && shape(r, &launch) &&
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
	if (!operation(r, &name) || !span(r, &r->copy_times, &dur_ns))
		return true;
	r->used++;
	return agent(r, &record->dst, &to) && agent(r, &record->src, &from) &&
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
	if (!operation(r, &name) || !span(r, &r->call_times, &dur_ns))
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
	if (!operation(r, &name) || !span(r, &r->range_times, &dur_ns))
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
