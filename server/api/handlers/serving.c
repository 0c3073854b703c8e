/* serving.c - how fast a serving engine works. */
#include "iteration_energy.h"
#include "listing.h"
#include "query_compared.h"
#include "serving_rates.h"
#include "view.h"
#include "api.h"
#include <math.h>

/* Why the tokens of an iteration cannot be divided by the run's devices. */
static const char *serving_gpus_reason(struct arena *a,
	const struct run_row *run, const struct iterations *c, uint32_t gpus)
{
	bool collectives = false;

	if (!gpus)
		return "the run has no device";
	for (uint32_t i = 0; i < c->n; i++)
		collectives = collectives || c->iterations[i].comm_ns > 0 ||
			      c->iterations[i].comm_overlapped_ns > 0;
	if (run->world_size < 0 && collectives)
		return "the run has collectives, and it is not known how many "
		       "ranks work on its tokens";
	if (run->world_size > (int32_t)gpus)
		return arena_printf(a,
			"the job has %d ranks and this run %u device%s; it is not "
			"known whether the ranks work on the same tokens",
			run->world_size, gpus, gpus == 1 ? "" : "s");
	return NULL;
}

json_t *serving_get(struct call *c, struct err *e)
{
	const struct param *price = param(&c->params, "price");
	struct serving_rate rates[SERVING_PHASES];
	struct arena *a = &c->s.arena;
	struct profile_device *devices;
	struct iterations iterations;
	struct run_row run;
	struct energy_use use;
	struct energy_sum energy;
	uint32_t gpus, n;
	bool more;
	if (!listing_run(c, &run, e) ||
		!query_run_devices(c->s.db, a, c->id, &devices, &gpus, e) ||
		!query_energy(c->s.db, a, c->id, &use, e) ||
		!query_iterations(c->s.db, a, c->id, 0, 0, &iterations, &more,
			e))
		return NULL;
	if (!serving_rates_from(&iterations, a, rates, &n) ||
		!energy_sum_from(&use, &iterations, run.world_size, a,
			&energy)) {
		arena_err(a, e);
		return NULL;
	}
	return view_serving(rates, n, gpus,
		serving_gpus_reason(a, &run, &iterations, gpus),
		price->given ? price->real : (double)NAN, &energy);
}
