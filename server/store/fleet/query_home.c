/* query_home.c - reads the lists of the home page, and the GPU time of each day by
 * operator. */
#include "query_home.h"
#include "fleet_select.h"
#include "job.h"
#include "ledger.h"
#include "names.h"
#include "rollup_code.h"
#include "sql.h"
#include <stdlib.h>
#include <string.h>

struct query_home_request {
	struct db *db;
	struct arena *a;
	const struct home_filter *f;
	struct home *out;
};

/* ---- lists: the first column is the number of all rows. $1 project, $2 workload,
 * $3 since, $4 until, $5 limit, $6 HOME_SEARCHED, $7 HOME_JOBS_SEARCHED,
 * $8 JOB_RANKS, $9 HOME_SIDE_RUNS, $10 HOME_SIDE_MIN, $11 HOME_BRANCH_SEARCHED,
 * $12 HOME_BRANCHES_SEARCHED */

#define HOME_IN(x)                            \
	"($1 IS NULL OR " x ".project = $1) " \
	"AND ($2 IS NULL OR " x ".workload = $2) "
#define HOME_STORED(x)                                \
	"AND ($3 IS NULL OR " x ".created_at >= $3) " \
	"AND ($4 IS NULL OR " x ".created_at < $4) "

static void *query_home_list(const struct query_home_request *q,
	const char *sql, int limit, sql_row *read, size_t size,
	struct home_count *count, struct err *e)
{
	struct sql_params p = { 0 };
	struct result r;
	sql_text(&p, q->f->project);
	sql_text(&p, q->f->workload);
	sql_moment(&p, q->f->since);
	sql_moment(&p, q->f->until);
	sql_int8(&p, limit);
	sql_int8(&p, HOME_SEARCHED);
	sql_int8(&p, HOME_JOBS_SEARCHED);
	sql_int8(&p, JOB_RANKS);
	sql_int8(&p, HOME_SIDE_RUNS);
	sql_int8(&p, HOME_SIDE_MIN);
	sql_int8(&p, HOME_BRANCH_SEARCHED);
	sql_int8(&p, HOME_BRANCHES_SEARCHED);
	if (!sql_run(q->db, sql, &p, &r, e))
		return NULL;
	char *rows = arena_alloc(q->a, (size_t)r.n, size);
	*count = (struct home_count){ 0 };
	while (result_next(&r)) {
		count->all = result_int8(&r, 0);
		read(&r, q->a, rows + count->n++ * size);
	}
	result_release(&r);
	return rows;
}

/* Documents are large, so only those of listed gates are read. */
#define HOME_GATE                                                        \
	"g.id, g.created_at, g.project, g.workload, g.name, g.outcome, " \
	"g.document ->> 'summary' "                                      \
	"FROM listed JOIN gate g ON g.id = listed.id ORDER BY g.id DESC"

static void query_home_gate(struct result *r, struct arena *a, void *row)
{
	struct home_gate *g = row;
	g->id = result_int8(r, 0);
	g->created = result_moment(r);
	g->project = result_text(r, a);
	g->workload = result_text(r, a);
	g->name = result_text(r, a);
	g->outcome = result_text(r, a);
	g->summary = result_text(r, a);
}

/* A gate without a name has no newer one: nothing says that another gate repeats
 * it. */
