/* query_trend.c - workloads, one value per run or job of a workload, and the
 * units of the same work. */
#include "query_trend.h"
#include "sql.h"
#include <string.h>

bool query_workloads(struct db *db, struct arena *a,
	const struct workload_filter *f, struct workload_row **rows,
	uint32_t *n, bool *more, struct err *e)
{
	static const char sql[] =
		"SELECT project, workload, count(*), min(created_at), "
		"max(created_at), max(run_id) "
		"FROM run "
		"WHERE ($1 IS NULL OR project = $1) "
		"AND ($2 IS NULL OR workload = $2) "
		"AND ($3 IS NULL OR strpos(lower(project || E'\\n' || "
		"workload), lower($3)) > 0) "
		"AND ($4 IS NULL OR created_at >= $4) "
		"AND ($5 IS NULL OR created_at < $5) "
		"GROUP BY project, workload "
		"HAVING $6 = 0 OR max(run_id) < $6 "
		"ORDER BY max(run_id) DESC "
		"LIMIT $7";
	struct sql_params p = { 0 };
	struct result r;
	sql_text(&p, f->project);
	sql_text(&p, f->workload);
	sql_text(&p, f->q);
	sql_moment(&p, f->since);
	sql_moment(&p, f->until);
	sql_int8(&p, f->after);
	sql_int8(&p, f->limit + INT64_C(1));
	if (!sql_run(db, sql, &p, &r, e))
		return false;
	*more = r.n > f->limit;
	*n = (uint32_t)(*more ? f->limit : r.n);
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

/* Runs of the workload that the filter selects. */
#define TREND_OF                                         \
	"r.project = $1 AND r.workload = $2 "            \
	"AND ($3 IS NULL OR r.framework = $3) "          \
	"AND ($4 IS NULL OR $4 = ANY (r.device_names)) " \
	"AND ($5 IS NULL OR r.labels @> $5) "

#define TREND_IN_RANGE                            \
	"AND ($6 IS NULL OR r.created_at >= $6) " \
	"AND ($7 IS NULL OR r.created_at < $7) "

#define TREND_RUN                                                            \
	"SELECT r.run_id, r.created_at, r.job_id, r.rank, "                  \
	"r.labels ->> $8 AS label, r.iteration_ns, r.iterations, r.gpu_ns, " \
	"r.counted FROM run r WHERE " TREND_OF

/* A run without a job is a unit if it is in the range. A job is a unit, with
 * all its runs, if its first run is in the range. Jobs that began before the
 * range are dropped later, so 1,000 more jobs are read. */
#define TREND_RUNS                                                         \
	"WITH runs AS ((" TREND_RUN "AND r.job_id IS NULL " TREND_IN_RANGE \
	"ORDER BY r.created_at DESC, r.run_id DESC LIMIT $9) "             \
	"UNION ALL (" TREND_RUN                                            \
	"AND r.job_id IN (SELECT r.job_id FROM run r WHERE " TREND_OF      \
	"AND r.job_id IS NOT NULL " TREND_IN_RANGE "GROUP BY r.job_id "    \
	"ORDER BY min(r.created_at) DESC LIMIT $9 + 1000)))"

#define TREND_UNITS_HEAD \
	", units AS (SELECT run_id, created_at, job_id, rank, label, "

#define TREND_UNIT_ROWS                                         \
	"FROM units WHERE job_id IS NULL "                      \
	"UNION ALL "                                            \
	"SELECT (array_agg(run_id ORDER BY rank, run_id))[1], " \
	"min(created_at), avg(v), "                             \
	"(array_agg(label ORDER BY rank, run_id))[1], "         \
	"count(*) - count(v), bool_or(there) "                  \
	"FROM units WHERE job_id IS NOT NULL GROUP BY job_id "  \
	"HAVING ($6 IS NULL OR min(created_at) >= $6) "         \
	"AND ($7 IS NULL OR min(created_at) < $7)"

/* Computes `value` and `there` of each run. `from` is joined to the run; $10 is
 * the statistic, $11 the operator or kernel. The statement is planned with the
 * actual values, so only one branch of a CASE by the statistic is computed. */
#define TREND_SERIES(value, there, from)                                       \
	TREND_RUNS TREND_UNITS_HEAD value                                      \
		"::float8 AS v, " there " AS there FROM runs " from ") "       \
		"SELECT run_id, created_at, v, label, without, there FROM ("   \
		"SELECT run_id, created_at, v, label, (v IS NULL)::int::int8 " \
		"AS without, there " TREND_UNIT_ROWS ") unit "                 \
		"ORDER BY created_at DESC, run_id DESC LIMIT $9"

/* A statistic of x over the kept iterations. */
#define TREND_OF_ITERATIONS(x)                                             \
	"(SELECT CASE $10 WHEN 'mean' THEN avg(" x ") "                    \
	"ELSE percentile_cont(CASE $10 WHEN 'min' THEN 0 "                 \
	"WHEN 'median' THEN 0.5 WHEN 'p90' THEN 0.9 WHEN 'p99' THEN 0.99 " \
	"ELSE 1 END) WITHIN GROUP (ORDER BY " x ") END "                   \
	"FROM run_iteration c WHERE c.run_id = runs.run_id "               \
	"AND c.use = 'kept' AND $11 IS NULL)"

#define DUR_NS TREND_OF_ITERATIONS("c.dur_ns")
#define ITERATION_NS \
	"(CASE $10 WHEN 'median' THEN iteration_ns ELSE " DUR_NS " END)"
#define BUSY_NS TREND_OF_ITERATIONS("c.compute_ns + c.comm_ns + c.copy_ns")
#define COMM_NS \
	"(CASE WHEN counted THEN " TREND_OF_ITERATIONS("c.comm_ns") " END)"

#define OPERATOR_NS                                                   \
	"(CASE WHEN counted AND gpu_ns IS NOT NULL THEN "             \
	"coalesce(o.ns, 0)::float8 / CASE $10 "                       \
	"WHEN 'mean' THEN nullif(iterations, 0) WHEN 'total' THEN 1 " \
	"ELSE nullif(gpu_ns, 0) END END)"
#define OPERATOR                                          \
	"CROSS JOIN LATERAL (SELECT sum(total_ns) AS ns " \
	"FROM run_operator o "                            \
	"WHERE o.run_id = runs.run_id AND o.operator = $11) o"

/* In an uploaded table a kernel may have several lines. */
#define KERNEL_NS                                                  \
	"(CASE WHEN counted THEN CASE $10 "                        \
	"WHEN 'mean' THEN k.ns / k.n "                             \
	"WHEN 'min' THEN k.min WHEN 'max' THEN k.max "             \
	"WHEN 'total' THEN coalesce(k.ns, 0) "                     \
	"WHEN 'share' THEN coalesce(k.ns, 0) / nullif(gpu_ns, 0) " \
	"ELSE k.of_launches END END)"
#define KERNEL_LINES(id)                                             \
	"CROSS JOIN LATERAL (SELECT count(*) AS lines, "             \
	"sum(total_ns)::float8 AS ns, sum(instances)::float8 AS n, " \
	"min(min_ns)::float8 AS min, max(max_ns)::float8 AS max, "   \
	"CASE count(*) WHEN 1 THEN max(CASE $10 "                    \
	"WHEN 'median' THEN median_ns WHEN 'p90' THEN p90_ns "       \
	"WHEN 'p99' THEN p99_ns END) END AS of_launches "            \
	"FROM run_kernel k WHERE k.run_id = runs.run_id "            \
	"AND k.split = 0 AND k.kernel_id = " id ") k"
#define KERNEL KERNEL_LINES(NAMED_KERNEL)

/* A kernel that a compiler numbers has another name in each compilation. $12 are
 * the kernels of its stem. `same` describes the kernel $11 in the newest run
 * that has it: its grids and operators, and its place among the kernels of the
 * stem that have equal ones. In every other run, the kernel of the same
 * description is the same kernel; if the run has more or fewer of them, it is
 * unknown which. Runs from before launch_order was stored are searched by
 * name. */
#define NAMED_KERNEL \
	"(SELECT id FROM kernel WHERE sha256 = sha256(convert_to($11, 'UTF8')))"
#define LIKE_KERNELS                                                  \
	"SELECT p.kernel_id, p.launch_shapes, p.operator_shapes, "    \
	"row_number() OVER (PARTITION BY p.number, p.launch_shapes, " \
	"p.operator_shapes ORDER BY p.launch_order) AS place, "       \
	"count(*) OVER (PARTITION BY p.number, p.launch_shapes, "     \
	"p.operator_shapes) AS of FROM run_pattern p "                \
	"WHERE p.kernel_id = ANY ($12) AND p.launch_order IS NOT NULL "
#define SAME_KERNEL                                                     \
	", newest AS (SELECT runs.run_id FROM runs JOIN run_pattern q " \
	"ON q.run_id = runs.run_id AND q.kernel_id = " NAMED_KERNEL     \
	" AND q.launch_order IS NOT NULL "                              \
	"ORDER BY runs.created_at DESC, runs.run_id DESC LIMIT 1), "    \
	"same AS (SELECT * FROM (" LIKE_KERNELS                         \
	"AND p.run_id = (SELECT run_id FROM newest)) x "                \
	"WHERE kernel_id = " NAMED_KERNEL " LIMIT 1)"
#define NUMBERED                                                              \
	"CROSS JOIN LATERAL (SELECT CASE count(DISTINCT x.kernel_id) "        \
	"WHEN 1 THEN min(x.kernel_id) END AS id "                             \
	"FROM (" LIKE_KERNELS "AND p.run_id = runs.run_id) x JOIN same "      \
	"ON x.launch_shapes IS NOT DISTINCT FROM same.launch_shapes "         \
	"AND x.operator_shapes IS NOT DISTINCT FROM same.operator_shapes "    \
	"AND x.place = same.place AND x.of = same.of) found "                 \
	"CROSS JOIN LATERAL (SELECT coalesce(found.id, CASE WHEN NOT EXISTS " \
	"(SELECT FROM run_pattern p WHERE p.run_id = runs.run_id "            \
	"AND p.launch_order IS NOT NULL) THEN " NAMED_KERNEL                  \
	" END) AS id) is_ "

#define ATTRIBUTED \
	"(CASE WHEN counted THEN o.ns::float8 / nullif(gpu_ns, 0) END)"
#define HEADROOM                                   \
	"(CASE WHEN counted AND o.bound > 0 THEN " \
	"o.above::float8 / nullif(gpu_ns, 0) END)"
#define OPERATORS                                                             \
	"CROSS JOIN LATERAL (SELECT "                                         \
	"sum(roofline_known_ns) FILTER (WHERE NOT collective) AS bound, "     \
	"coalesce(sum(total_ns) FILTER (WHERE operator IS NOT NULL), 0) "     \
	"AS ns, coalesce(sum(headroom_ns) FILTER (WHERE NOT collective), 0) " \
	"AS above FROM run_operator o WHERE o.run_id = runs.run_id "          \
	"AND $10 = 'share' AND $11 IS NULL) o"

/* Sends and receives are in no sum over kinds (model/trend.h). */
#define BUSBW "(CASE WHEN counted THEN b.bytes / nullif(b.ns, 0) END)"
#define BUS                                                 \
	"CROSS JOIN LATERAL (SELECT sum(bytes) AS bytes, "  \
	"sum(total_ns)::float8 AS ns FROM run_bus b "       \
	"WHERE b.run_id = runs.run_id AND $10 = 'mean' "    \
	"AND CASE WHEN $11 IS NULL "                        \
	"THEN b.kind NOT IN ('send', 'recv', 'send_recv') " \
	"ELSE b.kind = $11 END) b"

/* The measure `name` of a run. LIMIT keeps the view from being joined
 * (run_measure.sql). */
#define TREND_MEASURE(run, name)                              \
	"LATERAL (SELECT n.value, n.unit FROM run_measure n " \
	"WHERE n.run_id = " run " AND n.name = " name " LIMIT 1) "
/* The unit is that of the newest of these runs that has the measure. */
#define MEASURE                                                              \
	"(CASE WHEN m.unit = (SELECT n.unit FROM runs q "                    \
	"CROSS JOIN " TREND_MEASURE("q.run_id",                              \
		"$11") "n "                                                  \
		       "ORDER BY q.created_at DESC, q.run_id DESC LIMIT 1) " \
		       "THEN m.value * CASE m.unit WHEN 'ms' THEN 1e6 ELSE 1 END END)"
#define MEASURES \
	"LEFT JOIN " TREND_MEASURE("runs.run_id", "$11") "m ON $10 = 'mean'"

static const char *const series[] = {
	[TREND_METRIC_iteration] = TREND_SERIES(ITERATION_NS, "true", ""),
	[TREND_METRIC_busy] = TREND_SERIES(BUSY_NS, "true", ""),
	[TREND_METRIC_idle] =
		TREND_SERIES(TREND_OF_ITERATIONS("c.idle_ns"), "true", ""),
	[TREND_METRIC_exposed_comm] = TREND_SERIES(COMM_NS, "true", ""),
	[TREND_METRIC_operator] =
		TREND_SERIES(OPERATOR_NS, "o.ns IS NOT NULL", OPERATOR),
	[TREND_METRIC_kernel] = TREND_SERIES(KERNEL_NS, "k.lines > 0", KERNEL),
	[TREND_METRIC_coverage] = TREND_SERIES(ATTRIBUTED, "true", OPERATORS),
	[TREND_METRIC_headroom] = TREND_SERIES(HEADROOM, "true", OPERATORS),
	[TREND_METRIC_busbw] = TREND_SERIES(BUSBW, "b.bytes IS NOT NULL", BUS),
	[TREND_METRIC_measure] =
		TREND_SERIES(MEASURE, "m.unit IS NOT NULL", MEASURES),
};

/* The query returns the newest row first. */
static void query_trend_read_units(struct result *r, struct arena *a, int limit,
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
		const char *label = result_text(r, a);
		t->left_out += result_int8(r, 0);
		t->there |= result_bool(r);
		if (!isfinite(v))
			continue;
		to--;
		t->run[to] = run;
		t->at[to] = at;
		t->value[to] = v;
		t->group[to] = label;
	}
	t->run += to;
	t->at += to;
	t->value += to;
	t->group += to;
	t->n = rows - to;
}

