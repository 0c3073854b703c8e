/* jobs.c - lists jobs; the ranks of one job, and its all-to-alls. */
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
#include "view.h"

json_t *jobs_get(struct call *c, struct err *e)
{
	const struct params *ps = &c->params;
	struct job_row *rows;
	int64_t after;
	uint32_t n;
	bool more;
	if (!listing_seek(c, &after, e) ||
		!job_list(c->s.db, &c->s.arena, param_text(ps, "project", NULL),
			after, (int)param(ps, "limit")->whole, &rows, &n, &more,
			e))
		return NULL;
	json_t *items = json_array();
	for (uint32_t i = 0; i < n; i++) {
		view_append(items, view_job_row(&rows[i]));
		after = rows[i].id;
	}
	return listing_list(c, items, after, more);
}

/* What one answer is made of. */
struct job_parts {
	struct job_row job;
	struct compared_run *runs;
	struct ranks ranks;
	struct run_operator_time *times;
	uint32_t times_n;
};

/* Reads a job with its ranks and their operators; `exchanges`: instead of the
 * operators what each rank exchanged with each. */
static bool jobs_ranks(struct call *c, bool exchanges, struct job_parts *out,
	struct err *e)
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
		!(exchanges ? query_exchanges(c->s.db, &c->s.arena, out->runs,
				      job->runs_n, e)
			    : query_run_operator_times(c->s.db, &c->s.arena,
				      job->runs, job->runs_n, &out->times,
				      &out->times_n, e)))
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
	if (!jobs_ranks(c, false, &is, e))
		return NULL;
	const struct finding_list found =
		findings_job(a, &is.ranks, is.runs, is.job.runs_n);
	rank_balance_from(&is.ranks, is.times, is.times_n, a, &balance);
	return view_job(a, &is.job, &is.ranks, &balance, &found);
}

json_t *job_exchanges_get(struct call *c, struct err *e)
{
	struct job_parts is = { 0 };
	struct exchange_maps maps;
	if (!jobs_ranks(c, true, &is, e))
		return NULL;
	exchange_maps_from(&is.ranks, &c->s.arena, &maps);
	return listing_is_json(c) ? view_exchanges(&c->s.arena, is.job.id,
					    &is.ranks, &maps)
				  : listing_file(c,
					    view_exchanges_table(&c->s.arena,
						    &is.ranks, &maps),
					    "all-to-all");
}
