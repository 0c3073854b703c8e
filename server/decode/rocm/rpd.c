/* rpd.c - decodes rocmProfileData databases (.rpd) */
#include "format.h"
#include "finish.h"
#include "rocm.h"
#include "sqlite.h"
#include <math.h>
#include <strings.h>

/* The recorded arguments of a launch: work-items or blocks. */
struct rpd_launch {
	int64_t grid[3], group[3], lds, name; /* of rocpd_string */
};

struct rpd_copy {
	int64_t bytes, kind; /* hipMemcpyKind */
};

struct rpd {
	struct sqlite_file *file;
	struct trace *trace;
	struct text text;
	struct sqlite_names strings, args;
	int64_t records, used;
	struct names pids; /* int64_t → index of the process + 1 */
	struct names launches, copies; /* bytes of the structs above */
	struct rocm_map processes; /* of an API call */
	struct rocm_map items; /* calls whose grids are in work-items */
	struct rocm_map launch_of, copy_of; /* call → id of `launches`, … */
	struct rocm_map api_of, first_op; /* operation → call; the other way */
	struct rocm_times kernel_times, copy_times, call_times, range_times;
	uint32_t processes_cap;
	int32_t nobody; /* the process of operations of no call; -1 none yet */
};

static int32_t rpd_process(struct rpd *r, int64_t pid);

/* Reads calls of the host, and their arguments. */

enum { ID, PID, TID, START, END, NAME, ARGS, API_COLUMNS };
static const struct sqlite_column apis[] = {
	{ "id", true },
	{ "pid", true },
	{ "tid", false },
	{ "start", true },
	{ "end", true },
	{ "apiName_id", true },
	{ "args_id", false },
};

static bool rpd_api_is(const char *name, const char *prefix)
{
	return !strncmp(name, prefix, strlen(prefix));
}

/* From this number on, rpd_tracer numbers the rows that it writes itself:
 * markers and its own work. The tracer's own work does not belong to the
 * program. */
static bool rpd_api_is_own(int64_t id)
{
	return id & INT64_C(1) << 31;
}

/* Whether the call has its grid in work-items: these two do, the others have
 * blocks. */
static bool rpd_api_in_items(const char *name)
{
	return rpd_api_is(name, "hipExtModuleLaunchKernel") ||
	       rpd_api_is(name, "hipHccModuleLaunchKernel");
}

static struct number rpd_api_num_of(struct sqlite_rows *rows, int column)
{
	struct number n = { 0 };
	if (sqlite_int(rows, column, &n.value))
		n.kind = NUMBER_OK;
	return n;
}

static bool rpd_api_other(struct rpd *r, const char *name)
{
	note_add(&r->trace->notes, NOTE_record_kind, 1, name, strlen(name));
	return true;
}

static bool rpd_api_range(struct rpd *r, struct range_row *row, int64_t args,
	struct err *e)
{
	struct names *ns = &r->trace->names;
	uint32_t message = 0;
	bool marker = !strcmp(names_text(ns, row->name), "UserMarker");
	if (marker && row->dur_ns == 0)
		return rpd_api_other(r, "UserMarker");
	if (marker && !sqlite_names_of(&r->args, args, &message, e))
		return false;
	row->name = message ? message : row->name;
	row->domain =
		marker ? names_put(ns, "roctx", 5) : names_put(ns, "rccl", 4);
	row->kind = RANGE_ANNOTATION;
	row->id = row->parent = -1;
	r->used++;
	return (row->domain != NAMES_NONE && trace_range_add(r->trace, row)) ||
	       arena_err(r->trace->arena, e);
}

static bool rpd_api_call(struct rpd *r, const struct range_row *row, int64_t id,
	struct err *e)
{
	r->used++;
	return trace_call_add(r->trace,
		       &(struct call_row){
			       .process = row->process,
			       .start_ns = row->start_ns,
			       .dur_ns = row->dur_ns,
			       .name = row->name,
			       .thread = row->thread,
			       .correlation = id,
			       .external_id = -1,
		       }) ||
	       arena_err(r->trace->arena, e);
}

/* The name of a row's call; "api name 7" if the file has none. */
static bool rpd_api_name_of(struct rpd *r, int64_t string, uint32_t *name,
	struct err *e)
{
	if (!sqlite_names_of(&r->strings, string, name, e))
		return false;
	if (!*name)
		*name = rocm_numbered(r->trace, "api name", string);
	return *name != NAMES_NONE || arena_err(r->trace->arena, e);
}