/* The series of a kernel that a compiler numbers. A run in which it is unknown
 * which kernel it is has no value, also not 0. */
static const char series_numbered[] = TREND_RUNS SAME_KERNEL TREND_UNITS_HEAD
	"(CASE WHEN k.lines > 0 THEN " KERNEL_NS " END)::float8 AS v, "
	"k.lines > 0 AS there FROM runs " NUMBERED KERNEL_LINES(
		"is_.id") ") "
			  "SELECT run_id, created_at, v, label, without, there FROM ("
			  "SELECT run_id, created_at, v, label, (v IS NULL)::int::int8 "
			  "AS without, there " TREND_UNIT_ROWS ") unit "
			  "ORDER BY created_at DESC, run_id DESC LIMIT $9";

struct query_trend_request {
	struct arena *arena;
	const struct trend_filter *f;
	struct trend *out;
};

/* Sets the unit of a measure, which is that of the newest unit's value. */
static bool query_trend_measure_unit(struct db *db,
	const struct query_trend_request *g, struct err *e)
{
	static const char sql[] =
		"SELECT m.unit FROM run r "
		"JOIN run o ON o.run_id = r.run_id OR o.job_id = r.job_id "
		"CROSS JOIN " TREND_MEASURE("o.run_id",
			"$2") "m "
			      "WHERE r.run_id = $1 "
			      "ORDER BY o.created_at DESC, o.run_id DESC LIMIT 1";
	struct trend *t = g->out;
	struct sql_params p = { 0 };
	struct result r;
	if (!t->n)
		return true;
	sql_int8(&p, t->run[t->n - 1]);
	sql_text(&p, g->f->of);
	if (!sql_run(db, sql, &p, &r, e))
		return false;
	const char *unit = result_next(&r) ? result_text(&r, g->arena) : "1";
	result_release(&r);
	t->unit = !strcmp(unit, "ms")  ? "ns"
		  : !strcmp(unit, "1") ? "number"
				       : unit;
	return true;
}

