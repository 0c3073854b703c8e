/* level_test.h - tests if the head's level is above the base's, from one value
 * per unit, and from the commit of each unit.
 *
 * The test compares logarithms (or, for a series with zeros and for shares,
 * values divided by a scale): x = level + commit + run. A head is one commit,
 * unless its labels name several. Commits without labels: see
 * level_test_input.
 *
 * Variances. `within` is the variance of runs of one commit, pooled over the
 * commits. `between` is the variance of the commits' means about the level of
 * their segment; it contains within / n. Both are means of squares of which
 * each is limited to 6.25 times the variance of the smallest four of five, so
 * that an outlier does not decide them and two machines count in full
 * (successive_diff.h). If `between` is above within / n by less than chance
 * explains (75 % quantile: Paull, On a preliminary test for pooling mean squares
 * in the analysis of variance, 1950; Bozivich and others, 1956, who recommend
 * this level), both are pooled. Otherwise a commit has a variance of its own,
 * between - within / n, which further runs of the head do not reduce, and the
 * degrees of freedom are those of the commits. So the variance of a head's level
 * is never below what the runs within commits say.
 *
 * Both variances, the autocorrelation and the tail below are also those of earlier
 * units of the same work, if the caller gives them: a base of a few commits says
 * little about how much commits differ. The level of the base is not. Earlier
 * units are cut at their change points. They are not used if commits of the base
 * differ by more (F test, 95 % quantile), because a gate must not fail for noise
 * that is new, or by far less (0.1 % quantile).
 *
 * The default noise floor (noise_floor.h) counts only as far as the data have
 * fewer than 8 degrees of freedom, where it makes the t quantile for 1 % at most
 * a quarter larger than the normal one.
 *
 * Successive commits may be correlated (clocks, temperature). If their first
 * autocorrelation is significant (5 %, one-sided), the series is treated as
 * AR(1): the coefficient is corrected for its bias (Marriott and Pope, Bias in
 * the estimation of autocorrelations, 1954), the variance, which short series
 * underestimate, is corrected by 1 / (1 - τ / k) with τ = 1 + 2 Σ (1 - j / k) ρ^j,
 * the base's level has the variance τ / k, and the degrees of freedom are those
 * of k (1 - ρ²) / (1 + ρ²) values (Bayley and Hammersley, 1946).
 *
 * The level of a side is Huber's mean (k = 1.5), over commits weighted by their
 * precision for the base, and over runs for the head.
 *
 * A head of one run has no second run that could contradict an outlier. It fails
 * only if the base has at least 20 commits, and then p is not below the tail of
 * the base's own runs: (m + 1) / (k + 1), where m is the sum over the k commits of
 * the share of their runs that are as far above their level as the head; beyond
 * the highest of them, by distance d, (d_max / d)³ / (k + 1),
 * the tail of Student's t with three degrees of freedom, which is heavier than
 * that of any series with a finite third moment (Hill, 1975).
 *
 * The base's level is the level after its last change point (change_point.h). A
 * head above that level can still pass. It passes if the rise is more likely
 * before one or more of the newest units of the base than before the head.
 *
 * If the caller gives the segments of the base and names the reference among
 * them, the head is compared with this segment only, wherever in time it is. The
 * variances and the autocorrelation are those of all segments. */
#pragma once
#include "arena.h"
#include "gate.h"

enum { LEVEL_TEST_SINCE_NONE = UINT32_MAX };
/* A head of one run may fail if the base has this many commits. With fewer, the
 * highest of the base's runs says little about a tail of 1 %. */
enum { LEVEL_TEST_ONE_RUN_COMMITS = 20 };
/* Change points of a base must be clearer than those of a trend (0.01), because
 * a wrong one makes the base short. */
#define LEVEL_TEST_CUT_ALPHA 0.001
/* Those of earlier units may be less clear: a wrong one costs one degree of freedom,
 * and a change that is missed counts as noise. Of twelve commits, the clearest change
 * has a p of 0.002. */
#define LEVEL_TEST_EARLIER_CUT_ALPHA 0.05

/* Units of the same work that were stored before the base, oldest first. Their
 * level may be that of something else, such as another definition of iterations. */
struct level_earlier {
	const double *v; /* no NaN */
	const uint32_t *commit; /* as base_commit */
	uint32_t n;
};

struct level_test_input {
	struct gate_values v; /* no NaN, at least one per side */
	/* The commit of each value. Values of the base of one commit are
	 * adjacent; its numbers ascend. base_commit NULL: each segment of the
	 * base is divided into groups as large as the head, from its end. head_commit
	 * NULL: the head is one commit. */
	const uint32_t *base_commit, *head_commit;
	double limit; /* relative to the base, or a share of `scale` */
	double scale; /* 0: logarithms; otherwise values are shares of it */
	double alpha; /* one-sided */
	double repeat_alpha; /* of the same test with more runs of the head */
	double floor; /* relative, between runs; NaN: estimated */
	uint64_t seed;
	/* The first value of each segment, ascending; the first is 0. NULL: they
	 * are found here, and the newest is the reference. */
	const uint32_t *starts;
	uint32_t starts_n, reference;
	struct level_earlier earlier; /* none if there are `starts` */
};

struct level_test_result {
	double base, head; /* levels, in the unit of the values */
	double change, low, high; /* relative, or shares of `scale`; 95 % */
	double p; /* one-sided: the probability of so large a rise by chance */
	double floor, floor_df;
	bool above; /* the head is above the base by the limit or more */
	bool shown; /* `above`, p is at most alpha, and the rise was not before
		an earlier unit */
	uint32_t since; /* the base is compared from this unit on */
	int32_t needed; /* gate_rule.runs_needed, if the rule is undecided */
	uint32_t earlier; /* units before the base that the variances are of,
		too */
	uint32_t commits; /* whose differences are in the variances; 1: none.
		0: the floor is given */
};

/* False if the arena is full. */
bool level_test(const struct level_test_input *q, struct arena *a,
	struct level_test_result *out);
