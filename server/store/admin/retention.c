/* retention.c - limits, the plan of what is deleted, and its execution. */
#include "retention.h"
#include "run_change.h"
#include "sql.h"
#include "text_validate.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

bool retention_list(struct db *db, struct arena *a, struct retention_row **rows,
	uint32_t *n, struct err *e)
{
	struct result r;
	if (!sql_run(db,
		    "SELECT project, raw_days, run_days, quota_mib "
		    "FROM retention ORDER BY project NULLS FIRST",
		    NULL, &r, e))
		return false;
	*n = (uint32_t)r.n;
	*rows = arena_array(a, struct retention_row, *n);
	for (struct retention_row *row = *rows; result_next(&r); row++) {
		row->project = result_text(&r, a);
		row->raw_days = result_int4(&r, -1);
		row->run_days = result_int4(&r, -1);
		row->quota_mib = result_int8(&r, -1);
	}
	result_release(&r);
	return true;
}

struct retention_replacing {
	const struct retention_row *rows;
	uint32_t n;
};

static bool retention_replace_work(struct db *db, void *arg, struct err *e)
{
	const struct retention_replacing *w = arg;
	if (!sql_run(db, "DELETE FROM retention", NULL, NULL, e))
		return false;
	for (uint32_t i = 0; i < w->n; i++) {
		struct sql_params p = { 0 };
		sql_text(&p, w->rows[i].project);
		sql_int4_known(&p, w->rows[i].raw_days);
		sql_int4_known(&p, w->rows[i].run_days);
		sql_int8_known(&p, w->rows[i].quota_mib);
		if (!sql_run(db,
			    "INSERT INTO retention (project, raw_days, "
			    "run_days, quota_mib) VALUES ($1, $2, $3, $4)",
			    &p, NULL, e))
			return false;
	}
	return true;
}

/* If two run at once, the second fails on the unique key of the first one's
 * rows, and runs again. */
bool retention_replace(struct db *db, const struct retention_row *rows,
	uint32_t n, struct err *e)
{
	struct retention_replacing w = { rows, n };
	for (uint32_t i = 0; i < n; i++)
		if (rows[i].project &&
			!text_validate("project", rows[i].project, e))
			return false;
	return sql_transaction(db, retention_replace_work, &w, e);
}

const char *retention_kind_word(enum retention_kind k)
{
	static const char *const words[] = {
#define X(name, word) word,
		RETENTION_KINDS(X)
#undef X
	};
	return words[k];
}

const char *retention_reason_word(enum retention_reason w)
{
	static const char *const words[] = {
#define X(name, word) word,
		RETENTION_REASONS(X)
#undef X
	};
	return words[w];
}

/* $1 project, $2 raw_days, $3 run_days, $4 quota_mib. A hundred years (36,500
 * days) mean without limit, because a longer interval would exceed the range of
 * a timestamp.
 *
 * Subqueries. policy: the limits of each project. lives: runs. judged: uploads
 * with the reason by age, NULL without a reason. raw_over and run_over: data
 * that exceeds the quota, the oldest first. raw_then: uploads that have no runs
 * left after age and quota together. begun: uploads that were deleted except
 * for some bytes. */
