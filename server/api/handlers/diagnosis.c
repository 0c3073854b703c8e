/* diagnosis.c - why a run is slow. */
#include "api_state.h"
#include "listing.h"
#include "run_diagnosis.h"
#include "run_operators.h"
#include "view.h"

static bool diagnosis_reachable_read(struct call *c, struct diagnosis_data *of,
	struct err *e)
{
	struct run_operators_table m = { .is = &of->operators };

	if (!run_operators_reachable_read(&c->s, c->id, &m, e))
		return false;
	of->reachable = m.reachable;
	return true;
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
	return view_diagnosis(&is);
}
