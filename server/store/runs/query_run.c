/* query_run.c - runs: one, a filtered page, a selection; their devices, copies,
 * notes and capture file. */
#include "query.h"
#include "column.h"
#include "sql.h"
#include <assert.h>
#include <math.h>

#define RUN_COLUMN(type, member, sql, ...) ", " sql
#define RUN_COLUMNS "SELECT run_id" RUN_ROW(RUN_COLUMN) " FROM run "

static void query_run_read_row(struct result *r, struct arena *a, void *row)
{
	struct run_row *run = row;

	run->id = result_int8(r, 0);
#define READ(type, member, sql, how) run->member = how;
	RUN_ROW(READ)
#undef READ
}

/* The texts of a run find few rows by their index; the other condition decides. */
#define RUN_FILTER                                             \
	"WHERE ($1 IS NULL OR project = $1) "                  \
	"AND ($2 IS NULL OR workload = $2) "                   \
	"AND ($3 IS NULL OR framework = $3) "                  \
	"AND ($4 IS NULL OR $4 = ANY (device_names)) "         \
	"AND ($15 IS NULL OR " RUN_TEXT " LIKE $15) "          \
	"AND ($5 IS NULL OR strpos(lower(concat_ws(E'\\n', "   \
	"name, project, workload, job, process_name, host)), " \
	"lower($5)) > 0) "                                     \
	"AND ($16 IS NULL OR " RUN_TEXT " LIKE $16) "          \
	"AND ($6 IS NULL OR labels @> $6) "                    \
	"AND ($7 = 0 OR upload_id = $7) "                      \
	"AND ($8 IS NULL OR created_at >= $8) "                \
	"AND ($9 IS NULL OR created_at < $9) "                 \
	"AND ($13 IS NULL OR content = $13) "                  \
	"AND ($14 = 0 OR job_id = $14) "

/* The statement is planned with the actual values, so that an absent filter
 * takes no time and each order uses its index. */
#define RUN_PAGE(after, order)                               \
	RUN_COLUMNS RUN_FILTER "AND ($10 = 0 OR " after ") " \
			       "ORDER BY " order " LIMIT $12"

static const char *const run_pages[] = {
	[RUN_NEWEST] = RUN_PAGE("(created_at, run_id) < ($11, $10)",
		"created_at DESC, run_id DESC"),
	[RUN_OLDEST] = RUN_PAGE("(created_at, run_id) > ($11, $10)",
		"created_at, run_id"),
	[RUN_BUSY] = RUN_PAGE("(coalesce(busy_ns, -1), run_id) < ($11, $10)",
		"coalesce(busy_ns, -1) DESC, run_id DESC"),
	[RUN_SPAN] = RUN_PAGE("(coalesce(span_ns, -1), run_id) < ($11, $10)",
		"coalesce(span_ns, -1) DESC, run_id DESC"),
	[RUN_LAUNCHES] = RUN_PAGE("(launches, run_id) < ($11, $10)",
		"launches DESC, run_id DESC"),
};

bool query_runs(struct db *db, struct arena *a, const struct run_filter *f,
	struct run_row **rows, uint32_t *n, bool *more, struct err *e)
{
	struct sql_params p = { 0 };
	sql_text(&p, f->project);
	sql_text(&p, f->workload);
	sql_text(&p, f->framework);
	sql_text(&p, f->device);
	sql_text(&p, f->q);
	sql_json(&p, f->labels);
	sql_int8(&p, f->upload);
	sql_moment(&p, f->since);
	sql_moment(&p, f->until);
	sql_int8(&p, f->after);
	if (f->sort == RUN_NEWEST || f->sort == RUN_OLDEST)
		sql_moment(&p, f->after_key);
	else
		sql_int8(&p, f->after_key);
	sql_int8(&p, f->limit + INT64_C(1));
	sql_text(&p, f->content);
	sql_int8(&p, f->job);
	sql_like(&p, a, f->device);
	sql_like(&p, a, f->q);
	if (f->total && !sql_count(db, SQL_COUNT("FROM run " RUN_FILTER), &p,
				f->total, e))
		return false;
	*rows = sql_page(db, run_pages[f->sort], &p, f->limit,
		query_run_read_row, sizeof **rows, a, n, more, e);
	return *rows;
}

