/* serving_rates.c - time per iteration and tokens per second of a serving engine. */
#include "serving_rates.h"
#include "order_stat.h"
#include <math.h>

static bool serving_rates_is(const struct iterations *c, uint32_t i,
	enum phase phase)
{
	const struct iteration *y = &c->iterations[i];
	return y->use == ITERATION_KEPT && y->dur_ns > 0 &&
	       y->stratum < c->strata_n && c->strata[y->stratum].phase == phase;
}

/* Sums over the kept iterations of a phase, into r as means. */
static void serving_rates_sum(const struct iterations *c, double *durations,
	struct serving_rate *r)
{
	double time = 0, sequences = 0, tokens = 0;
	bool single = true;

	for (uint32_t i = 0; i < c->n; i++) {
		if (!serving_rates_is(c, i, r->phase))
			continue;
		const struct stratum *s = &c->strata[c->iterations[i].stratum];
		double ns = (double)c->iterations[i].dur_ns;
		durations[r->iterations++] = ns;
		time += ns;
		sequences += s->sequences >= 0 ? (double)s->sequences : NAN;
		tokens += s->tokens >= 0 ? (double)s->tokens : NAN;
		single =
			single && s->sequences > 0 && s->tokens == s->sequences;
	}
	if (!r->iterations)
		return;
	r->mean_ns = time / r->iterations;
	r->sequences = sequences / r->iterations;
	r->tokens = tokens / r->iterations;
	r->tokens_per_s = tokens / (time / 1e9);
	r->median_ns = order_stat_median(durations, r->iterations);
	if (r->phase == PHASE_DECODE && single)
		r->tpot_ns = r->median_ns;
}

bool serving_rates_from(const struct iterations *c, struct arena *a,
	struct serving_rate out[static SERVING_PHASES], uint32_t *n)
{
	static const enum phase phases[SERVING_PHASES] = { PHASE_PREFILL,
		PHASE_DECODE, PHASE_MIXED };
	double *durations = arena_array(a, double, (size_t)c->n + 1);

	*n = 0;
	if (!durations)
		return false;
	for (int i = 0; i < SERVING_PHASES; i++) {
		out[*n] = (struct serving_rate){ .phase = phases[i],
			.tpot_ns = NAN };
		serving_rates_sum(c, durations, &out[*n]);
		*n += out[*n].iterations > 0;
	}
	return true;
}

const char *serving_rates_shared(const struct iterations *c, int32_t ranks,
	uint32_t devices, struct arena *a)
{
	bool collectives = false;

	if (!devices)
		return "the run has no device";
	for (uint32_t i = 0; i < c->n; i++)
		collectives = collectives || c->iterations[i].comm_ns > 0 ||
			      c->iterations[i].comm_overlapped_ns > 0;
	if (ranks < 0 && collectives)
		return "the run has collectives, and it is not known how many "
		       "ranks work on its tokens";
	if (ranks > (int32_t)devices)
		return arena_printf(a,
			"the job has %d ranks and this run %u device%s; it is not "
			"known whether the ranks work on the same tokens",
			ranks, devices, devices == 1 ? "" : "s");
	return NULL;
}
