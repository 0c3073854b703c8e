/* verdict.h - which rows of a matrix changed: the statistics, and nothing else.
 *
 * x[row][cycle]: nanoseconds per cycle, 0 where the function did not run. A
 * side's cycles stand unit behind unit; cycles of a unit are in order and may be
 * correlated. Between units a row differs by a run effect of relative standard
 * deviation `floor`, known with `df` degrees of freedom: a scaled t of so many
 * stands for it in every interval and in the null distribution, so that what
 * two processes always differ by accuses nobody.
 *
 * Blocks of cycles (or units, four or more a side) are permuted between the
 * sides `permutations` times; the largest of all rows' statistics gives the
 * family-wise p. Deterministic for a seed.
 *
 * Unknown, and NaN: p, p_family and q where the evidence is launches; ratio
 * where base is 0. *block is 0 where no blocks were made. No input is NaN.
 *
 * Measured (tests/sim, 1,000 drawn pairs of 300 functions a case; accused: pairs
 * with any unchanged row called regressed, improved, appeared or vanished):
 *
 *   alike, odd, 2 % run effect, default floor (60; 240; 8 cycles)   0; 0; 0
 *   alike, odd, nothing but a known floor of 0 (60; 240 cycles)     37; 19
 *   alike, five runs a side                                         25
 *   5 % of one function, 30 cycles, floor 0                         found 987
 *   5 runs a side, 2 % run effect, 10 % of one function, odd        found 961
 *   threefold; a new function of 1 %; one that is gone              found 1,000
 *   a clock 25 % slower, 30 % of the kernels not (floor 0)          0 (37) */
#pragma once
#include "arena.h"
#include "comparison.h"
#include "err.h"

/* Whether units are what is permuted: four and more a side, and ways enough to
 * choose among them that alpha can be reached. */
bool verdict_by_runs(uint32_t base_units, uint32_t head_units, double alpha);

struct verdict_side {
	uint32_t units;
	const uint32_t *cycles; /* of each unit, all > 0 */
	uint32_t n; /* their sum */
};

/* PATTERN_SPREAD launches of each side by length, evenly from the shortest to
 * the longest: over the side's units the least and the most. NULL unknown. */
struct verdict_spread {
	const double *base_low, *base_high, *head_low, *head_high;
};

struct verdict_row {
	const double *base, *head; /* [side.n] */
	/* Executions over all cycles of the side; the shortest and longest, NaN
	 * where unknown: evidence where cycles are too few. */
	double base_launches, base_min_ns, base_max_ns;
	double head_launches, head_min_ns, head_max_ns;
	bool kernel; /* takes part in the common factor, and is freed from it */
	double floor, floor_df;
	enum floor_source floor_from;
	struct verdict_spread spread;
	/* Follows the clocks as kernels do, but does not tell what they did. */
	bool follows;
};

static inline bool verdict_freed(const struct verdict_row *r)
{
	return r->kernel || r->follows;
}

struct verdict_input {
	struct verdict_side base, head;
	const struct verdict_row *rows;
	uint32_t n;
	double base_cycle_ns,
		head_cycle_ns; /* mean duration; for what is at stake */
	double margin, alpha;
	uint32_t permutations;
	uint64_t seed;
};

/* changes[n] and the common factor; *block is the block's length in cycles. */
bool verdict_from(const struct verdict_input *in, struct arena *a,
	struct change *changes, struct common_factor *common, uint32_t *block,
	struct err *e);