static bool rpd_api_kept(struct rpd *r, struct sqlite_rows *rows, int64_t id,
	struct range_row *row, struct err *e)
{
	const char *name = names_text(&r->trace->names, row->name);
	bool marker = !strcmp(name, "UserMarker") || rpd_api_is(name, "nccl");
	if (!marker && (rpd_api_is_own(id) || rpd_api_is(name, "hsa_")))
		return rpd_api_other(r, name);
	if (!rocm_span(marker ? &r->range_times : &r->call_times,
		    rpd_api_num_of(rows, START), rpd_api_num_of(rows, END),
		    name, &row->dur_ns))
		return true;
	sqlite_int(rows, START, &row->start_ns);
	row->thread = rocm_thread(r->trace, sqlite_int_or(rows, TID, -1));
	if (row->thread == NAMES_NONE)
		return arena_err(r->trace->arena, e);
	if (marker)
		return rpd_api_range(r, row, sqlite_int_or(rows, ARGS, -1), e);
	return rpd_api_call(r, row, id, e);
}

static bool rpd_api_api(struct rpd *r, struct sqlite_rows *rows, struct err *e)
{
	struct range_row row = { 0 };
	int64_t id = sqlite_int_or(rows, ID, -1);
	int32_t process = rpd_process(r, sqlite_int_or(rows, PID, -1));
	r->records++;
	if (process < 0)
		return r->trace->arena->full
			       ? arena_err(r->trace->arena, e)
			       : err_set(e, ERR_TOO_LARGE,
					 "the file holds too many processes");
	row.process = (uint16_t)process;
	if (!rpd_api_name_of(r, sqlite_int_or(rows, NAME, -1), &row.name, e))
		return false;
	if (!rocm_map_put(&r->processes, id, process) ||
		(rpd_api_in_items(names_text(&r->trace->names, row.name)) &&
			!rocm_map_put(&r->items, id, 1)))
		return arena_err(r->trace->arena, e);
	return rpd_api_kept(r, rows, id, &row, e);
}

static bool rpd_apis(struct rpd *r, struct err *e)
{
	struct sqlite_rows rows;
	bool ok = sqlite_rows_open(&rows, r->file, "rocpd_api", apis,
		API_COLUMNS, e);
	while (ok && sqlite_rows_next(&rows))
		ok = rpd_api_api(r, &rows, e);
	ok = sqlite_rows_close(&rows, e) && ok;
	return ok &&
	       ((rocm_map_sort(&r->processes) && rocm_map_sort(&r->items)) ||
		       arena_err(r->trace->arena, e));
}

static bool rpd_api_ops(struct rpd *r, struct err *e)
{
	enum { API, OP, COLUMNS };
	static const struct sqlite_column columns[] = { { "api_id", true },
		{ "op_id", true } };
	struct sqlite_rows rows;
	int64_t api, op;
	bool full = false;
	bool ok = sqlite_rows_open(&rows, r->file, "rocpd_api_ops", columns,
		COLUMNS, e);
	while (ok && !full && sqlite_rows_next(&rows))
		full = sqlite_int(&rows, API, &api) &&
		       sqlite_int(&rows, OP, &op) &&
		       !(rocm_map_put(&r->api_of, op, api) &&
			       rocm_map_put(&r->first_op, api, op));
	ok = sqlite_rows_close(&rows, e) && ok;
	full = full || !rocm_map_sort(&r->api_of) ||
	       !rocm_map_sort(&r->first_op);
	return ok && (!full || arena_err(r->trace->arena, e));
}

/* Stores an interned struct under a call's number. */
static bool rpd_api_put(struct names *ns, struct rocm_map *m, int64_t api,
	const void *bytes, size_t len)
{
	uint32_t id = names_put(ns, bytes, len);
	return id != NAMES_NONE && rocm_map_put(m, api, id);
}

static bool rpd_launches(struct rpd *r, struct err *e)
{
	enum { API, GX, GY, GZ, WX, WY, WZ, LDS, KERNEL, COLUMNS };
	static const struct sqlite_column columns[] = { { "api_ptr_id", true },
		{ "gridX", false }, { "gridY", false }, { "gridZ", false },
		{ "workgroupX", false }, { "workgroupY", false },
		{ "workgroupZ", false }, { "groupSegmentSize", false },
		{ "kernelName_id", false } };
	struct sqlite_rows rows;
	int64_t api;
	bool full = false;
	bool ok = sqlite_rows_open(&rows, r->file, "rocpd_kernelapi", columns,
		COLUMNS, e);
	while (ok && !full && sqlite_rows_next(&rows)) {
		struct rpd_launch l = { .lds = sqlite_int_or(&rows, LDS, -1),
			.name = sqlite_int_or(&rows, KERNEL, -1) };
		for (int i = 0; i < 3; i++) {
			l.grid[i] = sqlite_int_or(&rows, GX + i, -1);
			l.group[i] = sqlite_int_or(&rows, WX + i, -1);
		}
		full = sqlite_int(&rows, API, &api) &&
		       !rpd_api_put(&r->launches, &r->launch_of, api, &l,
			       sizeof l);
	}
	ok = sqlite_rows_close(&rows, e) && ok;
	full = full || !rocm_map_sort(&r->launch_of);
	return ok && (!full || arena_err(r->trace->arena, e));
}