bool query_run(struct db *db, struct arena *a, int64_t id, struct run_row *row,
	struct err *e)
{
	static const char sql[] = RUN_COLUMNS "WHERE run_id = $1";
	struct sql_params p = { 0 };
	bool there;
	sql_int8(&p, id);
	return sql_one(db, sql, &p, query_run_read_row, a, row, &there, e) &&
	       (there ||
		       err_set(e, ERR_NOT_FOUND, "no run %lld", (long long)id));
}

bool query_run_main(struct db *db, const struct run_row *run, int64_t *main_run,
	struct err *e)
{
	static const char sql[] =
		"SELECT run_id FROM run "
		"WHERE project = $1 AND workload = $2 "
		"AND labels @> '{\"branch\": \"main\"}' "
		"AND (created_at, run_id) < ($3, $4) "
		"ORDER BY created_at DESC, run_id DESC LIMIT 1";
	struct sql_params p = { 0 };
	struct result r;
	sql_text(&p, run->project);
	sql_text(&p, run->workload);
	sql_moment(&p, run->created);
	sql_int8(&p, run->id);
	if (!sql_hot(db, sql, &p, &r, e))
		return false;
	*main_run = result_next(&r) ? result_int8(&r, -1) : -1;
	result_release(&r);
	return true;
}

bool query_run_devices(struct db *db, struct arena *a, int64_t run,
	struct profile_device **rows, uint32_t *n, struct err *e)
{
	static const char sql[] =
		"SELECT number, name, sm_count, compute_major, "
		"compute_minor, memory_bytes, launches, busy_ns, "
		"sm_clock_mhz, sm_clock_samples, sm_clock_reason, uuid, "
		"bus_id, throttled_pct "
		"FROM run_device "
		"WHERE run_id = $1 "
		"ORDER BY number";
	struct sql_params p = { 0 };
	struct result r;
	sql_int8(&p, run);
	if (!sql_hot(db, sql, &p, &r, e))
		return false;
	*n = (uint32_t)r.n;
	*rows = arena_array(a, struct profile_device, *n);
	for (struct profile_device *d = *rows; result_next(&r); d++) {
		d->number = result_int4(&r, 0);
		d->name = result_text(&r, a);
		d->sm_count = result_int4(&r, -1);
		d->compute_major = result_int4(&r, -1);
		d->compute_minor = result_int4(&r, -1);
		d->memory_bytes = result_int8(&r, -1);
		d->launches = result_int8(&r, -1);
		d->busy_ns = result_int8(&r, -1);
		d->sm_clock_mhz = result_float8(&r, NAN);
		d->sm_clock_samples = result_int8(&r, -1);
		d->sm_clock_why = result_text(&r, a);
		d->uuid = result_text(&r, a);
		d->bus_id = result_text(&r, a);
		d->throttled_pct = result_float8(&r, NAN);
	}
	result_release(&r);
	return true;
}

bool query_run_platform(struct db *db, struct arena *a, int64_t run,
	const char **platform, struct err *e)
{
	struct sql_params p = { 0 };
	struct result r;
	sql_int8(&p, run);
	if (!sql_hot(db, "SELECT platform FROM run WHERE run_id = $1", &p, &r,
		    e))
		return false;
	*platform = result_next(&r) ? result_text(&r, a) : NULL;
	result_release(&r);
	return true;
}