/* Sets enough memory to sort 50,000 rows. JIT is off, because compilation takes
 * longer than reading the rows. */
static bool query_trend_read_series(struct db *db, void *arg, struct err *e)
{
	const struct query_trend_request *g = arg;
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
	struct sql_array like;
	sql_array_init(&like, SQL_INT8);
	for (uint32_t i = 0; i < f->like_n; i++)
		sql_array_int8(&like, f->like[i]);
	if (f->like_n)
		sql_array(&p, &like);
	bool ok = sql_script(db,
			  "SET TRANSACTION READ ONLY;"
			  "SET LOCAL work_mem = '64MB';"
			  "SET LOCAL jit = off",
			  e) &&
		  sql_run(db, f->like_n ? series_numbered : series[f->metric],
			  &p, &r, e);
	sql_array_release(&like);
	if (!ok)
		return false;
	query_trend_read_units(&r, g->arena, f->limit, g->out);
	result_release(&r);
	return f->metric != TREND_METRIC_measure ||
	       query_trend_measure_unit(db, g, e);
}

bool query_kernel_prefix(struct db *db, struct arena *a, const char *prefix,
	struct kernel_named **rows, uint32_t *n, struct err *e)
{
	static const char sql[] = "SELECT id, name FROM kernel "
				  "WHERE starts_with(name, $1) "
				  "ORDER BY id "
				  "LIMIT 10000";
	struct sql_params p = { 0 };
	struct result r;
	sql_text(&p, prefix);
	if (!sql_run(db, sql, &p, &r, e))
		return false;
	*rows = arena_array(a, struct kernel_named, (size_t)r.n);
	for (*n = 0; result_next(&r); ++*n) {
		(*rows)[*n].id = result_int8(&r, 0);
		(*rows)[*n].name = result_text(&r, a);
	}
	result_release(&r);
	return true;
}

