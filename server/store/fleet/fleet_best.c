/* fleet_best.c - computes, stores and reads the best efficiency that the fleet
 * reached. */
#include "fleet_best.h"
#include "column.h"
#include "profile_word.h"
#include "rollup.h"
#include "sql.h"
#include <math.h>

/* A value is due if one in 20 of its runs came or went: to compute it takes
 * about 10 us per run, so a run costs 0.2 ms per operator, however large the
 * fleet is. */
#define DUE "changes > 0 AND changes * 20 >= runs"

static const char due_sql[] =
	"SELECT platform, operator, dtype FROM fleet_best_source "
	"WHERE " DUE " ORDER BY changes DESC, platform, operator, dtype "
	"LIMIT $1";

/* $1 platform, $2 operator, $3 dtype. `call` has a row per shape of a run,
 * `over` each row twice: among all projects and in its own. */
static const char compute_sql[] =
	"WITH call AS (SELECT o.run_id, r.project, s.leg, s.size_class, "
	"s.instances AS calls, s.sol_ns / s.mean_ns AS s "
	"FROM run_operator o "
	"JOIN run r ON r.run_id = o.run_id "
	"JOIN run_shape s ON s.run_id = o.run_id AND s.operator = o.rank "
	"WHERE o.operator = $2 AND coalesce(o.dtype, '') = $3 "
	"AND r.platform = $1 AND r.counted "
	"AND s.size_class IS NOT NULL AND s.sol_ns > 0 "
	"AND s.sol_ns <= s.mean_ns), "
	"over AS (SELECT true AS all_projects, '' AS project, run_id, leg, "
	"size_class, calls, s FROM call "
	"UNION ALL "
	"SELECT false, project, run_id, leg, size_class, calls, s FROM call), "
	"total AS (SELECT all_projects, project, leg, size_class, "
	"sum(calls)::bigint AS calls, count(DISTINCT run_id) AS runs "
	"FROM over GROUP BY all_projects, project, leg, size_class), "
	"up AS (SELECT all_projects, project, leg, size_class, run_id, s, "
	"sum(calls) OVER (PARTITION BY all_projects, project, leg, size_class "
	"ORDER BY s, run_id ROWS UNBOUNDED PRECEDING) AS calls "
	"FROM over) "
	"INSERT INTO fleet_best (all_projects, project, platform, operator, "
	"dtype, leg, size_class, s, run_id, runs, calls) "
	"SELECT DISTINCT ON (all_projects, project, leg, size_class) "
	"all_projects, project, $1, $2, $3, leg, size_class, up.s, up.run_id, "
	"total.runs, total.calls "
	"FROM up JOIN total USING (all_projects, project, leg, size_class) "
	"WHERE total.calls >= 20 AND total.runs >= 5 "
	"AND up.calls * 100 >= total.calls * 95 "
	"ORDER BY all_projects, project, leg, size_class, up.s, up.run_id";

struct fleet_best_source {
	const char *platform, *op, *dtype;
};

static bool fleet_best_one(struct db *db, const char *sql,
	const struct fleet_best_source *s, struct err *e)
{
	struct sql_params p = { 0 };
	sql_text(&p, s->platform);
	sql_text(&p, s->op);
	sql_text(&p, s->dtype);
	return sql_run(db, sql, &p, NULL, e);
}

/* Computes one source again, in a transaction of its own. No fold runs at the
 * same time, so no change is lost. */
static bool fleet_best_compute(struct db *db, void *arg, struct err *e)
{
	static const char mark[] =
		"UPDATE fleet_best_source SET changes = 0 "
		"WHERE platform = $1 AND operator = $2 AND dtype = $3";
	static const char drop[] =
		"DELETE FROM fleet_best "
		"WHERE platform = $1 AND operator = $2 AND dtype = $3";
	static const char count[] =
		"UPDATE fleet_best_source t SET runs = (SELECT count(*) "
		"FROM run_operator o JOIN run r ON r.run_id = o.run_id "
		"WHERE o.operator = t.operator "
		"AND coalesce(o.dtype, '') = t.dtype "
		"AND r.platform = t.platform) "
		"WHERE platform = $1 AND operator = $2 AND dtype = $3";
	const struct fleet_best_source *s = arg;
	return rollup_lock(db, e) && fleet_best_one(db, mark, s, e) &&
	       fleet_best_one(db, drop, s, e) &&
	       fleet_best_one(db, compute_sql, s, e) &&
	       fleet_best_one(db, count, s, e);
}

static bool fleet_best_due(struct db *db, struct arena *a, int limit,
	struct fleet_best_source **rows, uint32_t *n, struct err *e)
{
	struct sql_params p = { 0 };
	struct result r;
	sql_int4(&p, limit);
	if (!sql_hot(db, due_sql, &p, &r, e))
		return false;
	*n = 0;
	*rows = arena_array(a, struct fleet_best_source, (size_t)r.n);
	while (result_next(&r)) {
		struct fleet_best_source *s = &(*rows)[(*n)++];
		s->platform = result_text(&r, a);
		s->op = result_text(&r, a);
		s->dtype = result_text(&r, a);
	}
	result_release(&r);
	return true;
}

/* Computes one source. *e keeps the first failure; false: another process folds,
 * so the others would fail too. */
static bool fleet_best_try(struct db *db, struct fleet_best_source *s,
	struct err *e)
{
	struct err one = { 0 };
	if (sql_transaction(db, fleet_best_compute, s, &one))
		return true;
	if (!e->code)
		err_set(e, one.code, "%s %s %s: %s", s->platform, s->op,
			s->dtype, one.text);
	return one.code != ERR_BUSY;
}

bool fleet_best_refresh(struct db *db, int limit, bool *left, struct err *e)
{
	struct arena a = { 0 };
	struct fleet_best_source *rows;
	uint32_t n;
	bool ok = fleet_best_due(db, &a, limit + 1, &rows, &n, e);
	*left = ok && n > (uint32_t)limit;
	for (uint32_t i = 0; ok && i < n && i < (uint32_t)limit; i++)
		ok = fleet_best_try(db, &rows[i], e);
	arena_release(&a);
	return ok && !e->code;
}

static void fleet_best_row(struct result *r, struct arena *a,
	struct fleet_best *b)
{
	b->platform = result_text(r, a);
	b->op = result_text(r, a);
	b->dtype = column_dtype(r, a);
	b->leg = (enum leg)column_word(r, a, profile_word_leg, LEGS);
	b->size_class = result_int4(r, 0);
	b->s = result_float8(r, NAN);
	b->run = result_int8(r, 0);
}

bool fleet_best_read(struct db *db, struct arena *a, const char *project,
	const char *platform, struct fleet_bests *out, struct err *e)
{
	static const char sql[] =
		"SELECT b.platform, b.operator, nullif(b.dtype, ''), b.leg, "
		"b.size_class, b.s, r.run_id "
		"FROM fleet_best b "
		"LEFT JOIN run r ON r.run_id = b.run_id "
		"AND ($1 IS NULL OR r.project = $1) "
		"WHERE b.all_projects = ($1 IS NULL) "
		"AND b.project = coalesce($1, '') "
		"AND ($2 IS NULL OR b.platform = $2)";
	struct sql_params p = { 0 };
	struct result r;
	sql_text(&p, project);
	sql_text(&p, platform);
	*out = (struct fleet_bests){ 0 };
	if (!sql_run(db, sql, &p, &r, e))
		return false;
	out->rows = arena_array(a, struct fleet_best, (size_t)r.n);
	while (result_next(&r))
		fleet_best_row(&r, a, &out->rows[out->n++]);
	result_release(&r);
	return true;
}
