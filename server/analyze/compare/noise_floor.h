/* noise_floor.h - how much runs of the same work differ, for each function.
 *
 * The noise floor is the root of a moderated variance: s² = (d0·s0² + Σ
 * d_g·s_g²) / (d0 + Σ d_g), summed over groups g of repeats. A group is a set of
 * stored runs that repeat each other, or the units of a compared side. s_g² is
 * the variance of the logarithms of times, estimated from neighbors in time with
 * d_g degrees of freedom (successive_diff.h). After Smyth, Linear models and
 * empirical Bayes methods, 2004. A floor given by the user is used unchanged
 * and without uncertainty.
 *
 * The prior, s0 and d0, is learned from the variances of all functions in all
 * groups of stored runs (noise_floor_fit()), also of other workloads. If it
 * cannot be learned, s0 is the default (3 %), with the weight of d0 = 4
 * observations. The functions of a run share its clock and its machine, and a
 * learned prior contains the function's own repeats. So a floor of stored runs
 * has at most as many degrees of freedom as these runs support
 * (noise_prior.most_df), or as the function's own repeats have. */
#pragma once
#include "compare.h"
#include "successive_diff.h"

#define NOISE_FLOOR_DEFAULT_SD 0.03
#define NOISE_FLOOR_DEFAULT_DF 4.0
/* Only the first runs of a group are used. */
enum { NOISE_FLOOR_RUNS_MAX = SUCCESSIVE_DIFF_MAX };

struct noise_floor {
	double sd, df; /* df is INFINITY if given */
	enum floor_source from;
};

/* The prior that these runs teach; NULL: none. Sets runs and runs_n in the
 * arena; `before` is the caller's. */
struct noise_prior noise_floor_prior(const struct repeats *r, struct arena *a);

/* The floor of a function by name, with the prior of `r`. `given` is
 * compare_options.floor. */
struct noise_floor noise_floor_learned(const struct repeats *r,
	const char *name, double given);

/* The default, or the given one. */
struct noise_floor noise_floor_default(double given);

/* The time of a function in a run; of all functions if `name` is NULL. 0: it did
 * not run. */
double noise_floor_mean_ns(const struct repeat_run *run, const char *name);

/* Updates a floor with the variance of a series of logarithms. The source of a
 * default floor becomes FLOOR_LEARNED. A given floor does not change. */
void noise_floor_update(struct noise_floor *f,
	const struct successive_diff *own);

/* The prior of a variance, estimated from an ensemble of variances.
 *
 * The model is that of Smyth (Linear models and empirical Bayes methods for
 * assessing differential expression, 2004, section 6.2): the true variances are
 * draws of d0·s0² / χ²(d0), and each estimate with d degrees of freedom is its
 * true variance times χ²(d) / d. Then e = log s² - ψ(d/2) + log(d/2) has the
 * mean log s0² - ψ(d0/2) + log(d0/2) and the variance ψ'(d/2) + ψ'(d0/2), and
 * both moments give s0² and d0.
 *
 * Smyth's d0 is infinite if the estimates differ by no more than chance
 * explains. Here it is never infinite: estimates of one cluster come from the
 * same runs and may share all their chance, so the mean of e is itself uncertain,
 * with the variance V = Σ over clusters of (Σ sqrt ψ'(d/2))² / n². V is added to
 * the variance of the true ones. So d0 is at most `most_df` with ψ'(most_df/2)
 * = V: as many degrees of freedom as the runs themselves have. */
struct noise_sample {
	double variance, df;
	uint32_t cluster;
};
struct noise_fit {
	double variance, df; /* s0² and d0; 1 <= d0 */
	double spread_df; /* Smyth's d0, without V; INFINITY */
	double most_df;
	uint32_t used; /* estimates */
};

/* Fewer estimates do not show how much variances differ: with eight, the
 * standard error of their spread is sqrt(2 / 7), half of it. */
enum { NOISE_FLOOR_FIT_MIN = 8 };

/* False if nothing can be learned: there are too few estimates, or at least half
 * of them are 0. Estimates below 1e-5 of the median are not used: normal values
 * have so small a variance in 0.2 % of cases with one degree of freedom, so most
 * of them are of times that were rounded or copied. */
bool noise_floor_fit(const struct noise_sample *x, uint32_t n, struct arena *a,
	struct noise_fit *out);