static bool query_home_gates(const struct query_home_request *q, struct err *e)
{
	static const char regressed[] =
		"WITH listed AS (SELECT g.id, count(*) OVER () AS n "
		"FROM (SELECT id, created_at, name, outcome, row_number() OVER "
		"(PARTITION BY project, workload, name ORDER BY id DESC) AS nth "
		"FROM (SELECT id, created_at, project, workload, name, outcome "
		"FROM gate g WHERE " HOME_IN(
			"g") "ORDER BY id DESC LIMIT $6) newest) g "
			     "WHERE g.outcome = 'regressed' "
			     "AND (g.name = '' OR g.nth = 1) " HOME_STORED(
				     "g") "ORDER BY g.id DESC LIMIT $5) "
					  "SELECT listed.n, " HOME_GATE;
	static const char last[] =
		"WITH listed AS (SELECT g.id FROM gate g WHERE " HOME_IN(
			"g") "ORDER BY g.id DESC LIMIT $5) "
			     "SELECT 1::bigint, " HOME_GATE;
	struct home *h = q->out;
	struct home_count one;
	h->gates = query_home_list(q, regressed, HOME_LINES, query_home_gate,
		sizeof *h->gates, &h->gates_of, e);
	h->last_gate = !h->gates ? NULL
				 : query_home_list(q, last, 1, query_home_gate,
					   sizeof *h->last_gate, &one, e);
	if (!h->last_gate)
		return false;
	if (!one.n)
		h->last_gate = NULL;
	return true;
}

static void query_home_change(struct result *r, struct arena *a, void *row)
{
	struct home_change *c = row;
	c->project = result_text(r, a);
	c->workload = result_text(r, a);
	c->metric = result_text(r, a);
	c->of = result_text(r, a);
	c->run = result_int8(r, 0);
	c->at = result_moment(r);
	c->change_pct = result_float8(r, NAN);
}

/* A metric is stored as "operator:NAME", or alone. */
static bool query_home_changes(const struct query_home_request *q,
	struct err *e)
{
	static const char sql[] =
		"SELECT count(*) OVER (), c.project, c.workload, "
		"split_part(c.metric, ':', 1), "
		"CASE WHEN strpos(c.metric, ':') > 0 "
		"THEN substr(c.metric, strpos(c.metric, ':') + 1) END, "
		"c.run_id, r.created_at, c.change_pct "
		"FROM (SELECT * FROM change_point c "
		"WHERE c.worse IS NOT FALSE AND " HOME_IN(
			"c") "ORDER BY c.run_id DESC LIMIT $6) c "
			     "JOIN run r ON r.run_id = c.run_id "
			     "WHERE true " HOME_STORED(
				     "r") "ORDER BY c.run_id DESC, c.project, "
					  "c.workload, c.metric LIMIT $5";
	struct home *h = q->out;
	h->changes = query_home_list(q, sql, HOME_LINES, query_home_change,
		sizeof *h->changes, &h->changes_of, e);
	return h->changes;
}

static void query_home_branch(struct result *r, struct arena *a, void *row)
{
	struct home_branch *b = row;
	b->project = result_text(r, a);
	b->workload = result_text(r, a);
	b->branch = result_text(r, a);
	b->run = result_int8(r, 0);
	b->at = result_moment(r);
	b->runs = result_int8(r, 0);
	b->main_runs = result_int8(r, 0);
	b->change_pct = result_float8(r, NAN);
}

/* The workloads with newest runs of other branches than main. */
#define HOME_BRANCH_WORKLOADS                                                          \
	"SELECT project, workload "                                                    \
	"FROM (SELECT project, workload, created_at, labels FROM run r "               \
	"WHERE " HOME_IN("r") HOME_STORED(                                             \
		"r") "ORDER BY r.created_at DESC, r.run_id DESC LIMIT $12) r "         \
		     "WHERE labels ->> 'branch' <> 'main' GROUP BY project, workload " \
		     "ORDER BY max(created_at) DESC LIMIT $11"

/* The newest runs of such a workload, of which a job counts with its first rank.
 * They are entries of an index, run_series or run_main; BETWEEN as in
 * query_home_names(). */
#define HOME_BRANCH_RUNS(where)                                                 \
	"SELECT r.run_id, r.created_at, r.iteration_ns, "                       \
	"r.labels ->> 'branch' AS branch, r.device_names[1] AS device "         \
	"FROM (SELECT * FROM run r WHERE r.project BETWEEN w.project "          \
	"AND w.project AND r.workload BETWEEN w.workload AND w.workload " where \
	"ORDER BY r.project DESC, r.workload DESC, r.created_at DESC, "         \
	"r.run_id DESC LIMIT $11) r WHERE r.iteration_ns > 0 "                  \
	"AND coalesce(r.rank, 0) = 0"

