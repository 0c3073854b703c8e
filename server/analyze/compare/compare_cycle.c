/* compare_cycle.c - which cycles are compared: kept ones of matching work.
 *
 * Where a stratum has more cycles than its share of the mix, an even choice of
 * them stands for all. The ranks of a job go through their cycles together: the
 * k-th of one belongs to the k-th of another. */
#include "compare_state.h"

/* Of `have` in order, whether the i-th is among `want` evenly chosen ones. */
static bool chosen(uint64_t i, uint64_t have, uint64_t want)
{
	return (i + 1) * want / have != i * want / have;
}

static uint32_t run_use(const struct compared_run *r, const uint32_t *wanted,
	uint32_t *at, struct arena *a)
{
	const struct cycles *c = &r->cycles;
	uint32_t *have = arena_array(a, uint32_t, c->strata_n + 1);
	uint32_t *seen = arena_array(a, uint32_t, c->strata_n + 1);
	uint32_t n = 0;

	for (int fill = 0; fill < 2; fill++)
		for (uint32_t i = 0; i < r->patterns.cycles_n; i++) {
			const struct cycle *y =
				&c->cycles[r->patterns.cycle[i]];
			if (y->use != CYCLE_KEPT)
				continue;
			uint32_t s = y->stratum < c->strata_n ? y->stratum
							      : c->strata_n;
			if (!fill)
				have[s]++;
			else if (!wanted || wanted[s] >= have[s] ||
				 chosen(seen[s]++, have[s], wanted[s]))
				at[n++] = i;
		}
	return n;
}

static double cycle_ns(const struct compare_unit *u, uint32_t k)
{
	double sum = 0;
	for (uint32_t r = 0; r < u->runs_n; r++) {
		const struct compared_run *run = u->runs[r];
		uint32_t i = run->patterns.cycle[u->at[r][k]];
		sum += (double)run->cycles.cycles[i].dur_ns;
	}
	return sum / u->runs_n;
}

void compare_cycles_use(struct compare_side *s, uint32_t *const *wanted,
	struct arena *a)
{
	uint32_t used = 0;
	s->cycles_n = 0;
	for (uint32_t i = 0; i < s->units_n; i++) {
		struct compare_unit *u = &s->units[i];
		u->cycles_n = UINT32_MAX;
		for (uint32_t r = 0; r < u->runs_n; r++) {
			const struct compared_run *run = u->runs[r];
			u->at[r] = arena_array(a, uint32_t,
				run->patterns.cycles_n + 1);
			uint32_t n = run_use(run,
				wanted ? wanted[run - s->runs] : NULL, u->at[r],
				a);
			u->cycles_n = n < u->cycles_n ? n : u->cycles_n;
		}
		if (u->cycles_n == 0)
			continue;
		u->first = s->cycles_n;
		s->cycles_n += u->cycles_n;
		s->unit_cycles[used] = u->cycles_n;
		s->units[used++] = *u;
	}
	s->units_n = used;
	compare_units_by_time(s, a);
	s->cycle_ns = arena_array(a, double, s->cycles_n + 1);
	for (uint32_t i = 0; i < s->units_n; i++)
		for (uint32_t k = 0; k < s->units[i].cycles_n; k++)
			s->cycle_ns[s->units[i].first + k] =
				cycle_ns(&s->units[i], k);
}
