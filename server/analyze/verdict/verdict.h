/* verdict.h - the statistical test of which rows of a matrix changed.
 *
 * x[row][iteration] is the time of a row in nanoseconds, 0 if the function did
 * not run. A side's iterations are stored one unit after the other. The
 * iterations of a unit are in order of time and may be correlated. Between
 * units, the time of a row differs by a random run effect. Its relative
 * standard deviation is `floor`, known with `floor_df` degrees of freedom. A
 * scaled t distribution with these degrees of freedom is part of every interval
 * and of the null distribution, so that the usual difference between two
 * processes is not reported as a change.
 *
 * Blocks of iterations (or units, if there are four or more per side) are
 * permuted between the sides `permutations` times. The largest statistic of all
 * rows gives the family-wise p. The result is deterministic for a seed.
 *
 * Margins are symmetric: times x and y are within a margin m if neither exceeds
 * (1 + m) times the other. A proven change is regressed or improved if it is at
 * least half the margin of the function, or a fifth of the margin of the
 * iteration; otherwise it is within the margin. A function that never ran on one
 * side, and always on the other, appeared or vanished, whatever its time.
 *
 * p, p_family and q are NaN if the evidence is launches; ratio is NaN if base
 * is 0. *block is 0 if no blocks were formed. No input may be NaN.
 *
 * Measured (tests/sim, 1,000 random pairs of 300 functions per case, 400
 * permutations; the first three lines and the last count pairs in which any
 * unchanged row is called regressed, improved, appeared or vanished, + those in
 * which one is within the margin):
 *
 *   equal, odd, 2 % run effect, default floor (60; 240; 8 iterations)   0; 0; 0
 *   equal, odd, only a known floor of 0 (60; 240)           31 + 13; 10 + 25
 *   equal, five runs a side; eight; eight with long tails
 *                                                 25 + 11; 18 + 10; 22 + 9
 *   5 % of one function, 30 iterations, floor 0                     found 987
 *   5 runs a side, 2 % run effect, 10 % of one function, odd        found 961
 *   threefold; a new function of 1 %; one that is gone              found 1,000
 *   8 runs a side, 0.5 % run effect, 2 % of one function with 9 % of the
 *   iteration (floor 0.5 %; default floor)       within or regressed 983; 873
 *   the same with 60 % of the iteration (floor 0.5 %)            regressed 841
 *   8 runs a side, 10 % of one function, one run of the base 30 % longer
 *                                                                found 1,000
 *   a clock 25 % slower, 30 % of the kernels not (floor 0)          0 (16 + 29) */
#pragma once
#include "arena.h"
#include "comparison.h"
#include "err.h"

/* Whether units are permuted: there are at least four per side, and so many
 * ways to split them that p can be as small as alpha. */
bool verdict_by_runs(uint32_t base_units, uint32_t head_units, double alpha);

/* The smallest difference of two times that is regressed or improved if it is
 * proven. `sum_ns` is the sum of both times; `iteration_ns` the longer iteration
 * of the two sides, 0 if it is unknown. */
double verdict_min_change_ns(double margin, double sum_ns, double iteration_ns);

struct verdict_side {
	uint32_t units;
	const uint32_t *iterations; /* of each unit, all > 0 */
	uint32_t n; /* their sum */
};

/* PATTERN_SPREAD launch durations of each side, at even steps from the shortest
 * to the longest: for each, the minimum and the maximum over the side's units.
 * NULL unknown. */
struct verdict_spread {
	const double *base_low, *base_high, *head_low, *head_high;
};

struct verdict_row {
	const double *base, *head; /* [side.n] */
	/* Number of executions over all iterations of the side, and the
	 * durations of the shortest and the longest; NaN unknown. They are the
	 * evidence if there are too few iterations. */
	double base_launches, base_min_ns, base_max_ns;
	double head_launches, head_min_ns, head_max_ns;
	bool kernel; /* used to compute the common factor, and divided by it */
	double floor, floor_df;
	enum floor_source floor_from;
	struct verdict_spread spread;
	/* Changes with the clocks as kernels do, but is not used to compute the
	 * common factor. */
	bool follows;
	/* A sum of kernels: judged as one kernel, but not used to compute the
	 * common factor. Set together with `follows`. */
	bool sum;
};

static inline bool verdict_freed(const struct verdict_row *r)
{
	return r->kernel || r->follows;
}

struct verdict_input {
	struct verdict_side base, head;
	const struct verdict_row *rows;
	uint32_t n;
	/* The last so many rows are in no family: only the common factor and the
	 * length of blocks are computed from them, and they get no class. So sums
	 * of kernels are judged by the same factor as the kernels. */
	uint32_t context_n;
	double base_iteration_ns,
		head_iteration_ns; /* mean duration; thresholds are shares of it */
	double margin, alpha;
	uint32_t permutations;
	uint64_t seed;
};

/* Fills changes[n] and the common factor; *block is the block's length in
 * iterations. */
bool verdict_from(const struct verdict_input *in, struct arena *a,
	struct change *changes, struct common_factor *common, uint32_t *block,
	struct err *e);
