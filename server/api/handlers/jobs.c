/* jobs.c - lists jobs; the ranks of one job, and its all-to-alls. */
#include "listing.h"
#include "job.h"
#include "call.h"
#include "catalog_cache.h"
#include "concurrency_limit.h"
#include "exchange_map.h"
#include "findings.h"
#include "query_compared.h"
#include "view.h"

/* The maximum number of ranks in an answer. A comparison has the same maximum.
 */
enum { JOB_RANKS = 256 };

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

/* Reads a job with its ranks; `exchanges`: also what each exchanged with each. */
static bool jobs_ranks(struct call *c, bool exchanges, struct job_row *job,
	struct compared_run **runs, struct ranks *ranks, struct err *e)
{
	if (!concurrency_limit_enter(c, e) || !call_db(c, e) ||
		!job_read(c->s.db, &c->s.arena, c->id, job, e))
		return false;
	if (job->runs_all > JOB_RANKS)
		return err_set(e, ERR_TOO_LARGE,
			"job %lld has %lld runs; at most %d ranks are "
			"analyzed together",
			(long long)c->id, (long long)job->runs_all, JOB_RANKS);
	*runs = arena_array(&c->s.arena, struct compared_run, job->runs_n);
	if (!query_compared(c->s.db, &c->s.arena, job->runs, job->runs_n, true,
		    *runs, e) ||
		(exchanges && !query_exchanges(c->s.db, &c->s.arena, *runs,
				      job->runs_n, e)))
		return false;
	call_db_return(c);
	const struct catalog *catalog = catalog_cache_take(&c->s, e);
	return catalog &&
	       ranks_from(*runs, job->runs_n, catalog, &c->s.arena, ranks, e);
}

json_t *job_get(struct call *c, struct err *e)
{
	struct compared_run *runs = NULL;
	struct job_row job;
	struct ranks ranks;
	if (!jobs_ranks(c, false, &job, &runs, &ranks, e))
		return NULL;
	const struct finding_list found =
		findings_job(&c->s.arena, &ranks, runs, job.runs_n);
	return view_job(&c->s.arena, &job, &ranks, runs, job.runs_n, &found);
}

json_t *job_exchanges_get(struct call *c, struct err *e)
{
	struct compared_run *runs = NULL;
	struct job_row job;
	struct ranks ranks;
	struct exchange_maps maps;
	if (!jobs_ranks(c, true, &job, &runs, &ranks, e))
		return NULL;
	exchange_maps_from(&ranks, &c->s.arena, &maps);
	return listing_is_json(c)
		       ? view_exchanges(&c->s.arena, job.id, &ranks, &maps)
		       : listing_file(c,
				 view_exchanges_table(&c->s.arena, &ranks,
					 &maps),
				 "all-to-all");
}