bool query_copies(struct db *db, struct arena *a, int64_t run, enum split split,
	struct copy_stat **rows, uint32_t *n, struct err *e)
{
	static const char sql[] =
		"SELECT operation, device, " TIME_COLUMNS ", time_pct, "
		"bytes, sized "
		"FROM run_copy "
		"WHERE run_id = $1 AND split = $2 "
		"ORDER BY rank";
	struct sql_params p = { 0 };
	struct result r;
	sql_int8(&p, run);
	sql_int4(&p, (int32_t)split);
	if (!sql_hot(db, sql, &p, &r, e))
		return false;
	*n = (uint32_t)r.n;
	*rows = arena_array(a, struct copy_stat, *n);
	for (struct copy_stat *c = *rows; result_next(&r); c++) {
		c->operation = result_text(&r, a);
		c->split = split;
		c->device = result_int4(&r, -1);
		column_read_time(&r, &c->time);
		c->time_pct = result_float8(&r, NAN);
		c->bytes = result_int8(&r, 0);
		c->sized = result_int8(&r, 0);
	}
	result_release(&r);
	return true;
}

/* A note that a newer program stored is shown as its code. */
static const char *query_note_sentence(struct arena *a,
	const struct note_row *n, const char *detail)
{
	enum note_code code = note_from(n->code);
	if (code == NOTE_CODES)
		return arena_printf(a, "%lld times '%s'", (long long)n->count,
			n->code);
	return note_sentence(a, code, n->count, detail);
}

bool query_notes(struct db *db, struct arena *a, int64_t run,
	struct note_row **rows, uint32_t *n, struct err *e)
{
	static const char sql[] =
		"SELECT code, severity, count, detail "
		"FROM run_note "
		"WHERE run_id = $1 "
		"ORDER BY array_position("
		"ARRAY['error', 'loss', 'warn', 'info'], severity), code";
	struct sql_params p = { 0 };
	struct result r;
	sql_int8(&p, run);
	if (!sql_hot(db, sql, &p, &r, e))
		return false;
	*n = (uint32_t)r.n;
	*rows = arena_array(a, struct note_row, *n);
	for (struct note_row *note = *rows; result_next(&r); note++) {
		note->code = result_text(&r, a);
		note->severity = result_text(&r, a);
		note->count = result_int8(&r, 0);
		note->message =
			query_note_sentence(a, note, result_text(&r, a));
	}
	result_release(&r);
	return true;
}

/* Always returns one row: the piece; the id of the transaction that wrote the
 * first piece, and thus all pieces (NULL without a piece); whether the run
 * exists. */
static const char capture_sql[] = "SELECT (SELECT bytes FROM run_capture "
				  "WHERE run_id = $1 AND seq = $2), "
				  "(SELECT xmin::text::bigint FROM run_capture "
				  "WHERE run_id = $1 AND seq = 0), "
				  "EXISTS (SELECT FROM run WHERE run_id = $1)";

static bool query_capture_missing(int64_t run, bool there, struct err *e)
{
	if (!there)
		return err_set(e, ERR_NOT_FOUND, "no run %lld", (long long)run);
	return err_set(e, ERR_NOT_FOUND,
		"run %lld has no capture: it was made by an earlier version; "
		"'kernsiftd rebuild' stores one",
		(long long)run);
}

bool query_capture(struct db *db, int64_t run, int32_t seq, int64_t *edition,
	void *to, size_t *len, struct err *e)
{
	struct sql_params p = { 0 };
	struct result r;
	bool ok = true;
	sql_int8(&p, run);
	sql_int4(&p, seq);
	if (!sql_hot(db, capture_sql, &p, &r, e))
		return false;
	result_next(&r);
	*len = 0;
	const void *bytes = result_bytes(&r, len);
	int64_t written_by = result_int8(&r, 0);
	if (!written_by)
		ok = query_capture_missing(run, result_bool(&r), e);
	else if (*edition && *edition != written_by)
		ok = err_set(e, ERR_CONFLICT,
			"the capture of run %lld was rewritten meanwhile; "
			"fetch it again",
			(long long)run);
	else
		*edition = written_by;
	assert(*len <= CAPTURE_PIECE);
	if (ok && bytes)
		memcpy(to, bytes, *len);
	result_release(&r);
	return ok;
}

