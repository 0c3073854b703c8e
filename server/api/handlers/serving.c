/* serving.c - how fast a serving engine works. */
#include "iteration_energy.h"
#include "listing.h"
#include "query_compared.h"
#include "serving_rates.h"
#include "view.h"
#include "api.h"
#include <math.h>

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
		serving_rates_shared(&iterations, run.world_size, gpus, a),
		price->given ? price->real : (double)NAN, &energy);
}