bool query_trend(struct db *db, struct arena *a, const struct trend_filter *f,
	struct trend *out, struct err *e)
{
	struct query_trend_request g = { a, f, out };
	return sql_transaction(db, query_trend_read_series, &g, e);
}

/* A unit has the keys of one unit of $1, which may have units of several kinds. Ranks
 * of a job that $1 does not have do not count: a base may be of single ranks. */
static const char same_work_sql[] =
	"WITH kind AS MATERIALIZED ("
	"SELECT DISTINCT array_agg(DISTINCT repeat_key ORDER BY repeat_key) "
	"AS keys "
	"FROM run "
	"WHERE run_id = ANY ($1) AND repeat_key IS NOT NULL "
	"GROUP BY coalesce(job_id, -run_id)), "
	"hit AS MATERIALIZED ("
	"SELECT r.run_id, r.job_id, r.rank, r.created_at, r.iteration_ns, "
	"r.repeat_key, r.labels ->> $10 AS commit "
	"FROM run r "
	"WHERE r.repeat_key = ANY (ARRAY (SELECT unnest(keys) FROM kind)) "
	"AND r.iteration_ns > 0 AND r.iterations_kept >= $11 "
	"AND (cardinality($2) = 0 OR r.run_id = ANY ($2)) "
	"AND ($3 IS NULL OR r.project = $3) "
	"AND ($4 IS NULL OR r.workload = $4) "
	"AND ($5 IS NULL OR r.labels @> $5) "
	"AND r.run_id <> ALL ($6) "
	"AND ($7 IS NULL OR r.created_at >= $7) "
	"AND ($8 IS NULL OR r.created_at < $8) "
	"ORDER BY r.created_at DESC, r.run_id DESC LIMIT 16 * $9), "
	"unit AS ("
	"SELECT job_id, array_agg(DISTINCT repeat_key ORDER BY repeat_key) "
	"AS keys, "
	"(array_agg(run_id ORDER BY rank, run_id))[1] AS run_id, "
	"min(created_at) AS at, "
	"(array_agg(commit ORDER BY rank, run_id))[1] AS commit, "
	"avg(iteration_ns) AS ns "
	"FROM hit "
	"GROUP BY job_id, coalesce(job_id, -run_id)), "
	"newest AS ("
	"SELECT run_id, at, commit, ns FROM unit JOIN kind USING (keys) "
	"WHERE NOT EXISTS (SELECT FROM run o WHERE o.job_id = unit.job_id "
	"AND o.repeat_key <> ALL (keys) "
	"AND o.repeat_key IN (SELECT unnest(k.keys) FROM kind k)) "
	"ORDER BY at DESC, run_id DESC LIMIT $9) "
	"SELECT run_id, at, commit, ns FROM newest ORDER BY at, run_id";