/* Reads a number that may be stored as text, or as an empty text. */
static int64_t rpd_api_number(struct sqlite_rows *rows, int column)
{
	const char *at;
	size_t len;
	int64_t n;
	if (sqlite_bytes(rows, column, &at, &len) && len == 0)
		return -1;
	return sqlite_int(rows, column, &n) && n >= 0 ? n : -1;
}

static bool rpd_copies(struct rpd *r, struct err *e)
{
	enum { API, SIZE, WIDTH, HEIGHT, COPY_KIND, COLUMNS };
	static const struct sqlite_column columns[] = { { "api_ptr_id", true },
		{ "size", false }, { "width", false }, { "height", false },
		{ "kind", false } };
	struct sqlite_rows rows;
	int64_t api;
	bool full = false;
	bool ok = sqlite_rows_open(&rows, r->file, "rocpd_copyapi", columns,
		COLUMNS, e);
	while (ok && !full && sqlite_rows_next(&rows)) {
		struct rpd_copy c = { rpd_api_number(&rows, SIZE),
			rpd_api_number(&rows, COPY_KIND) };
		int64_t width = rpd_api_number(&rows, WIDTH),
			height = rpd_api_number(&rows, HEIGHT);
		if (c.bytes < 0 && (width < 0 || height < 0 ||
					   __builtin_mul_overflow(width, height,
						   &c.bytes)))
			c.bytes = -1;
		full = sqlite_int(&rows, API, &api) &&
		       !rpd_api_put(&r->copies, &r->copy_of, api, &c, sizeof c);
	}
	ok = sqlite_rows_close(&rows, e) && ok;
	full = full || !rocm_map_sort(&r->copy_of);
	return ok && (!full || arena_err(r->trace->arena, e));
}

/* Reads the operations that ran on the GPU. */

enum {
	RPD_OP_ID,
	GPU,
	QUEUE,
	RPD_OP_START,
	RPD_OP_END,
	RPD_OP_NAME,
	TYPE,
	OP_COLUMNS
};
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

/* The names of operations in roctracer, rocprofiler-sdk and CUPTI. */
static enum op rpd_op_of(const char *type)
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

/* One row of rocpd_op and the arguments of its call. */
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

/* Dispatches of rocprofiler-sdk count work-items for every kind of call. */
static void rpd_op_caller(struct rpd *r, struct one *o, const char *type)
{
	int64_t id;
	if (o->api < 0)
		return;
	o->items = !strncasecmp(type, "KERNEL_DISPATCH", 15) ||
		   rocm_map_find(&r->items, o->api, &id);
	o->launched = rocm_map_find(&r->launch_of, o->api, &id);
	if (o->launched)
		memcpy(&o->launch, r->launches.list[id].text, sizeof o->launch);
	o->copied = rocm_map_find(&r->copy_of, o->api, &id);
	if (o->copied)
		memcpy(&o->copy, r->copies.list[id].text, sizeof o->copy);
}

static bool rpd_op_shape(struct rpd *r, const struct one *o, uint32_t *id)
{
	const struct rpd_launch *l = &o->launch;
	struct launch_shape s = { .registers = -1,
		.shared_bytes = rocm_small(l->lds) };
	*id = 0;
	if (!o->launched)
		return true;
	for (int i = 0; i < 3; i++) {
		s.block[i] = rocm_small(l->group[i]);
		s.grid[i] = o->items ? rocm_blocks(l->grid[i], l->group[i])
				     : rocm_small(l->grid[i]);
	}
	*id = trace_launch_shape(r->trace, &s);
	return *id != NAMES_NONE;
}

/* The operation's own name, or else the name in its launch. */
static bool rpd_op_kernel_name(struct rpd *r, const struct one *o,
	uint32_t *name, struct err *e)
{
	struct names *ns = &r->trace->names;
	*name = o->name;
	if (!*name && o->launched &&
		!sqlite_names_of(&r->strings, o->launch.name, name, e))
		return false;
	if (*name) {
		const struct name *n = &ns->list[*name];
		size_t len = text_kernel_len(n->text, n->len);
		if (len < n->len)
			*name = names_put(ns, n->text, len);
	} else {
		*name = rocm_numbered(r->trace, "kernel of operation", o->id);
	}
	return *name != NAMES_NONE || arena_err(r->trace->arena, e);
}