static const char retention_plan_sql[] =
	"WITH policy AS MATERIALIZED ("
	"SELECT p.project, least(coalesce($2, t.raw_days), 36500) "
	"AS raw_days, least(coalesce($3, t.run_days), 36500) "
	"AS run_days, coalesce($4, t.quota_mib) AS quota_mib "
	"FROM (SELECT project FROM upload UNION SELECT project FROM run "
	"UNION SELECT project FROM gate) p "
	"LEFT JOIN LATERAL (SELECT * FROM retention r "
	"WHERE r.project = p.project OR r.project IS NULL "
	"ORDER BY r.project NULLS LAST LIMIT 1) t ON true "
	"WHERE $1 IS NULL OR p.project = $1), "

	"lives AS MATERIALIZED ("
	"SELECT r.run_id, r.upload_id, r.project, r.created_at, "
	"r.labels @> '{\"keep\": \"true\"}' AS kept, "
	"u.state IN ('done', 'failed') AS idle, "
	"coalesce(c.bytes, 0) AS bytes, "
	"u.state IN ('done', 'failed') "
	"AND NOT r.labels @> '{\"keep\": \"true\"}' AND coalesce("
	"r.created_at <= now() - make_interval(days => p.run_days), "
	"false) AS aged "
	"FROM run r JOIN upload u ON u.id = r.upload_id "
	"LEFT JOIN policy p ON p.project = r.project "
	"LEFT JOIN (SELECT run_id, sum(n) AS bytes FROM ("
	"SELECT run_id, octet_length(bytes) AS n FROM run_capture "
	"UNION ALL "
	"SELECT run_id, octet_length(content) FROM kernel_profile_file) b "
	"GROUP BY run_id) c ON c.run_id = r.run_id), "

	"raws AS ("
	"SELECT u.id, u.project, u.received_at, u.bytes, u.identity, "
	"count(l.run_id) AS runs, CASE WHEN count(l.run_id) > 0 "
	"THEN bool_or(l.kept) ELSE u.identity IS NOT NULL "
	"AND u.labels @> '{\"keep\": \"true\"}' END AS kept, "
	"coalesce(bool_and(l.aged), false) AS emptied "
	"FROM upload u LEFT JOIN lives l ON l.upload_id = u.id "
	"WHERE u.state IN ('done', 'failed') AND u.dropped_at IS NULL "
	"GROUP BY u.id), "
	"judged AS MATERIALIZED ("
	"SELECT r.*, CASE WHEN r.kept THEN NULL "
	"WHEN r.runs = 0 AND r.identity IS NULL THEN 'deleted' "
	"WHEN r.received_at <= now() - make_interval(days => p.raw_days) "
	"THEN 'age' WHEN r.emptied THEN 'runs' END AS why "
	"FROM raws r JOIN policy p USING (project)), "

	"used AS ("
	"SELECT b.project, sum(b.bytes) AS bytes FROM ("
	"SELECT project, bytes FROM upload u WHERE dropped_at IS NULL "
	"AND NOT EXISTS (SELECT FROM judged j "
	"WHERE j.id = u.id AND j.why IS NOT NULL) "
	"UNION ALL SELECT project, bytes FROM lives WHERE NOT aged) b "
	"GROUP BY b.project), "
	"excess AS ("
	"SELECT project, u.bytes - p.quota_mib::numeric * 1048576 "
	"AS bytes FROM used u JOIN policy p USING (project)), "
	"raw_over AS MATERIALIZED ("
	"SELECT o.id, o.project, o.bytes FROM ("
	"SELECT x.id, x.project, x.bytes, "
	"sum(x.bytes) OVER (PARTITION BY x.project "
	"ORDER BY x.received_at, x.id) - x.bytes AS before "
	"FROM judged x WHERE x.why IS NULL AND NOT x.kept "
	"AND x.bytes > 0) o JOIN excess e USING (project) "
	"WHERE o.before < e.bytes), "
	"run_over AS MATERIALIZED ("
	"SELECT o.run_id, o.project, o.bytes FROM ("
	"SELECT x.run_id, x.project, x.bytes, "
	"sum(x.bytes) OVER (PARTITION BY x.project "
	"ORDER BY x.created_at, x.run_id) - x.bytes AS before "
	"FROM lives x WHERE x.idle AND NOT x.kept AND NOT x.aged "
	"AND x.bytes > 0) o JOIN excess e USING (project) "
	"WHERE o.before < e.bytes - (SELECT coalesce(sum(w.bytes), 0) "
	"FROM raw_over w WHERE w.project = o.project)), "

	"raw_then AS ("
	"SELECT j.id, j.project, j.bytes FROM judged j "
	"WHERE j.why IS NULL AND NOT j.kept AND j.runs > 0 "
	"AND NOT EXISTS (SELECT FROM raw_over o WHERE o.id = j.id) "
	"AND NOT EXISTS (SELECT FROM lives l WHERE l.upload_id = j.id "
	"AND NOT l.aged AND NOT EXISTS (SELECT FROM run_over o "
	"WHERE o.run_id = l.run_id))), "
	"begun AS ("
	"SELECT u.id, u.project, sum(octet_length(c.bytes)) AS bytes "
	"FROM upload u JOIN upload_chunk c ON c.upload_id = u.id "
	"JOIN policy p USING (project) "
	"WHERE u.dropped_at IS NOT NULL GROUP BY u.id) "

	"SELECT kind, why, id, project, bytes::bigint FROM ("
	"SELECT 0, 'age', run_id, project, bytes FROM lives WHERE aged "
	"UNION ALL SELECT 0, 'quota', run_id, project, bytes FROM run_over "
	"UNION ALL SELECT 1, why, id, project, bytes FROM judged "
	"WHERE why IS NOT NULL "
	"UNION ALL SELECT 1, 'quota', id, project, bytes FROM raw_over "
	"UNION ALL SELECT 1, 'runs', id, project, bytes FROM raw_then "
	"UNION ALL SELECT 1, 'begun', id, project, bytes FROM begun "
	"UNION ALL SELECT 2, 'age', g.id, g.project, 0 FROM gate g "
	"JOIN policy p USING (project) WHERE g.created_at <= now() - "
	"make_interval(days => p.run_days)"
	") i (kind, why, id, project, bytes) "
	"ORDER BY kind, id";