/* A branch, by its newest runs on the device of the newest one. */
#define HOME_BRANCH_HEAD                                                         \
	"SELECT branch, of_newest AS device, count(*) AS n, "                    \
	"max(run_id) FILTER (WHERE nth = 1) AS run_id, "                         \
	"max(created_at) AS created_at, min(iteration_ns) AS lowest, "           \
	"percentile_cont(0.5) WITHIN GROUP (ORDER BY iteration_ns) AS ns "       \
	"FROM (SELECT *, row_number() OVER newest AS nth, "                      \
	"first_value(device) OVER newest AS of_newest "                          \
	"FROM (" HOME_BRANCH_RUNS(                                               \
		"") ") r WHERE branch <> 'main' "                                \
		    "WINDOW newest AS (PARTITION BY branch "                     \
		    "ORDER BY created_at DESC, run_id DESC)) r "                 \
		    "WHERE nth <= $9 AND device IS NOT DISTINCT FROM of_newest " \
		    "GROUP BY branch, of_newest"

#define HOME_BRANCH_MAIN "AND r.labels @> '{\"branch\": \"main\"}' "
#define HOME_BRANCH_BASE                                                        \
	"SELECT count(*) AS n, max(iteration_ns) AS highest, "                  \
	"percentile_cont(0.5) WITHIN GROUP (ORDER BY iteration_ns) AS ns "      \
	"FROM (SELECT iteration_ns "                                            \
	"FROM (" HOME_BRANCH_RUNS(                                              \
		HOME_BRANCH_MAIN) ") r "                                        \
				  "WHERE device IS NOT DISTINCT FROM h.device " \
				  "ORDER BY created_at DESC, run_id DESC LIMIT $9) r"

static bool query_home_branches(const struct query_home_request *q,
	struct err *e)
{
	static const char sql[] =
		"SELECT count(*) OVER (), w.project, w.workload, h.branch, "
		"h.run_id, h.created_at, h.n, base.n, "
		"100 * (h.ns / base.ns - 1) "
		"FROM (" HOME_BRANCH_WORKLOADS ") w "
		"CROSS JOIN LATERAL (" HOME_BRANCH_HEAD ") h "
		"CROSS JOIN LATERAL (" HOME_BRANCH_BASE ") base "
		"WHERE h.n >= $10 AND base.n >= $10 "
		"AND h.lowest > base.highest AND h.ns >= 1.01 * base.ns "
		"AND ($3 IS NULL OR h.created_at >= $3) "
		"AND ($4 IS NULL OR h.created_at < $4) "
		"ORDER BY h.created_at DESC, w.project, w.workload, h.branch "
		"LIMIT $5";
	struct home *h = q->out;
	h->branches = query_home_list(q, sql, HOME_LINES, query_home_branch,
		sizeof *h->branches, &h->branches_of, e);
	return h->branches;
}

static void query_home_gpu(struct result *r, struct arena *a, void *row)
{
	struct home_gpu *g = row;
	g->project = result_text(r, a);
	g->gpu = result_text(r, a);
	g->slowdown = result_float8(r, NAN);
	g->found = result_moment(r);
}

static bool query_home_gpus(const struct query_home_request *q, struct err *e)
{
	static const char sql[] =
		"SELECT count(*) OVER (), s.project, s.gpu, s.slowdown, "
		"s.found_at "
		"FROM slow_gpu s WHERE ($1 IS NULL OR s.project = $1) "
		"ORDER BY s.slowdown DESC, s.project, s.gpu LIMIT $5";
	struct home *h = q->out;
	h->gpus = query_home_list(q, sql, HOME_LINES, query_home_gpu,
		sizeof *h->gpus, &h->gpus_of, e);
	return h->gpus;
}

