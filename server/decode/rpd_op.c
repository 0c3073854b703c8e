/* rpd_op.c - what ran on the GPU. */
#include "rpd.h"
#include <strings.h>

enum { ID, GPU, QUEUE, START, END, NAME, TYPE, OP_COLUMNS };
static const struct sqlite_column ops[] = {
	{ "id", true },
	{ "gpuId", false },
	{ "queueId", false },
	{ "start", true },
	{ "end", true },
	{ "description_id", false },
	{ "opType_id", false },
};

enum op { OP_UNKNOWN, OP_KERNEL, OP_COPY, OP_SET, OP_MARKER };

/* What roctracer, rocprofiler-sdk and CUPTI call them. */
static enum op op_of(const char *type)
{
	static const struct {
		const char *prefix;
		enum op op;
	} known[] = {
		{ "Kernel", OP_KERNEL },
		{ "ConcurrentKernel", OP_KERNEL },
		{ "Task", OP_KERNEL },
		{ "Copy", OP_COPY },
		{ "Memcpy", OP_COPY },
		{ "MEMORY_COPY", OP_COPY },
		{ "FillBuffer", OP_SET },
		{ "Memset", OP_SET },
		{ "Marker", OP_MARKER },
		{ "InternalMarker", OP_MARKER },
		{ "Barrier", OP_MARKER },
	};
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (!strncasecmp(type, known[i].prefix,
			    strlen(known[i].prefix)))
			return known[i].op;
	return OP_UNKNOWN;
}

/* One row of rocpd_op and what its call asked for. */
struct one {
	int64_t id, api, start_ns, dur_ns, stream;
	uint32_t name, type;
	uint16_t process;
	int32_t device;
	bool items; /* its grid is in work-items */
	struct rpd_launch launch;
	struct rpd_copy copy;
	bool launched, copied;
};

/* rocprofiler-sdk's dispatches tell work-items whatever the call was. */
static void caller(struct rpd *r, struct one *o, const char *type)
{
	int64_t id;
	if (o->api < 0)
		return;
	o->items = !strncasecmp(type, "KERNEL_DISPATCH", 15) ||
		   roc_map_find(&r->items, o->api, &id);
	o->launched = roc_map_find(&r->launch_of, o->api, &id);
	if (o->launched)
		memcpy(&o->launch, r->launches.list[id].text, sizeof o->launch);
	o->copied = roc_map_find(&r->copy_of, o->api, &id);
	if (o->copied)
		memcpy(&o->copy, r->copies.list[id].text, sizeof o->copy);
}

static bool shape(struct rpd *r, const struct one *o, uint32_t *id)
{
	const struct rpd_launch *l = &o->launch;
	struct launch_shape s = { .registers = -1,
		.shared_bytes = roc_small(l->lds) };
	*id = 0;
	if (!o->launched)
		return true;
	for (int i = 0; i < 3; i++) {
		s.block[i] = roc_small(l->group[i]);
		s.grid[i] = o->items ? roc_blocks(l->grid[i], l->group[i])
				     : roc_small(l->grid[i]);
	}
	*id = trace_launch_shape(r->trace, &s);
	return *id != NAMES_NONE;
}

/* The operation's own name, else the one its launch told. */
static bool kernel_name(struct rpd *r, const struct one *o, uint32_t *name,
	struct err *e)
{
	struct names *ns = &r->trace->names;
	*name = o->name;
	if (!*name && o->launched &&
		!sqlite_names_of(&r->strings, o->launch.name, name, e))
		return false;
	if (*name) {
		const struct name *n = &ns->list[*name];
		size_t len = roc_kernel_len(n->text, n->len);
		if (len < n->len)
			*name = names_put(ns, n->text, len);
	} else {
		*name = roc_numbered(r->trace, "kernel of operation", o->id);
	}
	return *name != NAMES_NONE || arena_err(r->trace->arena, e);
}

static bool kernel(struct rpd *r, const struct one *o, struct err *e)
{
	uint32_t name, launch;
	r->used++;
	if (!kernel_name(r, o, &name, e))
		return false;
	return (shape(r, o, &launch) && trace_kernel_add(r->trace,
						&(struct kernel_row){
							.process = o->process,
							.start_ns = o->start_ns,
							.dur_ns = o->dur_ns,
							.name = name,
							.device = o->device,
							.stream = o->stream,
							.correlation = o->api,
							.external_id = -1,
							.graph_id = -1,
							.graph_node = -1,
							.launch = launch,
						})) ||
	       arena_err(r->trace->arena, e);
}