static enum retention_reason retention_reason_from(const char *word)
{
	enum retention_reason w = 0;
	while (w < RETENTION_REASONS_N &&
		strcmp(retention_reason_word(w), word) != 0)
		w++;
	assert(w < RETENTION_REASONS_N);
	return w;
}

struct retention_planning {
	struct arena *arena;
	const struct retention_request *request;
	struct retention_item *items;
	uint32_t n;
};

/* In a large fleet, the plan may take longer than the statement timeout. */
static bool retention_plan_work(struct db *db, void *arg, struct err *e)
{
	struct retention_planning *w = arg;
	struct sql_params p = { 0 };
	struct result r;
	sql_text(&p, w->request->project);
	sql_int4_known(&p, w->request->raw_days);
	sql_int4_known(&p, w->request->run_days);
	sql_int8_known(&p, w->request->quota_mib);
	if (!sql_run(db, "SET LOCAL statement_timeout = 0", NULL, NULL, e) ||
		!sql_run(db, retention_plan_sql, &p, &r, e))
		return false;
	w->n = (uint32_t)r.n;
	w->items = arena_array(w->arena, struct retention_item, w->n);
	for (struct retention_item *i = w->items; result_next(&r); i++) {
		i->kind = (enum retention_kind)result_int4(&r, 0);
		i->why = retention_reason_from(result_text(&r, w->arena));
		i->id = result_int8(&r, 0);
		i->project = result_text(&r, w->arena);
		i->bytes = result_int8(&r, 0);
	}
	result_release(&r);
	return true;
}

bool retention_plan(struct db *db, struct arena *a,
	const struct retention_request *request, struct retention_item **items,
	uint32_t *n, struct err *e)
{
	struct retention_planning w = { .arena = a, .request = request };
	if (!sql_transaction(db, retention_plan_work, &w, e))
		return false;
	*items = w.items;
	*n = w.n;
	return true;
}

/* Number of chunks, mostly of 1 MiB; takes about 0.1 s. */
enum { DELETE_BATCH = 64 };

/* Marks the upload first. From then on no request reads its bytes, and the next
 * vacuum continues if this one is killed. An upload with runs keeps its
 * identity, so that sending the same bytes finds the runs. Without runs, the
 * same bytes can be uploaded as a new upload. An object is deleted later
 * (upload_object.h). */
static bool retention_mark(struct db *db, const struct retention_item *item,
	bool *gone, struct err *e)
{
	static const char sql[] =
		"WITH marked AS ("
		"UPDATE upload u SET dropped_at = now(), "
		"provenance = NULL, identity = "
		"CASE WHEN u.state = 'done' AND r.any THEN u.identity END "
		"FROM (SELECT count(*) > 0 AS any, coalesce(bool_or(labels @> "
		"'{\"keep\": \"true\"}'), false) AS kept "
		"FROM run WHERE upload_id = $1) r "
		"WHERE u.id = $1 AND u.state IN ('done', 'failed') "
		"AND u.dropped_at IS NULL AND NOT r.kept "
		"AND (NOT $2 OR NOT r.any) "
		"AND (r.any OR u.identity IS NULL "
		"OR NOT u.labels @> '{\"keep\": \"true\"}') "
		"RETURNING u.id), "
		"object AS (DELETE FROM upload_object o USING marked m "
		"WHERE o.upload_id = m.id) "
		"SELECT id FROM marked";
	struct sql_params p = { 0 };
	int64_t n;
	sql_int8(&p, item->id);
	sql_bool(&p, item->why == RETENTION_DELETED ||
			     item->why == RETENTION_EMPTIED);
	if (!sql_change(db, sql, &p, &n, e))
		return false;
	*gone = n > 0;
	return true;
}