static void query_home_upload(struct result *r, struct arena *a, void *row)
{
	struct home_upload *u = row;
	u->id = result_int8(r, 0);
	u->created = result_moment(r);
	u->project = result_text(r, a);
	u->workload = result_text(r, a);
	u->name = result_text(r, a);
	u->file = result_text(r, a);
	u->error = result_text(r, a);
}

static bool query_home_uploads(const struct query_home_request *q,
	struct err *e)
{
	static const char sql[] =
		"SELECT count(*) OVER (), u.id, u.created_at, u.project, "
		"u.workload, u.name, u.file_name, u.error "
		"FROM upload u WHERE u.state = 'failed' "
		"AND " HOME_IN("u")
			HOME_STORED("u") "ORDER BY u.id DESC LIMIT $5";
	struct home *h = q->out;
	h->uploads = query_home_list(q, sql, HOME_LINES, query_home_upload,
		sizeof *h->uploads, &h->uploads_of, e);
	return h->uploads;
}

static void query_home_job(struct result *r, struct arena *a, void *row)
{
	struct home_job *j = row;
	j->id = result_int8(r, 0);
	j->upload = result_int8(r, -1);
	j->created = result_moment(r);
	j->runs = result_int8(r, 0);
	j->project = result_text(r, a);
	j->name = result_text(r, a);
}

/* Jobs are not counted: that would read the runs of all. /jobs/ID refuses a job
 * with more than JOB_RANKS runs of any workload, so it is not listed. */
static bool query_home_jobs(const struct query_home_request *q, struct err *e)
{
	static const char sql[] =
		"SELECT 1::bigint, j.id, nullif(j.upload_id, 0), j.created_at, "
		"r.n, j.project, nullif(j.name, '') "
		"FROM (SELECT * FROM job j WHERE ($1 IS NULL OR j.project = $1) " HOME_STORED(
			"j") "ORDER BY j.id DESC LIMIT $7) j "
			     "CROSS JOIN LATERAL (SELECT count(*) AS ranks, count(*) "
			     "FILTER (WHERE $2 IS NULL OR workload = $2) AS n "
			     "FROM (SELECT workload FROM run WHERE job_id = j.id "
			     "LIMIT $8 + 1) of_job) r "
			     "WHERE r.n > 1 AND r.ranks <= $8 "
			     "ORDER BY j.id DESC LIMIT $5";
	struct home *h = q->out;
	struct home_count count;
	h->jobs = query_home_list(q, sql, HOME_JOBS, query_home_job,
		sizeof *h->jobs, &count, e);
	h->jobs_n = h->jobs ? count.n : 0;
	return h->jobs;
}

static void query_home_run(struct result *r, struct arena *a, void *row)
{
	struct home_run *is = row;
	is->id = result_int8(r, 0);
	is->created = result_moment(r);
	is->name = result_text(r, a);
	is->project = result_text(r, a);
	is->workload = result_text(r, a);
}

static bool query_home_newest(const struct query_home_request *q, struct err *e)
{
	static const char sql[] =
		"SELECT 1::bigint, r.run_id, r.created_at, r.name, r.project, "
		"r.workload "
		"FROM run r WHERE " HOME_IN(
			"r") "ORDER BY r.created_at DESC, r.run_id DESC LIMIT $5";
	struct home_count one;
	q->out->newest_run = query_home_list(q, sql, 1, query_home_run,
		sizeof *q->out->newest_run, &one, e);
	if (!q->out->newest_run)
		return false;
	if (!one.n)
		q->out->newest_run = NULL;
	return true;
}

/* ---- workloads */

struct query_home_name {
	const char *project, *workload;
};

static void query_home_name(struct result *r, struct arena *a, void *row)
{
	struct query_home_name *name = row;
	name->project = result_text(r, a);
	name->workload = result_text(r, a);
}

/* The workloads with the newest runs. The index run_series gives the next name
 * and its newest run, so this reads two rows of a workload, however many runs it
 * has. BETWEEN in place of `=`: otherwise the planner can choose run_created, and
 * pass over the runs of all other workloads. */
