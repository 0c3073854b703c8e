/* common_factor.h - the factor that all kernels share: clocks and power.
 *
 * Per iteration and side, it is the median over kernels of time / the
 * kernel's mean. Between the sides, it is the ratio of a launch's time that
 * most kernels share, by number and by time. It is not the ratio of an
 * iteration's time, because more launches are not a slower clock. */
#pragma once
#include "verdict.h"

enum {
	COMMON_FACTOR_ROWS_MIN = 8, /* fewer kernels share no factor */
	COMMON_FACTOR_ROWS_MAX = 128, /* only the longest are used */
};

struct common_estimate {
	bool known; /* enough kernels; if not, all fields below are 0 */
	bool uniform; /* most of them changed by one ratio between the sides */
	double log_ratio; /* log of head / base of those; 0 if not uniform */
	double log_sd; /* its standard error, from how well the rows agree */
	double tolerance; /* the largest |log ratio - log_ratio| of a row that follows it */
	double floor, floor_df; /* of the median row */
	uint32_t kernels;
	/* Per iteration of each side, mean 1: how slow that iteration was. */
	const double *base, *head;
	/* The same, the head's multiplied by the ratio. Dividing a kernel's
	 * times by it removes the common factor. */
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