/* If the same bytes are uploaded again, the mark is removed, and the bytes are
 * kept. */
static bool retention_delete_bytes(struct db *db, int64_t upload, struct err *e)
{
	static const char sql[] =
		"WITH held AS (SELECT id FROM upload "
		"WHERE id = $1 AND dropped_at IS NOT NULL FOR UPDATE) "
		"DELETE FROM upload_chunk "
		"WHERE upload_id = (SELECT id FROM held) AND seq IN ("
		"SELECT seq FROM upload_chunk WHERE upload_id = $1 "
		"ORDER BY seq DESC LIMIT $2)";
	struct sql_params p = { 0 };
	int64_t n = DELETE_BATCH;
	sql_int8(&p, upload);
	sql_int4(&p, DELETE_BATCH);
	while (n == DELETE_BATCH)
		if (!sql_change(db, sql, &p, &n, e))
			return false;
	return true;
}

static bool retention_delete_gate(struct db *db, int64_t id, bool *gone,
	struct err *e)
{
	struct sql_params p = { 0 };
	int64_t n;
	sql_int8(&p, id);
	if (!sql_change(db, "DELETE FROM gate WHERE id = $1", &p, &n, e))
		return false;
	*gone = n > 0;
	return true;
}

bool retention_delete(struct db *db, const struct retention_item *item,
	bool *gone, struct err *e)
{
	*gone = item->why == RETENTION_BEGUN;
	switch (item->kind) {
	case RETENTION_RUN:
		return run_expire(db, item->id, gone, e);
	case RETENTION_GATE:
		return retention_delete_gate(db, item->id, gone, e);
	case RETENTION_RAW:
	case RETENTION_KINDS_N:
		break;
	}
	return (*gone || retention_mark(db, item, gone, e)) &&
	       (!*gone || retention_delete_bytes(db, item->id, e));
}

struct retention_counting {
	struct arena *arena;
	struct retention_report *report;
	size_t room;
};

static void retention_count(struct retention_counting *c,
	const struct retention_item *i)
{
	struct retention_report *r = c->report;
	struct retention_sum *s = r->sums, *end = s + r->sums_n;
	while (s < end && (s->kind != i->kind || s->why != i->why ||
				  strcmp(s->project, i->project) != 0))
		s++;
	if (s == end) {
		if (r->sums_n == c->room) {
			c->room = 2 * c->room + 16;
			r->sums = arena_grow(c->arena, r->sums,
				c->room * sizeof *r->sums);
		}
		s = &r->sums[r->sums_n++];
		*s = (struct retention_sum){ i->project, i->kind, i->why, 0,
			0 };
	}
	s->n++;
	s->bytes += i->bytes;
}

static int retention_by_project(const void *x, const void *y)
{
	const struct retention_sum *a = x, *b = y;
	int order = strcmp(a->project, b->project);
	if (!order)
		order = (int)a->kind - (int)b->kind;
	return order ? order : (int)a->why - (int)b->why;
}

bool retention_vacuum(struct db *db, struct arena *a,
	const struct retention_request *request, bool dry,
	bool (*go_on)(void *ctx), void *ctx, struct retention_report *report,
	struct err *e)
{
	struct retention_counting c = { a, report, 0 };
	struct retention_item *items;
	uint32_t n;
	*report = (struct retention_report){ 0 };
	if (!retention_plan(db, a, request, &items, &n, e))
		return false;
	for (uint32_t i = 0; i < n && (!go_on || go_on(ctx)); i++) {
		struct err why = { 0 };
		bool gone = dry;
		if (!dry && !retention_delete(db, &items[i], &gone, &why))
			err_set(&report->why, why.code, "%s", why.text);
		if (gone)
			retention_count(&c, &items[i]);
		else
			report->left++;
		/* No new connection is opened here: the caller may be able to
		 * cancel this one, or may hold the leader lock on it. */
		if (why.code && !db_alive(db))
			return err_set(e, why.code, "%s", why.text);
	}
	if (report->sums_n)
		qsort(report->sums, report->sums_n, sizeof *report->sums,
			retention_by_project);
	return true;
}