static struct query_home_name *query_home_names(const struct query_home_request
							*q,
	struct err *e)
{
	static const char sql[] =
		"WITH RECURSIVE w (project, workload) AS ("
		"(SELECT project, workload FROM run "
		"WHERE $1 IS NULL OR project = $1 "
		"ORDER BY project, workload LIMIT 1) "
		"UNION ALL "
		"SELECT next.project, next.workload FROM w "
		"CROSS JOIN LATERAL (SELECT project, workload FROM run "
		"WHERE (project, workload) > (w.project, w.workload) "
		"AND ($1 IS NULL OR project = $1) "
		"ORDER BY project, workload LIMIT 1) next) "
		"SELECT count(*) OVER (), w.project, w.workload "
		"FROM w CROSS JOIN LATERAL (SELECT created_at, run_id "
		"FROM run r WHERE r.project BETWEEN w.project AND w.project "
		"AND r.workload BETWEEN w.workload AND w.workload " HOME_STORED(
			"r") "ORDER BY r.project DESC, r.workload DESC, "
			     "r.created_at DESC, r.run_id DESC LIMIT 1) newest "
			     "WHERE $2 IS NULL OR w.workload = $2 "
			     "ORDER BY newest.created_at DESC, newest.run_id DESC "
			     "LIMIT $5";
	return query_home_list(q, sql, HOME_WORKLOADS, query_home_name,
		sizeof(struct query_home_name), &q->out->workloads_of, e);
}

/* Reads the devices of the units of w->trend, of which the last is the newest. */
static bool query_home_devices(const struct query_home_request *q,
	struct home_workload *w, struct err *e)
{
	static const char sql[] =
		"SELECT r.device_names[1], bool_or(r.run_id = $2) "
		"FROM run r WHERE r.run_id = ANY ($1) "
		"AND r.device_names[1] IS NOT NULL "
		"GROUP BY r.device_names[1] ORDER BY r.device_names[1]";
	struct sql_params p = { 0 };
	struct sql_array runs;
	struct result r;
	sql_array_init(&runs, SQL_INT8);
	for (uint32_t i = 0; i < w->trend.n; i++)
		sql_array_int8(&runs, w->trend.run[i]);
	sql_array(&p, &runs);
	sql_int8(&p, w->trend.n ? w->trend.run[w->trend.n - 1] : 0);
	bool ok = sql_run(q->db, sql, &p, &r, e);
	sql_array_release(&runs);
	if (!ok)
		return false;
	w->devices = arena_array(q->a, const char *, (size_t)r.n);
	while (result_next(&r)) {
		const char *name = result_text(&r, q->a);
		w->devices[w->devices_n++] = name;
		if (result_bool(&r))
			w->device = name;
	}
	result_release(&r);
	return true;
}

/* Adds a workload, unless its runs were deleted after its name was read. */
static bool query_home_workload(const struct query_home_request *q,
	const struct query_home_name *name, struct err *e)
{
	const struct workload_filter f = { .project = name->project,
		.workload = name->workload,
		.since = q->f->since,
		.until = q->f->until,
		.limit = 1 };
	struct trend_filter of = { .project = name->project,
		.workload = name->workload,
		.metric = TREND_METRIC_iteration,
		.stat = trend_stat_of(TREND_METRIC_iteration),
		.group = "commit",
		.since = q->f->since,
		.until = q->f->until,
		.limit = HOME_POINTS };
	struct workload_row *row;
	uint32_t n;
	bool more;
	if (!query_workloads(q->db, q->a, &f, &row, &n, &more, e))
		return false;
	if (!n)
		return true;
	struct home_workload *w = &q->out->workloads[q->out->workloads_of.n++];
	*w = (struct home_workload){ .is = *row };
	if (!query_trend(q->db, q->a, &of, &w->trend, e) ||
		!query_home_devices(q, w, e))
		return false;
	of.device = w->device;
	return !w->device || w->devices_n < 2 ||
	       query_trend(q->db, q->a, &of, &w->trend, e);
}

