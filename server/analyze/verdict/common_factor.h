/* common_factor.h - what all kernels have in common: clocks and power.
 *
 * Per cycle and side, the median over kernels of time / the kernel's mean: what
 * moved all of them in that cycle. Between the sides, the ratio of a launch's
 * time that most kernels share, by number and by time: not of a cycle's time, so
 * that more launches are no slower clock. */
#pragma once
#include "verdict.h"

enum {
	COMMON_ROWS_MIN = 8, /* kernels, below which nothing is common */
	COMMON_ROWS_MAX = 128, /* the longest are asked */
};

struct common {
	bool known; /* enough kernels; else no field below says anything */
	bool alike; /* most of them moved as one between the sides */
	double log_ratio; /* head / base of those; 0 where not alike */
	double log_sd; /* how well the rows agree on it */
	double tolerance; /* |log ratio - log_ratio| of a row that moved so */
	double floor, floor_df; /* of the median row */
	uint32_t kernels;
	/* By cycle of each side, mean 1: how slow that cycle was. */
	const double *base, *head;
	/* The same, head's times the ratio: divides a kernel's times, which
	 * frees them from what is common. */
	const double *free_base, *free_head;
};

/* `means`: base_ns and head_ns are filled. False where the arena is full. */
bool common_from(const struct verdict_input *in, const struct change *means,
	struct arena *a, struct common *out);

/* The logarithm of head / base of a launch's time, of a cycle's where launches
 * are unknown. NaN where the row is not on both sides. */
double common_log_ratio(const struct verdict_input *in,
	const struct verdict_row *row, const struct change *mean);

/* What a comparison says of it: `noise` is the variance of the difference of the
 * sides' mean factors; `run` whether run effects come on top of it. */
struct common_factor common_told(const struct verdict_input *in,
	const struct common *c, const struct change *means, double noise,
	bool run);
