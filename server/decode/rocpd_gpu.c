/* rocpd_gpu.c - dispatches and copies; what else there is, counted. */
#include "rocpd.h"

enum {
	KERNEL = ROCPD_PLACES,
	LDS,
	GROUP_X,
	GROUP_Y,
	GROUP_Z,
	GRID_X,
	GRID_Y,
	GRID_Z,
	DISPATCH_COLUMNS
};
static const struct sqlite_column dispatches[] = {
	ROCPD_PLACE,
	{ "kernel_id", true },
	{ "group_segment_size", false },
	{ "workgroup_size_x", false },
	{ "workgroup_size_y", false },
	{ "workgroup_size_z", false },
	{ "grid_size_x", false },
	{ "grid_size_y", false },
	{ "grid_size_z", false },
};

/* A device's number; the agent's own where the file does not tell. */
static int32_t device_of(struct rocpd *r, int64_t agent)
{
	int64_t number;
	if (agent < 0)
		return -1;
	return rocpd_find(r, ROCPD_AGENTS, agent, &number) ? (int32_t)number
							   : roc_small(agent);
}

/* A stream where one is told, else the queue. */
static int64_t stream_of(const struct rocpd_place *p)
{
	return p->at.stream >= 0 ? p->at.stream : p->at.queue;
}

static bool dispatch(struct rocpd *r, struct sqlite_rows *rows, struct err *e)
{
	struct rocpd_place p;
	int64_t kernel = sqlite_int_or(rows, KERNEL, -1), symbol;
	struct launch_shape shape = { .registers = -1,
		.shared_bytes = roc_small(sqlite_int_or(rows, LDS, -1)) };
	uint32_t name;
	(void)e;
	r->records++;
	if (!rocpd_place(r, rows, &r->kernel_times, "kernel_dispatch", &p))
		return false;
	if (!p.timely)
		return true;
	if (rocpd_find(r, ROCPD_SYMBOLS, kernel, &symbol)) {
		const struct name *n = &r->raw.list[(uint32_t)symbol];
		name = text_id(&r->text,
			&(struct span){ n->text, n->len, false });
		shape.registers = (int32_t)(symbol >> 32);
	} else {
		name = roc_numbered(r->trace, "kernel", kernel);
	}
	for (int i = 0; i < 3; i++) {
		int64_t group = sqlite_int_or(rows, GROUP_X + i, -1);
		shape.block[i] = roc_small(group);
		shape.grid[i] =
			roc_blocks(sqlite_int_or(rows, GRID_X + i, -1), group);
	}
	uint32_t launch = trace_launch_shape(r->trace, &shape);
	r->used++;
	return name != NAMES_NONE && launch != NAMES_NONE &&
	       trace_kernel_add(r->trace,
		       &(struct kernel_row){
			       .process = p.process,
			       .start_ns = p.start_ns,
			       .dur_ns = p.dur_ns,
			       .name = name,
			       .device = device_of(r, p.at.agent),
			       .stream = stream_of(&p),
			       .correlation =
				       roc_map_follow(&r->map[ROCPD_CALLERS],
					       p.correlation),
			       .external_id = -1,
			       .graph_id = -1,
			       .graph_node = -1,
			       .launch = launch,
		       });
}

enum { NAME = ROCPD_PLACES, TO, FROM, BYTES, COPY_COLUMNS };
static const struct sqlite_column copies[] = {
	ROCPD_PLACE,
	{ "name_id", true },
	{ "dst_agent_id", false },
	{ "src_agent_id", false },
	{ "size", false },
};

static bool copy(struct rocpd *r, struct sqlite_rows *rows, struct err *e)
{
	struct rocpd_place p;
	int64_t string = sqlite_int_or(rows, NAME, -1);
	uint32_t name;
	r->records++;
	if (!sqlite_names_of(&r->strings, string, &name, e))
		return false;
	if (!name)
		name = roc_numbered(r->trace, "copy named", string);
	if (name == NAMES_NONE ||
		!rocpd_place(r, rows, &r->copy_times, "memory_copy", &p))
		return false;
	if (!p.timely)
		return true;
	int32_t device = device_of(r, sqlite_int_or(rows, TO, -1));
	if (device < 0)
		device = device_of(r, sqlite_int_or(rows, FROM, -1));
	r->used++;
	return trace_copy_add(r->trace,
		&(struct copy_row){
			.process = p.process,
			.start_ns = p.start_ns,
			.dur_ns = p.dur_ns,
			.name = name,
			.device = device,
			.stream = stream_of(&p),
			.correlation = roc_map_follow(&r->map[ROCPD_CALLERS],
				p.correlation),
			.external_id = -1,
			.bytes = sqlite_int_or(rows, BYTES, -1),
		});
}

static bool count(struct rocpd *r, struct sqlite_rows *rows, struct err *e)
{
	(void)e;
	r->records++;
	note_add(&r->trace->notes, NOTE_record_kind, 1, rows->table,
		strlen(rows->table) - strlen(r->suffix));
	return true;
}

bool rocpd_gpu(struct rocpd *r, struct err *e)
{
	static const struct sqlite_column id[] = { { "id", true } };
	return rocpd_each(r, "rocpd_kernel_dispatch", dispatches,
		       DISPATCH_COLUMNS, dispatch, e) &&
	       rocpd_each(r, "rocpd_memory_copy", copies, COPY_COLUMNS, copy,
		       e) &&
	       rocpd_each(r, "rocpd_memory_allocate", id, 1, count, e) &&
	       rocpd_each(r, "rocpd_sample", id, 1, count, e) &&
	       rocpd_each(r, "rocpd_pmc_event", id, 1, count, e);
}
