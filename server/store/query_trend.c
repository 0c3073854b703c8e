/* query_trend.c - workloads, and one number of each unit of one. */
#include "query_trend.h"
#include "sql.h"

bool query_workloads(struct db *db, struct arena *a, const char *project,
	const char *q, int64_t after, int limit, struct workload_row **rows,
	uint32_t *n, bool *more, struct err *e)
{
	static const char sql[] =
		"SELECT project, workload, count(*), min(created_at), "
		"max(created_at), max(run_id) "
		"FROM run "
		"WHERE ($1 IS NULL OR project = $1) "
		"AND ($2 IS NULL OR strpos(lower(project || E'\\n' || "
		"workload), lower($2)) > 0) "
		"GROUP BY project, workload "
		"HAVING $3 = 0 OR max(run_id) < $3 "
		"ORDER BY max(run_id) DESC "
		"LIMIT $4";
	struct sql_params p = { 0 };
	struct result r;
	sql_text(&p, project);
	sql_text(&p, q);
	sql_int8(&p, after);
	sql_int8(&p, limit + INT64_C(1));
	if (!sql_run(db, sql, &p, &r, e))
		return false;
	*more = r.n > limit;
	*n = (uint32_t)(*more ? limit : r.n);
	*rows = arena_array(a, struct workload_row, *n);
	for (uint32_t i = 0; i < *n && result_next(&r); i++) {
		struct workload_row *w = &(*rows)[i];
		w->project = result_text(&r, a);
		w->workload = result_text(&r, a);
		w->runs = result_int8(&r, 0);
		w->first = result_moment(&r);
		w->last = result_moment(&r);
		w->newest = result_int8(&r, 0);
	}
	result_release(&r);
	return true;
}

#define OF                                               \
	"r.project = $1 AND r.workload = $2 "            \
	"AND ($3 IS NULL OR r.framework = $3) "          \
	"AND ($4 IS NULL OR $4 = ANY (r.device_names)) " \
	"AND ($5 IS NULL OR r.labels @> $5) "

#define IN_RANGE(at) \
	"($6 IS NULL OR " at " >= $6) AND ($7 IS NULL OR " at " < $7) "

#define RUNS                                                        \
	"SELECT r.run_id, r.created_at, r.job_id, r.rank, "         \
	"r.labels ->> $8 AS said, r.cycle_ns, r.cycles, r.gpu_ns, " \
	"r.counted FROM run r WHERE " OF

/* `value` and `there` of `runs`, beside what `from` puts to each of them; $10 is
 * the stat, $11 whose. A single run in range is a unit; a job is one where its
 * first run is in range, and then with all of its runs. Planned with the values at
 * hand, so that of a CASE by the stat only what is asked for is worked out. */
#define SERIES(value, there, from)                                             \
	"WITH runs AS ((" RUNS "AND r.job_id IS NULL AND " IN_RANGE(           \
		"r.created_at") "ORDER BY r.created_at DESC, r.run_id DESC "   \
				"LIMIT $9) "                                   \
				"UNION ALL (" RUNS                             \
				"AND r.job_id IN (SELECT r.job_id FROM run r " \
				"WHERE " OF                                    \
				"AND r.job_id IS NOT NULL AND " IN_RANGE(      \
					"r.created_at") "))), "                \
							"told AS (SELECT "     \
							"run_id, created_at, " \
							"job_id, rank, said, " \
							"(" value              \
							")::float8 AS v, "     \
							"(" there              \
							") AS there FROM "     \
							"runs " from ") "      \
							"SELECT run_id, "      \
							"created_at, v, "      \
							"said, without, "      \
							"there FROM ("         \
							"SELECT run_id, "      \
							"created_at, v, "      \
							"said, (v IS "         \
							"NULL)::int::int8 "    \
							"AS without, there "   \
							"FROM told WHERE "     \
							"job_id IS NULL "      \
							"UNION ALL "           \
							"SELECT "              \
							"(array_agg(run_id "   \
							"ORDER BY rank, "      \
							"run_id))[1], "        \
							"min(created_at), "    \
							"avg(v), "             \
							"(array_agg(said "     \
							"ORDER BY rank, "      \
							"run_id))[1], "        \
							"count(*) - "          \
							"count(v), "           \
							"bool_or(there) "      \
							"FROM told WHERE "     \
							"job_id IS NOT NULL "  \
							"GROUP BY job_id "     \
							"HAVING " IN_RANGE(    \
								"min(created_" \
								"at)") ") "    \
								       "unit " \
								       "ORDER" \
								       " BY "  \
								       "creat" \
								       "ed_"   \
								       "at "   \
								       "DESC," \
								       " run_" \
								       "id "   \
								       "DESC " \
								       "LIMIT" \
								       " $9"

/* A stat of the kept cycles' x. */
#define OF_CYCLES(x)                                                    \
	"(SELECT CASE $10 WHEN 'avg' THEN avg(" x ") "                  \
	"ELSE percentile_cont(CASE $10 WHEN 'min' THEN 0 "              \
	"WHEN 'med' THEN 0.5 WHEN 'p90' THEN 0.9 WHEN 'p99' THEN 0.99 " \
	"ELSE 1 END) WITHIN GROUP (ORDER BY " x ") END "                \
	"FROM run_cycle c WHERE c.run_id = runs.run_id "                \
	"AND c.use = 'kept' AND $11 IS NULL)"

