/* query_trend.c - one number of each unit of a workload. */
#include "query_trend.h"
#include "sql.h"

/* Of the workload, as filtered. */
#define OF                                               \
	"r.project = $1 AND r.workload = $2 "            \
	"AND ($3 IS NULL OR r.framework = $3) "          \
	"AND ($4 IS NULL OR $4 = ANY (r.device_names)) " \
	"AND ($5 IS NULL OR r.labels @> $5) "

#define IN_RANGE                                  \
	"AND ($6 IS NULL OR r.created_at >= $6) " \
	"AND ($7 IS NULL OR r.created_at < $7) "

#define RUN                                                         \
	"SELECT r.run_id, r.created_at, r.job_id, r.rank, "         \
	"r.labels ->> $8 AS said, r.cycle_ns, r.cycles, r.gpu_ns, " \
	"r.counted FROM run r WHERE " OF

/* A run that is of no job is a unit where it is in range; a job where its first
 * run is, and then with all of its runs: so of some that have a run in range, and
 * come first, none is left. */
#define RUNS                                                      \
	"WITH runs AS ((" RUN "AND r.job_id IS NULL " IN_RANGE    \
	"ORDER BY r.created_at DESC, r.run_id DESC LIMIT $9) "    \
	"UNION ALL (" RUN                                         \
	"AND r.job_id IN (SELECT r.job_id FROM run r WHERE " OF   \
	"AND r.job_id IS NOT NULL " IN_RANGE "GROUP BY r.job_id " \
	"ORDER BY min(r.created_at) DESC LIMIT $9 + 1000))), "    \
	"told AS (SELECT run_id, created_at, job_id, rank, said, "

#define UNITS                                                   \
	"FROM told WHERE job_id IS NULL "                       \
	"UNION ALL "                                            \
	"SELECT (array_agg(run_id ORDER BY rank, run_id))[1], " \
	"min(created_at), avg(v), "                             \
	"(array_agg(said ORDER BY rank, run_id))[1], "          \
	"count(*) - count(v), bool_or(there) "                  \
	"FROM told WHERE job_id IS NOT NULL GROUP BY job_id "   \
	"HAVING ($6 IS NULL OR min(created_at) >= $6) "         \
	"AND ($7 IS NULL OR min(created_at) < $7)"

/* `value` and `there` of each run, beside what `from` puts to it; $10 is the stat,
 * $11 whose. Planned with the values at hand, so that of a CASE by the stat only
 * what is asked for is worked out. */
#define SERIES(value, there, from)                                            \
	RUNS value                                                            \
		"::float8 AS v, " there " AS there FROM runs " from ") "      \
		"SELECT run_id, created_at, v, said, without, there FROM ("   \
		"SELECT run_id, created_at, v, said, (v IS NULL)::int::int8 " \
		"AS without, there " UNITS ") unit "                          \
		"ORDER BY created_at DESC, run_id DESC LIMIT $9"

/* A stat of the kept cycles' x. */
#define OF_CYCLES(x)                                                    \
	"(SELECT CASE $10 WHEN 'avg' THEN avg(" x ") "                  \
	"ELSE percentile_cont(CASE $10 WHEN 'min' THEN 0 "              \
	"WHEN 'med' THEN 0.5 WHEN 'p90' THEN 0.9 WHEN 'p99' THEN 0.99 " \
	"ELSE 1 END) WITHIN GROUP (ORDER BY " x ") END "                \
	"FROM run_cycle c WHERE c.run_id = runs.run_id "                \
	"AND c.use = 'kept' AND $11 IS NULL)"

#define DUR_NS OF_CYCLES("c.dur_ns")
#define CYCLE_NS "(CASE $10 WHEN 'med' THEN cycle_ns ELSE " DUR_NS " END)"
#define BUSY_NS OF_CYCLES("c.compute_ns + c.comm_ns + c.copy_ns")
#define COMM_NS "(CASE WHEN counted THEN " OF_CYCLES("c.comm_ns") " END)"

#define OPERATOR_NS                                              \
	"(CASE WHEN counted AND gpu_ns IS NOT NULL THEN "        \
	"coalesce(o.ns, 0)::float8 / CASE $10 "                  \
	"WHEN 'avg' THEN nullif(cycles, 0) WHEN 'total' THEN 1 " \
	"ELSE nullif(gpu_ns, 0) END END)"
