/* trend_work.c - reads the runs around each change point and compares their
 * work. */
#include "trend_work.h"
#include "compare.h"
#include "query_compared.h"

enum { SIDE_MAX = 3 };

/* Lists all kept iterations of a run, whose patterns were not read. */
static void trend_work_iterations(struct compared_run *r, struct arena *a)
{
	uint32_t n = 0;
	uint32_t *list = arena_array(a, uint32_t, r->iterations.n + 1);
	for (uint32_t i = 0; i < r->iterations.n; i++)
		if (r->iterations.iterations[i].use == ITERATION_KEPT)
			list[n++] = i;
	r->patterns.iteration = list;
	r->patterns.iterations_n = n;
}

/* The runs of the units from..to-1 that still exist. */
static bool trend_work_runs(struct db *db, const struct catalog *k,
	struct arena *a, const struct trend *t, uint32_t from, uint32_t to,
	struct compared_run *runs, uint32_t *n, struct err *e)
{
	*n = 0;
	for (uint32_t i = from; i < to; i++) {
		struct err why = { 0 };
		if (query_compared(db, a, &t->run[i], 1, false, &runs[*n],
			    &why))
			trend_work_iterations(&runs[(*n)++], a);
		else if (why.code != ERR_NOT_FOUND)
			return err_set(e, why.code, "%s", why.text);
	}
	compare_stems(k, runs, *n, a);
	return true;
}

bool trend_work_of(struct db *db, const struct catalog *k, struct arena *a,
	const struct trend *t, const struct change_point *changes, uint32_t n,
	uint32_t i, const char **other_work, struct err *e)
{
	struct compared_run before[SIDE_MAX], after[SIDE_MAX];
	uint32_t at = changes[i].at, from = i ? changes[i - 1].at : 0,
		 to = i + 1 < n ? changes[i + 1].at : t->n, before_n, after_n;
	*other_work = NULL;
	if (at - from > SIDE_MAX)
		from = at - SIDE_MAX;
	if (to - at > SIDE_MAX)
		to = at + SIDE_MAX;
	if (!trend_work_runs(db, k, a, t, from, at, before, &before_n, e) ||
		!trend_work_runs(db, k, a, t, at, to, after, &after_n, e))
		return false;
	if (before_n && after_n)
		*other_work = compare_groups_changed(before, before_n, after,
			after_n, a);
	return true;
}

bool trend_work_from(struct db *db, const struct catalog *k, struct arena *a,
	const struct trend *t, const struct change_point *changes, uint32_t n,
	const char ***other_work, struct err *e)
{
	*other_work = arena_array(a, const char *, n + 1);
	for (uint32_t i = n > TREND_WORK_CHANGES ? n - TREND_WORK_CHANGES : 0;
		i < n; i++)
		if (!trend_work_of(db, k, a, t, changes, n, i,
			    &(*other_work)[i], e))
			return false;
	return true;
}