static bool query_home_workloads(const struct query_home_request *q,
	struct err *e)
{
	struct home *h = q->out;
	const struct query_home_name *names = query_home_names(q, e);
	if (!names)
		return false;
	uint32_t named = h->workloads_of.n;
	h->workloads = arena_array(q->a, struct home_workload, named);
	h->workloads_of.n = 0;
	for (uint32_t i = 0; i < named; i++)
		if (!query_home_workload(q, &names[i], e))
			return false;
	return true;
}

/* ---- days */

static const int64_t QUERY_HOME_DAY_US = INT64_C(86400000000);

struct query_home_days {
	const struct query_home_request *q;
	int32_t first, last; /* days, both included */
	struct ledger sums[HOME_DAYS];
	struct arena work;
	struct names ops; /* id 0: unattributed */
	double *hours; /* by day, then operator */
	double *total; /* by operator, over all days */
};

/* The last HOME_DAYS days up to the newest run; false if there are none. */
static bool query_home_range(struct query_home_days *d)
{
	const struct home_filter *f = d->q->f;
	const struct fleet_days in = fleet_days(
		&(struct fleet_filter){ .since = f->since, .until = f->until });
	if (!d->q->out->newest_run)
		return false;
	d->last = (int32_t)(d->q->out->newest_run->created / QUERY_HOME_DAY_US);
	if (in.until <= d->last)
		d->last = in.until - 1;
	d->first = d->last - HOME_DAYS + 1;
	if (in.since > d->first)
		d->first = in.since;
	return d->first <= d->last;
}

/* One statement, so that no fold can happen between two reads. */
static bool query_home_sums(struct query_home_days *d, struct err *e)
{
	static const char sql[] =
		"SELECT c.first, c.sums FROM rollup_cell c "
		"WHERE c.grain = 1 AND c.first BETWEEN $3 AND $4 "
		"AND " HOME_IN(
			"c") "UNION ALL "
			     "SELECT d.day, d.sums FROM rollup_delta d "
			     "WHERE d.day BETWEEN $3 AND $4 AND " HOME_IN("d");
	struct sql_params p = { 0 };
	struct result r;
	bool ok = true;
	sql_text(&p, d->q->f->project);
	sql_text(&p, d->q->f->workload);
	sql_int4(&p, d->first);
	sql_int4(&p, d->last);
	if (!sql_run(d->q->db, sql, &p, &r, e))
		return false;
	while (ok && result_next(&r)) {
		size_t len;
		int32_t day = result_int4(&r, 0) - d->first;
		const uint8_t *at = result_bytes(&r, &len);
		struct int128_reader b = { at, at + len, false };
		d->sums[day].arena = &d->work;
		ok = ledger_read(&d->sums[day], &b, 1);
	}
	result_release(&r);
	return ok || err_set(e, ERR_INTERNAL, "stored sums cannot be read");
}

/* Divides the hours of a day by the weighted time of each operator. */
static void query_home_divide(struct query_home_days *d,
	const struct fleet_keys *keys, uint32_t day, uint32_t ops)
{
	const struct ledger *l = &d->sums[day];
	struct home_day *to = &d->q->out->days[day];
	to->day = d->first + (int32_t)day;
	if (!l->n || l->rows[0].id != 0)
		return;
	to->runs = (int64_t)ledger_sum(&l->rows[0], CELL_RUNS);
	to->hours = (double)ledger_sum(&l->rows[0], CELL_WEIGHT) / 1e6;
	double time = (double)ledger_sum(&l->rows[0], CELL_W_GPU);
	for (uint32_t i = 1; i < l->n && time > 0; i++) {
		const struct fleet_key *k = fleet_key(keys, l->rows[i].id);
		if (!k)
			continue;
		uint32_t op =
			k->op ? names_find(&d->ops, k->op, strlen(k->op)) : 0;
		double hours = to->hours *
			       (double)ledger_sum(&l->rows[i], KEY_W_TOTAL) /
			       time;
		d->hours[(size_t)day * ops + op] += hours;
		d->total[op] += hours;
	}
}

