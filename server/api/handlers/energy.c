/* energy.c - the energy of a run per iteration and per output token. */
#include "iteration_energy.h"
#include "listing.h"
#include "profile_word.h"
#include "query_compared.h"
#include "view.h"
#include "api.h"
#include <string.h>

/* Why the store has no energy of the run. */
static const char *energy_missing(const struct run_row *run)
{
	if (strcmp(run->content, profile_word_content[CONTENT_LAUNCHES]) != 0)
		return "the run has no single launches";
	if (!run->launches && !run->graphs && !run->copies)
		return "the run has no device";
	return "the run was stored before energy was computed; "
	       "'kernsiftd rebuild' computes it";
}

json_t *energy_get(struct call *c, struct err *e)
{
	struct arena *a = &c->s.arena;
	struct iterations iterations;
	struct energy_use use;
	struct energy_sum sum;
	struct run_row run;
	bool more;
	if (!listing_run(c, &run, e) ||
		!query_energy(c->s.db, a, c->id, &use, e) ||
		!query_iterations(c->s.db, a, c->id, 0, 0, &iterations, &more,
			e))
		return NULL;
	if (!energy_sum_from(&use, &iterations, run.world_size, a, &sum)) {
		arena_err(a, e);
		return NULL;
	}
	if (!use.n)
		sum.why = sum.tokens_why = energy_missing(&run);
	else if (use.iterations_n != iterations.n)
		use.n = 0; /* its columns have values of other iterations */
	return view_energy(c->id, &use, &sum, &iterations);
}
