/* jobs.c - lists jobs; the ranks of one job, also over time, and its all-to-alls. */
#include "listing.h"
#include "job.h"
#include "call.h"
#include "catalog_cache.h"
#include "concurrency_limit.h"
#include "exchange_map.h"
#include "findings.h"
#include "query_compared.h"
#include "query_operator.h"
#include "rank_balance.h"
#include "rank_steps.h"
#include "view.h"

json_t *jobs_get(struct call *c, struct err *e)
{
	const struct params *ps = &c->params;
	struct job_row *rows;
	int64_t after, total = -1;
	uint32_t n;
	bool more;
	if (!listing_seek(c, &after, e) ||
		!job_list(c->s.db, &c->s.arena, param_text(ps, "project", NULL),
			after, (int)param(ps, "limit")->whole, &rows, &n, &more,
			listing_is_counted(c) ? &total : NULL, e))
		return NULL;
	json_t *items = json_array();
	for (uint32_t i = 0; i < n; i++) {
		view_append(items, view_job_row(&rows[i]));
		after = rows[i].id;
	}
	return listing_total(listing_list(c, items, after, more), total);
}

/* What one answer is made of. */
struct job_parts {
	struct job_row job;
	struct compared_run *runs;
	struct ranks ranks;
	struct run_operator_time *times;
	uint32_t times_n;
};

/* What is read of each rank in addition to its collectives and iterations. */
enum jobs_more { JOBS_OPERATORS, JOBS_EXCHANGES, JOBS_NO_MORE };

static bool jobs_more(struct call *c, enum jobs_more more,
	struct job_parts *out, struct err *e)
{
	const struct job_row *job = &out->job;
	switch (more) {
	case JOBS_OPERATORS:
		return query_run_operator_times(c->s.db, &c->s.arena, job->runs,
			job->runs_n, &out->times, &out->times_n, e);
	case JOBS_EXCHANGES:
		return query_exchanges(c->s.db, &c->s.arena, out->runs,
			job->runs_n, e);
	case JOBS_NO_MORE:
		break;
	}
	return true;
}

/* Reads a job with its ranks. */
static bool jobs_ranks(struct call *c, enum jobs_more more,
	struct job_parts *out, struct err *e)
{
	struct job_row *job = &out->job;
	if (!concurrency_limit_enter(c, e) || !call_db(c, e) ||
		!job_read(c->s.db, &c->s.arena, c->id, job, e))
		return false;
	if (job->runs_all > JOB_RANKS)
		return err_set(e, ERR_TOO_LARGE,
			"job %lld has %lld runs; at most %d ranks are "
			"analyzed together",
			(long long)c->id, (long long)job->runs_all, JOB_RANKS);
	out->runs = arena_array(&c->s.arena, struct compared_run, job->runs_n);
	if (!query_compared(c->s.db, &c->s.arena, job->runs, job->runs_n, true,
		    out->runs, e) ||
		!jobs_more(c, more, out, e))
		return false;
	call_db_return(c);
	const struct catalog *catalog = catalog_cache_take(&c->s, e);
	return catalog && ranks_from(out->runs, job->runs_n, catalog,
				  &c->s.arena, &out->ranks, e);
}

json_t *job_get(struct call *c, struct err *e)
{
	struct arena *a = &c->s.arena;
	struct job_parts is = { 0 };
	struct rank_balance balance;
	if (!jobs_ranks(c, JOBS_OPERATORS, &is, e))
		return NULL;
	const struct finding_list found =
		findings_job(a, &is.ranks, is.runs, is.job.runs_n);
	rank_balance_from(&is.ranks, is.times, is.times_n, a, &balance);
	return view_job(a, &is.job, &is.ranks, &balance, &found);
}

json_t *job_steps_get(struct call *c, struct err *e)
{
	struct job_parts is = { 0 };
	struct rank_steps steps;
	return jobs_ranks(c, JOBS_NO_MORE, &is, e) &&
			       rank_steps_from(is.runs, &is.ranks, &c->s.arena,
				       &steps, e)
		       ? view_job_steps(is.job.id, &is.ranks, &steps)
		       : NULL;
}

json_t *job_exchanges_get(struct call *c, struct err *e)
{
	struct job_parts is = { 0 };
	struct exchange_maps maps;
	if (!jobs_ranks(c, JOBS_EXCHANGES, &is, e))
		return NULL;
	exchange_maps_from(&is.ranks, &c->s.arena, &maps);
	return listing_is_json(c) ? view_exchanges(&c->s.arena, is.job.id,
					    &is.ranks, &maps)
				  : listing_file(c,
					    view_exchanges_table(&c->s.arena,
						    &is.ranks, &maps),
					    "all-to-all");
}
