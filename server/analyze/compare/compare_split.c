/* compare_split.c - where the cycle's time goes, as rows for the verdict.
 *
 * Of a job, the mean over its ranks. A part is shown where every cycle of both
 * sides tells it. */
#include "compare_state.h"
#include "ranks.h"
#include <math.h>

/* A part's time in the cycle that is at `at` of the run's patterns; negative
 * where the cycle does not tell it. */
static double told(const struct compared_run *run, enum split_part part,
	uint32_t at)
{
	const struct cycle *y = &run->cycles.cycles[run->patterns.cycle[at]];
	switch (part) {
	case SPLIT_PART_cycle:
		return (double)y->dur_ns;
	case SPLIT_PART_compute:
		return (double)y->compute_ns;
	case SPLIT_PART_communication:
		return (double)y->comm_ns;
	case SPLIT_PART_copies:
		return (double)y->copy_ns;
	case SPLIT_PART_idle:
		return (double)y->idle_ns;
	case SPLIT_PART_sync:
		return (double)y->sync_ns;
	default:
		return -1;
	}
}

/* The sum over functions of a type: what the cycle itself does not tell. */
static double summed(const struct compared_run *run, enum split_part part,
	uint32_t at)
{
	static const enum function_type types[SPLIT_PARTS] = {
		[SPLIT_PART_sync] = FUNCTION_sync,
		[SPLIT_PART_oncpu] = FUNCTION_oncpu,
		[SPLIT_PART_runq] = FUNCTION_runq,
	};
	double sum = -1;
	if (part != SPLIT_PART_sync && part != SPLIT_PART_oncpu &&
		part != SPLIT_PART_runq)
		return -1;
	for (uint32_t i = 0; i < run->patterns.n; i++)
		if (run->patterns.rows[i].type == types[part])
			sum = (sum < 0 ? 0 : sum) +
			      (double)run->patterns.rows[i].dur_ns[at];
	return sum;
}

/* Waiting for other ranks, of jobs. */
static bool waits(struct compare *c, const struct compare_unit *u, double *ns,
	bool *known, struct err *e)
{
	struct compared_run *runs =
		arena_array(c->a, struct compared_run, u->runs_n);
	double **waiting = arena_array(c->a, double *, u->runs_n);
	for (uint32_t r = 0; r < u->runs_n; r++)
		runs[r] = *u->runs[r];
	if (!ranks_waiting(runs, u->runs_n, c->a, waiting, e))
		return false;
	for (uint32_t r = 0; r < u->runs_n; r++)
		for (uint32_t k = 0; k < u->cycles_n; k++) {
			uint32_t at = u->at[r][k];
			double x = waiting[r][runs[r].patterns.cycle[at]];
			*known &= !isnan(x);
			ns[u->first + k] += x / u->runs_n;
		}
	return true;
}

static bool unit_part(struct compare *c, const struct compare_unit *u,
	enum split_part part, double *ns, bool *known, struct err *e)
{
	if (part == SPLIT_PART_waiting) {
		*known &= u->runs_n > 1;
		return !*known || waits(c, u, ns, known, e);
	}
	for (uint32_t r = 0; r < u->runs_n; r++)
		for (uint32_t k = 0; k < u->cycles_n && *known; k++) {
			double x = told(u->runs[r], part, u->at[r][k]);
			if (x < 0)
				x = summed(u->runs[r], part, u->at[r][k]);
			*known = x >= 0;
			ns[u->first + k] += x / u->runs_n;
		}
	return true;
}

bool compare_split_from(struct compare *c, struct err *e)
{
	c->split = arena_array(c->a, struct compare_split, SPLIT_PARTS);
	for (int part = 0; part < SPLIT_PARTS; part++) {
		struct compare_split *x = &c->split[c->split_n];
		bool known = true;
		*x = (struct compare_split){ .part = (enum split_part)part };
		for (int s = 0; s < 2; s++) {
			const struct compare_side *side = &c->side[s];
			x->ns[s] =
				arena_array(c->a, double, side->cycles_n + 1);
			known &= side->cycles_n > 0;
			for (uint32_t i = 0; i < side->units_n && known; i++)
				if (!unit_part(c, &side->units[i], x->part,
					    x->ns[s], &known, e))
					return false;
		}
		c->split_n += known;
	}
	return true;
}