#define OPERATOR                                          \
	"CROSS JOIN LATERAL (SELECT sum(total_ns) AS ns " \
	"FROM run_operator o "                            \
	"WHERE o.run_id = runs.run_id AND o.operator = $11) o"

/* In a printed table it may have several lines. */
#define KERNEL_NS                                                  \
	"(CASE WHEN counted THEN CASE $10 "                        \
	"WHEN 'avg' THEN k.ns / k.n "                              \
	"WHEN 'min' THEN k.min WHEN 'max' THEN k.max "             \
	"WHEN 'total' THEN coalesce(k.ns, 0) "                     \
	"WHEN 'share' THEN coalesce(k.ns, 0) / nullif(gpu_ns, 0) " \
	"ELSE k.of_launches END END)"
#define KERNEL                                                       \
	"CROSS JOIN LATERAL (SELECT count(*) AS lines, "             \
	"sum(total_ns)::float8 AS ns, sum(instances)::float8 AS n, " \
	"min(min_ns)::float8 AS min, max(max_ns)::float8 AS max, "   \
	"CASE count(*) WHEN 1 THEN max(CASE $10 "                    \
	"WHEN 'med' THEN med_ns WHEN 'p90' THEN p90_ns "             \
	"WHEN 'p99' THEN p99_ns END) END AS of_launches "            \
	"FROM run_kernel k WHERE k.run_id = runs.run_id "            \
	"AND k.split = 0 AND k.kernel_id = (SELECT id FROM kernel "  \
	"WHERE sha256 = sha256(convert_to($11, 'UTF8')))) k"

#define ATTRIBUTED \
	"(CASE WHEN counted THEN o.ns::float8 / nullif(gpu_ns, 0) END)"
#define HEADROOM                                   \
	"(CASE WHEN counted AND o.bound > 0 THEN " \
	"o.above::float8 / nullif(gpu_ns, 0) END)"
#define OPERATORS                                                             \
	"CROSS JOIN LATERAL (SELECT sum(bound_ns) AS bound, "                 \
	"coalesce(sum(total_ns) FILTER (WHERE operator IS NOT NULL), 0) "     \
	"AS ns, coalesce(sum(headroom_ns) FILTER (WHERE NOT collective), 0) " \
	"AS above FROM run_operator o WHERE o.run_id = runs.run_id "          \
	"AND $10 = 'share' AND $11 IS NULL) o"

static const char *const series[] = {
	[TREND_METRIC_cycle] = SERIES(CYCLE_NS, "true", ""),
	[TREND_METRIC_busy] = SERIES(BUSY_NS, "true", ""),
	[TREND_METRIC_idle] = SERIES(OF_CYCLES("c.idle_ns"), "true", ""),
	[TREND_METRIC_exposed_comm] = SERIES(COMM_NS, "true", ""),
	[TREND_METRIC_operator] =
		SERIES(OPERATOR_NS, "o.ns IS NOT NULL", OPERATOR),
	[TREND_METRIC_kernel] = SERIES(KERNEL_NS, "k.lines > 0", KERNEL),
	[TREND_METRIC_coverage] = SERIES(ATTRIBUTED, "true", OPERATORS),
	[TREND_METRIC_headroom] = SERIES(HEADROOM, "true", OPERATORS),
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

struct reading {
	struct arena *arena;
	const struct trend_filter *f;
	struct trend *out;
};

/* 50,000 rows are sorted in memory; compiling would take longer than reading. */
static bool read_series(struct db *db, void *arg, struct err *e)
{
	const struct reading *g = arg;
	const struct trend_filter *f = g->f;
	struct sql_params p = { 0 };
	struct result r;
	*g->out = (struct trend){ 0 };
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
	if (!sql_script(db,
		    "SET TRANSACTION READ ONLY;"
		    "SET LOCAL work_mem = '64MB';"
		    "SET LOCAL jit = off",
		    e) ||
		!sql_run(db, series[f->metric], &p, &r, e))
		return false;
	read_units(&r, g->arena, f->limit, g->out);
	result_release(&r);
	return true;
}

bool query_trend(struct db *db, struct arena *a, const struct trend_filter *f,
	struct trend *out, struct err *e)
{
	struct reading g = { a, f, out };
	return sql_transaction(db, read_series, &g, e);
}