/* The operators with the most hours, at most HOME_OPERATORS; `ids` are theirs. */
static void query_home_top(struct query_home_days *d, uint32_t ops,
	uint32_t ids[HOME_OPERATORS])
{
	struct home *h = d->q->out;
	bool *taken = arena_array(&d->work, bool, ops);
	h->operators = arena_array(d->q->a, const char *, HOME_OPERATORS);
	while (h->operators_n < HOME_OPERATORS) {
		uint32_t best = 0;
		for (uint32_t op = 1; op < ops; op++)
			if (!taken[op] && d->total[op] > 0 &&
				(!best || d->total[op] > d->total[best]))
				best = op;
		if (!best)
			return;
		taken[best] = true;
		ids[h->operators_n] = best;
		h->operators[h->operators_n++] =
			arena_strdup(d->q->a, names_text(&d->ops, best));
	}
}

static void query_home_days_fill(struct query_home_days *d,
	const struct fleet_keys *keys)
{
	struct home *h = d->q->out;
	uint32_t ids[HOME_OPERATORS] = { 0 };
	names_init(&d->ops, &d->work);
	for (uint32_t i = 0; i < keys->n; i++)
		if (keys->rows[i].op)
			names_put(&d->ops, keys->rows[i].op,
				strlen(keys->rows[i].op));
	uint32_t ops = d->ops.n;
	h->days_n = (uint32_t)(d->last - d->first + 1);
	h->days = arena_array(d->q->a, struct home_day, h->days_n);
	d->hours = arena_array(&d->work, double, (size_t)h->days_n *ops);
	d->total = arena_array(&d->work, double, ops);
	for (uint32_t day = 0; day < h->days_n; day++)
		query_home_divide(d, keys, day, ops);
	query_home_top(d, ops, ids);
	for (uint32_t day = 0; day < h->days_n; day++) {
		struct home_day *to = &h->days[day];
		const double *hours = &d->hours[(size_t)day * ops];
		to->op_hours = arena_array(d->q->a, double, h->operators_n);
		to->unattributed_hours = hours[0];
		for (uint32_t op = 1; op < ops; op++)
			to->other_hours += hours[op];
		for (uint32_t i = 0; i < h->operators_n; i++) {
			to->op_hours[i] = hours[ids[i]];
			to->other_hours -= hours[ids[i]];
		}
		/* rounding of the subtraction */
		if (to->other_hours < 1e-9 * to->hours)
			to->other_hours = 0;
	}
}

static bool query_home_days(const struct query_home_request *q, struct err *e)
{
	const struct fleet_filter any = { .since = NO_MOMENT,
		.until = NO_MOMENT };
	struct query_home_days d = { .q = q };
	struct fleet_keys keys;
	if (!query_home_range(&d))
		return true;
	/* The dictionary is read last, so that it contains every key of the
	 * sums. */
	bool ok = query_home_sums(&d, e) &&
		  fleet_keys(q->db, q->a, &any, &keys, e);
	if (ok)
		query_home_days_fill(&d, &keys);
	arena_release(&d.work);
	return ok;
}

bool query_home(struct db *db, struct arena *a, const struct home_filter *f,
	struct home *out, struct err *e)
{
	const struct query_home_request q = { db, a, f, out };
	*out = (struct home){ 0 };
	return query_home_gates(&q, e) && query_home_changes(&q, e) &&
	       query_home_branches(&q, e) && query_home_gpus(&q, e) &&
	       query_home_uploads(&q, e) && query_home_jobs(&q, e) &&
	       query_home_newest(&q, e) && query_home_workloads(&q, e) &&
	       query_home_days(&q, e);
}
