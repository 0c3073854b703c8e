/* diagnosis.c - why a run is slow, and its longest idle intervals. */
#include "api_state.h"
#include "concurrency_limit.h"
#include "listing.h"
#include "query_compared.h"
#include "reanalyze.h"
#include "run_diagnosis.h"
#include "run_operators.h"
#include "view.h"

/* Five sentences and the changes, whose names are cut. */
enum { MARKDOWN_BYTES = 4 << 20 };

static bool diagnosis_reachable_read(struct call *c, struct diagnosis_data *of,
	struct err *e)
{
	struct run_operators_table m = { .is = &of->operators };

	if (!run_operators_reachable_read(&c->s, c->id, &m, e))
		return false;
	of->reachable = m.reachable;
	return true;
}

static json_t *diagnosis_markdown(struct call *c,
	const struct run_diagnosis *is, struct err *e)
{
	struct buf b;
	const char *site;

	if (!listing_site(c, &site, e))
		return NULL;
	buf_init(&b, MARKDOWN_BYTES);
	view_diagnosis_md(&c->s.arena, is, site, &b);
	return listing_markdown(c, &b,
		arena_printf(&c->s.arena, "run-%lld-diagnosis",
			(long long)c->id),
		e);
}

json_t *diagnosis_get(struct call *c, struct err *e)
{
	struct run_diagnosis is;
	struct diagnosis_data of;
	struct arena *a = &c->s.arena;
	if (!listing_run(c, &of.run, e) ||
		!query_notes(c->s.db, a, c->id, &of.notes, &of.notes_n, e) ||
		!query_operators(c->s.db, a, c->id, &of.operators, e) ||
		!query_waits(c->s.db, a, c->id, &of.sums, &of.waits,
			&of.iterations, e) ||
		!diagnosis_reachable_read(c, &of, e))
		return NULL;
	if (!run_diagnosis_from(&is, a, &of)) {
		arena_err(a, e);
		return NULL;
	}
	return listing_is_json(c) ? view_diagnosis(&is)
				  : diagnosis_markdown(c, &is, e);
}

json_t *gaps_get(struct call *c, struct err *e)
{
	uint32_t most = (uint32_t)param(&c->params, "limit")->whole;
	struct iterations iterations;
	struct run_gaps is;
	struct run_row run;
	bool more;
	if (!listing_run(c, &run, e) ||
		!query_iterations(c->s.db, &c->s.arena, c->id, 0, 0,
			&iterations, &more, e) ||
		!concurrency_limit_enter(c, e) ||
		!reanalyze_gaps(&c->s, c->id, &iterations, most, &is, e))
		return NULL;
	return view_gaps(c->id, &is);
}
