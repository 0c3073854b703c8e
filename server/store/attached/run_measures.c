/* run_measures.c - the results of benchmarks that were attached to a run. */
#include "run_measures.h"
#include "sql.h"
#include <math.h>
#include <string.h>

static void run_measures_read(struct result *r, struct arena *a,
	struct run_measure *m)
{
	m->run = result_int8(r, 0);
	m->is.name = result_text(r, a);
	m->is.value = result_float8(r, NAN);
	m->is.unit = result_text(r, a);
	m->source = result_text(r, a);
	m->file = result_text(r, a);
	m->created = result_moment(r);
}

bool run_measures_list(struct db *db, struct arena *a, const int64_t *runs,
	uint32_t runs_n, const char *const *names, uint32_t names_n,
	struct run_measure **rows, uint32_t *n, struct err *e)
{
	static const char sql[] =
		"SELECT run_id, name, value, unit, source, file, created_at "
		"FROM run_measure "
		"WHERE run_id = ANY ($1) "
		"AND CASE cardinality($2::text[]) WHEN 0 THEN source IS NOT NULL "
		"ELSE name = ANY ($2) END "
		"ORDER BY run_id, name";
	struct sql_params p = { 0 };
	struct sql_array of[2];
	struct result r;

	sql_array_init(&of[0], SQL_INT8);
	sql_array_init(&of[1], SQL_TEXT);
	for (uint32_t i = 0; i < runs_n; i++)
		sql_array_int8(&of[0], runs[i]);
	for (uint32_t i = 0; i < names_n; i++)
		sql_array_text(&of[1], names[i]);
	for (int i = 0; i < 2; i++)
		sql_array(&p, &of[i]);
	bool ok = sql_run(db, sql, &p, &r, e);
	for (int i = 0; i < 2; i++)
		sql_array_release(&of[i]);
	if (!ok)
		return false;
	*rows = arena_array(a, struct run_measure, (size_t)r.n + 1);
	for (*n = 0; *rows && result_next(&r); ++*n)
		run_measures_read(&r, a, &(*rows)[*n]);
	result_release(&r);
	return *rows || arena_err(a, e);
}

struct run_measures_adding {
	int64_t run;
	const struct measure_list *list;
	const char *file;
	bool existing;
};

/* Locks the run's identity, so that two requests cannot exceed the limit, and the
 * run is not deleted meanwhile. */
static bool run_measures_hold(struct db *db, int64_t run, struct err *e)
{
	static const char sql[] = "SELECT FROM run_identity "
				  "WHERE id = $1 AND deleted_at IS NULL "
				  "FOR UPDATE";
	struct sql_params p = { 0 };
	struct result r;
	sql_int8(&p, run);
	if (!sql_run(db, sql, &p, &r, e))
		return false;
	bool there = result_next(&r);
	result_release(&r);
	return there ||
	       err_set(e, ERR_NOT_FOUND, "no run %lld", (long long)run);
}

/* Whether the run has no other value of m. */
static bool run_measures_check(struct db *db, int64_t run,
	const struct measure *m, struct err *e)
{
	static const char sql[] =
		"SELECT value, unit FROM measure "
		"WHERE run_id = $1 AND name = $2 AND (value, unit) <> ($3, $4)";
	struct sql_params p = { 0 };
	struct result r;
	sql_int8(&p, run);
	sql_text(&p, m->name);
	sql_float8(&p, m->value);
	sql_text(&p, m->unit);
	if (!sql_run(db, sql, &p, &r, e))
		return false;
	bool differs = result_next(&r);
	double value = differs ? result_float8(&r, NAN) : 0;
	result_release(&r);
	return !differs ||
	       err_set(e, ERR_CONFLICT,
		       "run %lld has another value of %s: %.9g instead of "
		       "%.9g%s%s; delete that one first",
		       (long long)run, m->name, value, m->value,
		       strcmp(m->unit, "1") ? " " : "",
		       strcmp(m->unit, "1") ? m->unit : "");
}

static bool run_measures_insert(struct db *db,
	const struct run_measures_adding *w, const struct measure *m,
	int64_t *added, struct err *e)
{
	static const char sql[] =
		"INSERT INTO measure (run_id, name, value, unit, source, file) "
		"VALUES ($1, $2, $3, $4, $5, $6) "
		"ON CONFLICT DO NOTHING";
	struct sql_params p = { 0 };
	int64_t n;
	sql_int8(&p, w->run);
	sql_text(&p, m->name);
	sql_float8(&p, m->value);
	sql_text(&p, m->unit);
	sql_text(&p, measure_source_word[w->list->source]);
	sql_text(&p, w->file);
	if (!run_measures_check(db, w->run, m, e) ||
		!sql_change(db, sql, &p, &n, e))
		return false;
	*added += n;
	return true;
}

static bool run_measures_count(struct db *db, int64_t run, struct err *e)
{
	static const char sql[] = "SELECT count(*) FROM measure "
				  "WHERE run_id = $1";
	struct sql_params p = { 0 };
	struct result r;
	sql_int8(&p, run);
	if (!sql_run(db, sql, &p, &r, e))
		return false;
	int64_t n = result_next(&r) ? result_int8(&r, 0) : 0;
	result_release(&r);
	return n <= MEASURES_MAX ||
	       err_set(e, ERR_CONFLICT,
		       "run %lld would have %lld measures; at most %d are "
		       "possible",
		       (long long)run, (long long)n, MEASURES_MAX);
}

static bool run_measures_work(struct db *db, void *arg, struct err *e)
{
	struct run_measures_adding *w = arg;
	int64_t added = 0;

	if (!run_measures_hold(db, w->run, e))
		return false;
	for (uint32_t i = 0; i < w->list->n; i++)
		if (!run_measures_insert(db, w, &w->list->rows[i], &added, e))
			return false;
	w->existing = !added;
	return run_measures_count(db, w->run, e);
}

bool run_measures_add(struct db *db, int64_t run, const struct measure_list *l,
	const char *file, bool *existing, struct err *e)
{
	struct run_measures_adding w = { run, l, file, false };

	bool ok = sql_transaction(db, run_measures_work, &w, e);
	*existing = w.existing;
	return ok;
}

bool run_measures_delete(struct db *db, int64_t run, const char *name,
	int64_t *n, struct err *e)
{
	static const char sql[] = "DELETE FROM measure "
				  "WHERE run_id = $1 "
				  "AND ($2 IS NULL OR name = $2)";
	struct sql_params p = { 0 };
	sql_int8(&p, run);
	sql_text(&p, name);
	return sql_change(db, sql, &p, n, e);
}