/* The type tells the direction ("CopyHostToDevice"); where it does not, the
 * call's kind does. A call's bytes are those of its first operation: there may
 * be several, and each would count them again. */
static bool copy(struct rpd *r, const struct one *o, bool is_set, struct err *e)
{
	static const char *const kinds[] = { "Memcpy HtoH", "Memcpy HtoD",
		"Memcpy DtoH", "Memcpy DtoD" };
	const char *type = names_text(&r->trace->names, o->type);
	int64_t first, bytes = -1;
	uint32_t name = o->type;
	r->used++;
	if (!is_set && o->copied && !strcasestr(type, "To") &&
		o->copy.kind >= 0 && o->copy.kind < 4)
		name = names_put(&r->trace->names, kinds[o->copy.kind],
			strlen(kinds[o->copy.kind]));
	if (o->copied && roc_map_find(&r->first_op, o->api, &first) &&
		first == o->id)
		bytes = o->copy.bytes;
	return (name != NAMES_NONE && trace_copy_add(r->trace,
					      &(struct copy_row){
						      .process = o->process,
						      .start_ns = o->start_ns,
						      .dur_ns = o->dur_ns,
						      .name = name,
						      .device = o->device,
						      .stream = o->stream,
						      .correlation = o->api,
						      .external_id = -1,
						      .bytes = bytes,
						      .is_set = is_set,
					      })) ||
	       arena_err(r->trace->arena, e);
}

/* Whose it is: the call's process; the only one there is; or nobody's. */
static bool owner(struct rpd *r, struct one *o, struct err *e)
{
	struct trace *t = r->trace;
	int64_t process = -1;
	if (!roc_map_find(&r->api_of, o->id, &o->api))
		o->api = -1;
	if (o->api >= 0 && roc_map_find(&r->processes, o->api, &process)) {
		o->process = (uint16_t)process;
		return true;
	}
	if (t->processes_n == 1 && r->nobody < 0) {
		o->process = 0;
		return true;
	}
	if (r->nobody < 0)
		r->nobody = rpd_process(r, -1);
	if (r->nobody < 0)
		return arena_err(t->arena, e);
	o->process = (uint16_t)r->nobody;
	note_add(&t->notes, NOTE_no_process, 1, NULL, 0);
	return true;
}

static bool unknown(struct rpd *r, enum note_code code, const char *type)
{
	note_add(&r->trace->notes, code, 1, type, strlen(type));
	return true;
}

static bool op(struct rpd *r, struct sqlite_rows *rows, struct err *e)
{
	struct one o = { .id = sqlite_int_or(rows, ID, -1) };
	struct num start = { 0 }, end = { 0 };
	r->records++;
	if (!sqlite_names_of(&r->strings, sqlite_int_or(rows, TYPE, -1),
		    &o.type, e) ||
		!sqlite_names_of(&r->strings, sqlite_int_or(rows, NAME, -1),
			&o.name, e) ||
		!owner(r, &o, e))
		return false;
	const char *type = names_text(&r->trace->names, o.type);
	enum op is = op_of(type);
	caller(r, &o, type);
	if (!o.type)
		is = o.name || o.launched ? OP_KERNEL : OP_UNKNOWN;
	if (is == OP_UNKNOWN || is == OP_MARKER)
		return unknown(r,
			is == OP_MARKER ? NOTE_record_kind
					: NOTE_category_unknown,
			*type ? type : "(without a type)");
	start.kind = sqlite_int(rows, START, &start.value) ? NUM_OK : NUM_NONE;
	end.kind = sqlite_int(rows, END, &end.value) ? NUM_OK : NUM_NONE;
	if (!roc_span(is == OP_KERNEL ? &r->kernel_times : &r->copy_times,
		    start, end, type, &o.dur_ns))
		return true;
	o.start_ns = start.value;
	o.device = roc_small(sqlite_int_or(rows, GPU, -1));
	o.stream = sqlite_int_or(rows, QUEUE, -1);
	return is == OP_KERNEL ? kernel(r, &o, e)
			       : copy(r, &o, is == OP_SET, e);
}

bool rpd_ops(struct rpd *r, struct err *e)
{
	struct sqlite_rows rows;
	bool ok = sqlite_rows_open(&rows, r->file, "rocpd_op", ops, OP_COLUMNS,
		e);
	while (ok && sqlite_rows_next(&rows))
		ok = op(r, &rows, e);
	return sqlite_rows_close(&rows, e) && ok;
}