/* What an operator's or a kernel's time is divided by. */
#define OF_TIME(time)                 \
	"WHEN 'total' THEN " time " " \
	"WHEN 'share' THEN " time "::float8 / nullif(gpu_ns, 0) "

static const char *const series[] = {
	[TREND_METRIC_cycle] = SERIES("CASE $10 WHEN 'med' THEN cycle_ns "
				      "ELSE " OF_CYCLES("c.dur_ns") " END",
		"true", ""),
	[TREND_METRIC_busy] =
		SERIES(OF_CYCLES("c.compute_ns + c.comm_ns + c.copy_ns"),
			"true", ""),
	[TREND_METRIC_idle] = SERIES(OF_CYCLES("c.idle_ns"), "true", ""),
	[TREND_METRIC_exposed_comm] =
		SERIES("CASE WHEN counted THEN " OF_CYCLES("c.comm_ns") " END",
			"true", ""),
	[TREND_METRIC_operator] =
		SERIES("CASE WHEN counted AND gpu_ns IS NOT NULL THEN CASE $10 "
		       "WHEN 'avg' THEN coalesce(o.ns, 0)::float8 / "
		       "nullif(cycles, 0) " OF_TIME(
			       "coalesce(o.ns, 0)") "END END",
			"o.ns IS NOT NULL",
			"CROSS JOIN LATERAL (SELECT sum(total_ns) AS ns "
			"FROM run_operator o "
			"WHERE o.run_id = runs.run_id AND o.operator = $11) o"),
	[TREND_METRIC_kernel] = SERIES(
		"CASE WHEN counted THEN CASE $10 "
		"WHEN 'min' THEN k.min WHEN 'max' THEN k.max " OF_TIME(
			"coalesce(k.ns, 0)") "ELSE CASE k.lines WHEN 1 THEN "
					     "k.is "
					     "ELSE CASE $10 WHEN 'avg' THEN "
					     "k.ns / k.n END END END END",
		"k.lines > 0",
		"CROSS JOIN LATERAL (SELECT count(*) AS lines, "
		"sum(total_ns)::float8 AS ns, sum(instances)::float8 AS n, "
		"min(min_ns)::float8 AS min, max(max_ns)::float8 AS max, "
		"max(CASE $10 WHEN 'avg' THEN avg_ns WHEN 'med' THEN med_ns "
		"WHEN 'p90' THEN p90_ns WHEN 'p99' THEN p99_ns END) AS is "
		"FROM run_kernel k WHERE k.run_id = runs.run_id "
		"AND k.split = 0 AND k.kernel_id = (SELECT id FROM kernel "
		"WHERE sha256 = sha256(convert_to($11, 'UTF8')))) k"),
	[TREND_METRIC_coverage] = SERIES("CASE WHEN counted THEN o.ns::float8 "
					 "/ nullif(gpu_ns, 0) END",
		"true",
		"CROSS JOIN LATERAL (SELECT coalesce(sum(total_ns) FILTER "
		"(WHERE operator IS NOT NULL), 0) AS ns "
		"FROM run_operator o WHERE o.run_id = runs.run_id "
		"AND $10 = 'share' AND $11 IS NULL) o"),
	[TREND_METRIC_headroom] = SERIES("CASE WHEN counted AND o.bound > 0 "
					 "THEN o.ns::float8 / "
					 "nullif(gpu_ns, 0) END",
		"true",
		"CROSS JOIN LATERAL (SELECT sum(bound_ns) AS bound, "
		"coalesce(sum(headroom_ns) FILTER (WHERE NOT collective), 0) "
		"AS ns FROM run_operator o WHERE o.run_id = runs.run_id "
		"AND $10 = 'share' AND $11 IS NULL) o"),
};

/* Rows are the newest first. */
static void read_units(struct result *r, struct arena *a, int limit,
	struct trend *t)
{
	uint32_t rows = (uint32_t)(r->n > limit ? limit : r->n);
	t->more = r->n > limit;
	t->run = arena_array(a, int64_t, rows);
	t->at = arena_array(a, int64_t, rows);
	t->value = arena_array(a, double, rows);
	t->group = arena_array(a, const char *, rows);
	uint32_t to = rows;
	for (uint32_t i = 0; i < rows && result_next(r); i++) {
		int64_t run = result_int8(r, 0), at = result_moment(r);
		double v = result_float8(r, NAN);
		const char *said = result_text(r, a);
		t->left_out += result_int8(r, 0);
		t->there |= result_bool(r);
		if (!isfinite(v))
			continue;
		to--;
		t->run[to] = run;
		t->at[to] = at;
		t->value[to] = v;
		t->group[to] = said;
	}
	t->run += to;
	t->at += to;
	t->value += to;
	t->group += to;
	t->n = rows - to;
}

bool query_trend(struct db *db, struct arena *a, const struct trend_filter *f,
	struct trend *out, struct err *e)
{
	struct sql_params p = { 0 };
	struct result r;
	*out = (struct trend){ 0 };
	sql_text(&p, f->project);
	sql_text(&p, f->workload);
	sql_text(&p, f->framework);
	sql_text(&p, f->device);
	sql_json(&p, f->labels);
	sql_moment(&p, f->since);
	sql_moment(&p, f->until);
	sql_text(&p, f->group);
	sql_int8(&p, f->limit + INT64_C(1));
	sql_text(&p, trend_stat_word(f->stat));
	sql_text(&p, f->of);
	if (!sql_run(db, series[f->metric], &p, &r, e))
		return false;
	read_units(&r, a, f->limit, out);
	result_release(&r);
	return true;
}
