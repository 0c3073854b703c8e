/* diagnosis.c - why a run is slow. */
#include "api_state.h"
#include "listing.h"
#include "run_diagnosis.h"
#include "view.h"

json_t *diagnosis_get(struct call *c, struct err *e)
{
	struct run_diagnosis is;
	struct diagnosis_data of;
	struct arena *a = &c->s.arena;
	if (!listing_run(c, &of.run, e) ||
		!query_notes(c->s.db, a, c->id, &of.notes, &of.notes_n, e) ||
		!query_operators(c->s.db, a, c->id, &of.operators, e) ||
		!query_waits(c->s.db, a, c->id, &of.sums, &of.waits, e))
		return NULL;
	run_diagnosis_from(&is, a, &of);
	return view_diagnosis(&is);
}
