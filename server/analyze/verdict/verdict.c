/* verdict.c - the steps, in order; what each does lies in its own file. */
#include "verdict.h"
#include "common_factor.h"
#include "few_iterations_test.h"
#include "proof.h"
#include "splits.h"
#include <assert.h>
#include <math.h>
#include <string.h>

static double mean_of(const double *x, uint32_t n)
{
	double sum = 0;
	for (uint32_t i = 0; i < n; i++) {
		assert(isfinite(x[i]));
		sum += x[i];
	}
	return sum / n;
}

static bool all_equal(const double *x, uint32_t n, double to)
{
	for (uint32_t i = 0; i < n; i++)
		if (x[i] != to)
			return false;
	return true;
}

/* The same numbers, cycle by cycle, or one number that never varies. */
static bool identical(const struct verdict_input *in,
	const struct verdict_row *r)
{
	if (in->base.n == in->head.n &&
		!memcmp(r->base, r->head, in->base.n * sizeof *r->base))
		return true;
	return all_equal(r->base, in->base.n, r->base[0]) &&
	       all_equal(r->head, in->head.n, r->base[0]);
}

static void means_fill(const struct verdict_input *in, struct change *changes)
{
	for (uint32_t i = 0; i < in->n; i++) {
		const struct verdict_row *r = &in->rows[i];
		double base = mean_of(r->base, in->base.n);
		double head = mean_of(r->head, in->head.n);
		changes[i] = (struct change){ .base_ns = base,
			.head_ns = head,
			.delta_ns = head - base,
			.ratio = base > 0 ? head / base : NAN,
			.is = identical(in, r) ? CHANGE_UNCHANGED
					       : CHANGE_UNDECIDED,
			.floor = r->floor,
			.floor_from = r->floor_from,
			.floor_df = r->floor_df };
	}
}

enum { RUNS_MIN = 4 };

bool verdict_by_runs(uint32_t base, uint32_t head, double alpha)
{
	uint32_t few = base < head ? base : head;
	double best =
		(base == head ? 2.0 : 1.0) / splits_ways(base + head, few);
	return few >= RUNS_MIN && best <= alpha;
}

/* Cycles prove something only where the best way to split them would. */
static enum evidence evidence_of(const struct verdict_input *in)
{
	/* What units differ by is the floor's to tell, and takes one cycle each. */
	uint32_t base = in->base.n - (in->base.units - 1);
	uint32_t head = in->head.n - (in->head.units - 1);
	uint32_t few = base < head ? base : head;

	if (verdict_by_runs(in->base.units, in->head.units, in->alpha))
		return EVIDENCE_RUNS;
	double best =
		(base == head ? 2.0 : 1.0) / splits_ways(base + head, few);
	return few >= PROOF_CYCLES_MIN && best <= in->alpha ? EVIDENCE_CYCLES
							    : EVIDENCE_LAUNCHES;
}

static void side_assert(const struct verdict_side *s)
{
	uint32_t n = 0;
	for (uint32_t u = 0; u < s->units; u++)
		n += s->cycles[u];
	assert(s->units > 0 && n == s->n && n > 0);
}

bool verdict_from(const struct verdict_input *in, struct arena *a,
	struct change *changes, struct common_factor *common, uint32_t *block,
	struct err *e)
{
	struct common c;
	enum evidence by = evidence_of(in);

	side_assert(&in->base);
	side_assert(&in->head);
	assert(in->permutations > 0 && in->alpha > 0 && in->margin >= 0);
	*block = 0;
	means_fill(in, changes);
	if (!common_from(in, changes, a, &c))
		return arena_err(a, e);
	if (by != EVIDENCE_LAUNCHES)
		return proof_from(in, by, &c, a, changes, common, block) ||
		       arena_err(a, e);
	*common = common_told(in, &c, changes, 0, true);
	launched(in, &c, changes);
	return true;
}