/* Each row found is a selected run, so $9 rows are enough. */
static const char selected_sql[] =
	"WITH hit AS MATERIALIZED ("
	"SELECT run_id, job_id, created_at "
	"FROM run "
	"WHERE ($1 IS NULL OR project = $1) "
	"AND ($2 IS NULL OR project = $2) "
	"AND ($3 IS NULL OR workload = $3) "
	"AND ($4 IS NULL OR framework = $4) "
	"AND ($5 IS NULL OR labels @> $5) "
	"AND ($6 IS NULL OR created_at >= $6) "
	"AND ($7 IS NULL OR created_at < $7) "
	"AND run_id <> ALL ($8) "
	"AND (job_id IS NULL OR job_id NOT IN (SELECT job_id FROM run "
	"WHERE run_id = ANY ($8) AND job_id IS NOT NULL)) "
	"ORDER BY created_at DESC, run_id DESC LIMIT $9), "
	"unit AS (SELECT job_id, CASE WHEN job_id IS NULL THEN run_id END "
	"AS lone, max(created_at) AS newest, max(run_id) AS last "
	"FROM hit "
	"GROUP BY 1, 2 "
	"ORDER BY 3 DESC, 4 DESC LIMIT $10) "
	"SELECT r.run_id "
	"FROM unit u "
	"CROSS JOIN LATERAL (SELECT u.lone AS run_id, 0 AS rank "
	"WHERE u.job_id IS NULL "
	"UNION ALL SELECT run_id, rank "
	"FROM run "
	"WHERE job_id = u.job_id AND ($2 IS NULL OR project = $2) "
	"AND ($7 IS NULL OR created_at < $7)) r "
	"ORDER BY u.newest, u.last, r.rank, r.run_id LIMIT $9";

bool query_selected(struct db *db, const struct select_filter *f, uint32_t most,
	int64_t *ids, uint32_t *n, bool *more, struct err *e)
{
	struct sql_params p = { 0 };
	struct sql_array without;
	struct result r;
	sql_text(&p, f->project);
	sql_text(&p, f->within);
	sql_text(&p, f->workload);
	sql_text(&p, f->framework);
	sql_json(&p, f->labels);
	sql_moment(&p, f->since);
	sql_moment(&p, f->until);
	sql_int8s(&p, &without, f->without, f->without_n);
	sql_int8(&p, most + INT64_C(1));
	sql_int8(&p, f->units);
	bool ok = sql_run(db, selected_sql, &p, &r, e);
	sql_array_release(&without);
	if (!ok)
		return false;
	*more = (uint32_t)r.n > most;
	for (*n = 0; *n < most && result_next(&r); ++*n)
		ids[*n] = result_int8(&r, 0);
	result_release(&r);
	return true;
}

static const char selected_first_sql[] =
	"SELECT w.id, r.created_at, r.project, r.workload "
	"FROM unnest($1) AS w (id) "
	"LEFT JOIN run r ON r.run_id = w.id "
	"ORDER BY r.created_at NULLS FIRST, w.id LIMIT 1";

bool query_selected_first(struct db *db, struct arena *a, const int64_t *ids,
	uint32_t n, struct selected_first *out, struct err *e)
{
	struct sql_params p = { 0 };
	struct sql_array list;
	struct result r;
	sql_int8s(&p, &list, ids, n);
	bool ok = sql_run(db, selected_first_sql, &p, &r, e);
	sql_array_release(&list);
	if (!ok)
		return false;
	result_next(&r);
	out->run = result_int8(&r, 0);
	out->created = result_moment(&r);
	out->project = result_text(&r, a);
	out->workload = result_text(&r, a);
	result_release(&r);
	return out->created != NO_MOMENT ||
	       err_set(e, ERR_NOT_FOUND, "no run %lld", (long long)out->run);
}