static bool rpd_op_kernel(struct rpd *r, const struct one *o, struct err *e)
{
	uint32_t name, launch;
	r->used++;
	if (!rpd_op_kernel_name(r, o, &name, e))
		return false;
	return (rpd_op_shape(r, o, &launch) &&
		       trace_kernel_add(r->trace,
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

/* The type contains the direction ("CopyHostToDevice"). If it does not, the
 * kind of the call contains it. A call's bytes are counted only for its first
 * operation; several operations would each count them again. */
static bool rpd_op_copy(struct rpd *r, const struct one *o, bool is_set,
	struct err *e)
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
	if (o->copied && rocm_map_find(&r->first_op, o->api, &first) &&
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

/* The process of an operation: that of its call, or the only process of the
 * file, or none. */
static bool rpd_op_owner(struct rpd *r, struct one *o, struct err *e)
{
	struct trace *t = r->trace;
	int64_t process = -1;
	if (!rocm_map_find(&r->api_of, o->id, &o->api))
		o->api = -1;
	if (o->api >= 0 && rocm_map_find(&r->processes, o->api, &process)) {
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

static bool rpd_op_unknown(struct rpd *r, enum note_code code, const char *type)
{
	note_add(&r->trace->notes, code, 1, type, strlen(type));
	return true;
}

static bool rpd_op_op(struct rpd *r, struct sqlite_rows *rows, struct err *e)
{
	struct one o = { .id = sqlite_int_or(rows, RPD_OP_ID, -1) };
	struct number start = { 0 }, end = { 0 };
	r->records++;
	if (!sqlite_names_of(&r->strings, sqlite_int_or(rows, TYPE, -1),
		    &o.type, e) ||
		!sqlite_names_of(&r->strings,
			sqlite_int_or(rows, RPD_OP_NAME, -1), &o.name, e) ||
		!rpd_op_owner(r, &o, e))
		return false;
	const char *type = names_text(&r->trace->names, o.type);
	enum op is = rpd_op_of(type);
	rpd_op_caller(r, &o, type);
	if (!o.type)
		is = o.name || o.launched ? OP_KERNEL : OP_UNKNOWN;
	if (is == OP_UNKNOWN || is == OP_MARKER)
		return rpd_op_unknown(r,
			is == OP_MARKER ? NOTE_record_kind
					: NOTE_category_unknown,
			*type ? type : "(without a type)");
	start.kind = sqlite_int(rows, RPD_OP_START, &start.value) ? NUMBER_OK
								  : NUMBER_NONE;
	end.kind = sqlite_int(rows, RPD_OP_END, &end.value) ? NUMBER_OK
							    : NUMBER_NONE;
	if (!rocm_span(is == OP_KERNEL ? &r->kernel_times : &r->copy_times,
		    start, end, type, &o.dur_ns))
		return true;
	o.start_ns = start.value;
	o.device = rocm_small(sqlite_int_or(rows, GPU, -1));
	o.stream = sqlite_int_or(rows, QUEUE, -1);
	return is == OP_KERNEL ? rpd_op_kernel(r, &o, e)
			       : rpd_op_copy(r, &o, is == OP_SET, e);
}

static bool rpd_ops(struct rpd *r, struct err *e)
{
	struct sqlite_rows rows;
	bool ok = sqlite_rows_open(&rows, r->file, "rocpd_op", ops, OP_COLUMNS,
		e);
	while (ok && sqlite_rows_next(&rows))
		ok = rpd_op_op(r, &rows, e);
	return sqlite_rows_close(&rows, e) && ok;
}

enum { PROCESSES_MAX = 16384 };

/* The index of the process of a pid, added if new; -1 if the arena is full or
 * there are too many processes. */
static int32_t rpd_process(struct rpd *r, int64_t pid)
{
	struct trace *t = r->trace;
	uint32_t id = names_put(&r->pids, (const char *)&pid, sizeof pid);
	if (id > PROCESSES_MAX) /* NAMES_NONE is larger, too */
		return -1;
	if (id <= t->processes_n)
		return (int32_t)id - 1;
	bool ok = rocm_process_add(t, &r->processes_cap,
		&(struct process){ .pid = pid, .rank = -1, .world_size = -1 });
	return ok ? (int32_t)id - 1 : -1;
}

enum { RPD_TYPE, DEVICE, RPD_NAME, RPD_START, VALUE, MONITOR_COLUMNS };
static const struct sqlite_column monitor[] = {
	{ "deviceType", false },
	{ "deviceId", true },
	{ "monitorType", true },
	{ "start", true },
	{ "value", true },
};

/* Reads a value that is stored as text: "1700". */
static bool rpd_value_of(struct sqlite_rows *rows, double *value)
{
	const char *at;
	char text[32], *end;
	size_t len;
	if (!sqlite_bytes(rows, VALUE, &at, &len) || !len || len >= sizeof text)
		return false;
	memcpy(text, at, len);
	text[len] = 0;
	*value = strtod(text, &end);
	return *end == 0 && isfinite(*value);
}

/* A sample is added to every process, because it shows the machine's state. */
static bool rpd_sample(struct rpd *r, struct sqlite_rows *rows)
{
	static const char bad[] = "a monitor's value";
	struct counter_row row = { .device = -1 };
	const char *type;
	size_t len;
	if (!rpd_value_of(rows, &row.value) ||
		!sqlite_int(rows, RPD_START, &row.start_ns)) {
		note_add(&r->trace->notes, NOTE_bad_event, 1, bad,
			sizeof bad - 1);
		return true;
	}
	if (!sqlite_bytes(rows, RPD_TYPE, &type, &len) ||
		(len == 3 && !memcmp(type, "gpu", 3)))
		row.device = rocm_small(sqlite_int_or(rows, DEVICE, -1));
	row.name = sqlite_text(rows, RPD_NAME, &r->text);
	for (uint32_t i = 0; i < r->trace->processes_n; i++) {
		row.process = (uint16_t)i;
		if (row.name == NAMES_NONE ||
			!trace_counter_add(r->trace, &row))
			return false;
	}
	return true;
}

static bool rpd_monitor(struct rpd *r, struct err *e)
{
	struct sqlite_rows rows;
	bool full = false;
	bool ok = sqlite_rows_open(&rows, r->file, "rocpd_monitor", monitor,
		MONITOR_COLUMNS, e);
	while (ok && !full && sqlite_rows_next(&rows))
		full = !rpd_sample(r, &rows);
	ok = sqlite_rows_close(&rows, e) && ok;
	return ok && (!full || arena_err(r->trace->arena, e));
}

static bool rpd_init(struct rpd *r)
{
	struct arena *a = r->trace->arena;
	struct rocm_map *const maps[] = { &r->processes, &r->items,
		&r->launch_of, &r->copy_of, &r->api_of, &r->first_op };
	struct rocm_times *const times[] = { &r->kernel_times, &r->copy_times,
		&r->call_times, &r->range_times };
	for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
		maps[i]->arena = a;
	for (size_t i = 0; i < sizeof times / sizeof *times; i++)
		times[i]->trace = r->trace;
	r->text.trace = r->trace;
	r->nobody = -1;
	return names_init(&r->pids, a) && names_init(&r->launches, a) &&
	       names_init(&r->copies, a);
}

static bool rpd_finish(struct rpd *r, struct err *e)
{
	struct trace *t = r->trace;
	if (r->records == 0)
		return err_set(e, ERR_TRACE,
			"this .rpd holds no operation and no call; was the "
			"program run under runTracer.sh?");
	if (r->used == 0)
		return err_set(e, ERR_TRACE,
			"none of the %lld records of this .rpd is a kernel, "
			"copy, call or marker that could be read",
			(long long)r->records);
	if (t->processes_n > 1)
		note_add(&t->notes, NOTE_fused, t->processes_n, NULL, 0);
	t->format = "rpd";
	finish_rebase(t);
	return true;
}

/* Since schema 3, the text of markers is in a separate table. */
bool rpd_read(struct sqlite_file *f, struct trace *t, struct err *e)
{
	struct rpd r = { .file = f, .trace = t };
	const char *args = sqlite_file_table(f, "rocpd_ustring");
	if (!rpd_init(&r))
		return arena_err(t->arena, e);
	bool ok = sqlite_names_open(&r.strings, f, "rocpd_string", "id",
			  "string", &r.text, e) &&
		  sqlite_names_open(&r.args, f, args ? args : "rocpd_string",
			  "id", "string", &r.text, e) &&
		  rpd_apis(&r, e) && rpd_api_ops(&r, e) &&
		  rpd_launches(&r, e) && rpd_copies(&r, e) && rpd_ops(&r, e) &&
		  (finish_drop_idle(t) || arena_err(t->arena, e)) &&
		  rpd_monitor(&r, e) && rpd_finish(&r, e);
	sqlite_names_close(&r.strings);
	sqlite_names_close(&r.args);
	return ok;
}