static void query_trend_ids(struct sql_params *p, struct sql_array *to,
	const int64_t *ids, uint32_t n)
{
	sql_array_init(to, SQL_INT8);
	for (uint32_t i = 0; i < n; i++)
		sql_array_int8(to, ids[i]);
	sql_array(p, to);
}

bool query_same_work(struct db *db, struct arena *a,
	const struct same_work_filter *f, struct gate_stored_unit **out,
	uint32_t *n, struct err *e)
{
	struct sql_params p = { 0 };
	struct sql_array like, ids, without;
	struct result r;

	query_trend_ids(&p, &like, f->like, f->like_n);
	query_trend_ids(&p, &ids, f->ids, f->ids_n);
	sql_text(&p, f->project);
	sql_text(&p, f->workload);
	sql_json(&p, f->labels);
	query_trend_ids(&p, &without, f->without, f->without_n);
	sql_moment(&p, f->since);
	sql_moment(&p, f->until);
	sql_int8(&p, f->limit);
	sql_text(&p, f->unit);
	sql_int8(&p, f->min_iterations);
	bool ok = sql_run(db, same_work_sql, &p, &r, e);
	sql_array_release(&like);
	sql_array_release(&ids);
	sql_array_release(&without);
	if (!ok)
		return false;
	*out = arena_array(a, struct gate_stored_unit, (size_t)r.n + 1);
	for (*n = 0; result_next(&r); ++*n) {
		struct gate_stored_unit *u = &(*out)[*n];
		u->run = result_int8(&r, 0);
		u->stored = result_moment(&r);
		const char *commit = result_text(&r, a);
		u->commit = commit && *commit ? commit : NULL;
		u->ns = result_float8(&r, NAN);
	}
	result_release(&r);
	return true;
}
