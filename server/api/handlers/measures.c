/* measures.c - results of benchmarks of a run: lists, attaches and deletes them. */
#include "audit_record.h"
#include "concurrency_limit.h"
#include "listing.h"
#include "run_measures.h"
#include "view.h"
#include "api.h"

_Static_assert((int)API_PROFILE_MAX == (int)MEASURE_FILE_MAX,
	"the body is as large as a file may be");

static json_t *measures_all(struct call *c, struct err *e)
{
	struct run_measure *rows;
	uint32_t n;
	return run_measures_list(c->s.db, &c->s.arena, &c->id, 1, NULL, 0,
		       &rows, &n, e)
		       ? view_measures(&c->s.arena, rows, n)
		       : NULL;
}

json_t *measures_get(struct call *c, struct err *e)
{
	struct run_row run;
	return listing_run(c, &run, e) ? measures_all(c, e) : NULL;
}

json_t *measures_post(struct call *c, struct err *e)
{
	const struct api_request *r = c->request;
	const char *name = param_text(&c->params, "file", "measures");
	struct measure_list list;
	struct run_row run;
	bool existing;
	if (!r->body_len) {
		err_set(e, ERR_INPUT,
			"the body is empty; send the file of a benchmark's "
			"results, or lines NAME=VALUE UNIT, as the body");
		return NULL;
	}
	if (!concurrency_limit_enter(c, e) || !listing_run(c, &run, e) ||
		!measure_read(r->body, r->body_len, &c->s.arena, &list, e))
		return NULL;
	audit_record_describe(c, NULL, "run %lld file='%.100s' measures=%u",
		(long long)c->id, name, list.n);
	if (!run_measures_add(c->s.db, c->id, &list, name, &existing, e))
		return NULL;
	c->status = existing ? 200 : 201;
	return measures_all(c, e);
}

json_t *measures_delete(struct call *c, struct err *e)
{
	const char *name = param_text(&c->params, "name", NULL);
	struct run_row run;
	int64_t n;
	if (!listing_run(c, &run, e) ||
		!run_measures_delete(c->s.db, c->id, name, &n, e))
		return NULL;
	audit_record_describe(c, NULL, "run %lld measures=%lld",
		(long long)c->id, (long long)n);
	if (!n && name) {
		err_set(e, ERR_NOT_FOUND, "run %lld has no measure '%.100s'",
			(long long)c->id, name);
		return NULL;
	}
	return measures_all(c, e);
}
