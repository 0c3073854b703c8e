/* common_factor.h - the factor by which most kernels are slower or faster, as
 * after a change of clocks or power.
 *
 * For one iteration of a side, the factor is the median over kernels of the
 * kernel's time / its mean time. Between the sides, it is the ratio of launch
 * times that most kernels share, by number and by time. Ratios of launch times
 * are used, because the time of an iteration also grows with the number of its
 * launches. */
#pragma once
#include "verdict.h"

enum {
	COMMON_FACTOR_ROWS_MIN = 8, /* fewer kernels share no factor */
	COMMON_FACTOR_ROWS_MAX = 128, /* only the longest are used */
};

struct common_estimate {
	bool known; /* enough kernels; if not, all fields below are 0 */
	bool uniform; /* most kernels changed by one ratio between the sides */
	double log_ratio; /* log(head / base) of these; 0 if not uniform */
	double log_sd; /* its standard error, from how well the rows agree */
	double tolerance; /* maximum |log ratio of a row - log_ratio| of rows
		that changed by this factor */
	double floor, floor_df; /* of the median row */
	uint32_t kernels;
	/* Per iteration of each side, mean 1: how slow that iteration was. */
	const double *base, *head;
	/* These values with the head's multiplied by the ratio. Dividing a
	 * kernel's times by them removes the common factor. */
	const double *free_base, *free_head;
};

/* `means`: base_ns and head_ns are filled. False if the arena is full. */
bool common_factor_estimate(const struct verdict_input *in,
	const struct change *means, struct arena *a,
	struct common_estimate *out);

/* The logarithm of head / base of a launch's time, or of an iteration's if
 * launches are unknown. NaN if the row is not on both sides. */
double common_factor_log_ratio(const struct verdict_input *in,
	const struct verdict_row *row, const struct change *mean);

/* The factor as a comparison reports it. `noise` is the variance of the
 * difference of the sides' mean factors; `run` adds the variance between
 * runs. */
struct common_factor common_factor_report(const struct verdict_input *in,
	const struct common_estimate *c, const struct change *means,
	double noise, bool run);
