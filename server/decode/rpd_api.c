/* rpd_api.c - calls of the host, and what they asked for. */
#include "rpd.h"

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

static bool is(const char *name, const char *prefix)
{
	return !strncmp(name, prefix, strlen(prefix));
}

/* rpd_tracer numbers what it writes itself, markers and its own work, from
 * here on; the tracer's own work is not the program's. */
static bool is_own(int64_t id)
{
	return id & INT64_C(1) << 31;
}

/* These two tell a grid in work-items, the others in blocks. */
static bool in_items(const char *name)
{
	return is(name, "hipExtModuleLaunchKernel") ||
	       is(name, "hipHccModuleLaunchKernel");
}

static struct num num_of(struct sqlite_rows *rows, int column)
{
	struct num n = { 0 };
	if (sqlite_int(rows, column, &n.value))
		n.kind = NUM_OK;
	return n;
}

static bool other(struct rpd *r, const char *name)
{
	note_add(&r->trace->notes, NOTE_record_kind, 1, name, strlen(name));
	return true;
}

static bool range(struct rpd *r, struct range_row *row, int64_t args,
	struct err *e)
{
	struct names *ns = &r->trace->names;
	uint32_t message = 0;
	bool marker = !strcmp(names_text(ns, row->name), "UserMarker");
	if (marker && row->dur_ns == 0)
		return other(r, "UserMarker");
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

static bool call(struct rpd *r, const struct range_row *row, int64_t id,
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

/* The name of a row's call; "api name 7" where the file does not tell. */
static bool name_of(struct rpd *r, int64_t string, uint32_t *name,
	struct err *e)
{
	if (!sqlite_names_of(&r->strings, string, name, e))
		return false;
	if (!*name)
		*name = roc_numbered(r->trace, "api name", string);
	return *name != NAMES_NONE || arena_err(r->trace->arena, e);
}

static bool kept(struct rpd *r, struct sqlite_rows *rows, int64_t id,
	struct range_row *row, struct err *e)
{
	const char *name = names_text(&r->trace->names, row->name);
	bool marker = !strcmp(name, "UserMarker") || is(name, "nccl");
	if (!marker && (is_own(id) || is(name, "hsa_")))
		return other(r, name);
	if (!roc_span(marker ? &r->range_times : &r->call_times,
		    num_of(rows, START), num_of(rows, END), name, &row->dur_ns))
		return true;
	sqlite_int(rows, START, &row->start_ns);
	row->thread = roc_thread(r->trace, sqlite_int_or(rows, TID, -1));
	if (row->thread == NAMES_NONE)
		return arena_err(r->trace->arena, e);
	if (marker)
		return range(r, row, sqlite_int_or(rows, ARGS, -1), e);
	return call(r, row, id, e);
}

static bool api(struct rpd *r, struct sqlite_rows *rows, struct err *e)
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
	if (!name_of(r, sqlite_int_or(rows, NAME, -1), &row.name, e))
		return false;
	if (!roc_map_put(&r->processes, id, process) ||
		(in_items(names_text(&r->trace->names, row.name)) &&
			!roc_map_put(&r->items, id, 1)))
		return arena_err(r->trace->arena, e);
	return kept(r, rows, id, &row, e);
}

bool rpd_apis(struct rpd *r, struct err *e)
{
	struct sqlite_rows rows;
	bool ok = sqlite_rows_open(&rows, r->file, "rocpd_api", apis,
		API_COLUMNS, e);
	while (ok && sqlite_rows_next(&rows))
		ok = api(r, &rows, e);
	ok = sqlite_rows_close(&rows, e) && ok;
	return ok &&
	       ((roc_map_sort(&r->processes) && roc_map_sort(&r->items)) ||
		       arena_err(r->trace->arena, e));
}

bool rpd_api_ops(struct rpd *r, struct err *e)
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
		       !(roc_map_put(&r->api_of, op, api) &&
			       roc_map_put(&r->first_op, api, op));
	ok = sqlite_rows_close(&rows, e) && ok;
	full = full || !roc_map_sort(&r->api_of) || !roc_map_sort(&r->first_op);
	return ok && (!full || arena_err(r->trace->arena, e));
}

/* Puts an interned struct under a call's number. */
static bool put(struct names *ns, struct roc_map *m, int64_t api,
	const void *bytes, size_t len)
{
	uint32_t id = names_put(ns, bytes, len);
	return id != NAMES_NONE && roc_map_put(m, api, id);
}

bool rpd_launches(struct rpd *r, struct err *e)
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
		       !put(&r->launches, &r->launch_of, api, &l, sizeof l);
	}
	ok = sqlite_rows_close(&rows, e) && ok;
	full = full || !roc_map_sort(&r->launch_of);
	return ok && (!full || arena_err(r->trace->arena, e));
}

/* A number that may be told as text, or as no text at all. */
static int64_t number(struct sqlite_rows *rows, int column)
{
	const char *at;
	size_t len;
	int64_t n;
	if (sqlite_bytes(rows, column, &at, &len) && len == 0)
		return -1;
	return sqlite_int(rows, column, &n) && n >= 0 ? n : -1;
}

bool rpd_copies(struct rpd *r, struct err *e)
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
		struct rpd_copy c = { number(&rows, SIZE),
			number(&rows, COPY_KIND) };
		int64_t width = number(&rows, WIDTH),
			height = number(&rows, HEIGHT);
		if (c.bytes < 0 && (width < 0 || height < 0 ||
					   __builtin_mul_overflow(width, height,
						   &c.bytes)))
			c.bytes = -1;
		full = sqlite_int(&rows, API, &api) &&
		       !put(&r->copies, &r->copy_of, api, &c, sizeof c);
	}
	ok = sqlite_rows_close(&rows, e) && ok;
	full = full || !roc_map_sort(&r->copy_of);
	return ok && (!full || arena_err(r->trace->arena, e));
}
