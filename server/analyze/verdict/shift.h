/* shift.h - the Hodges-Lehmann shift: the median of all differences head - base.
 *
 * Its interval are the differences that a rank-sum test would not reject at 5 %.
 * Where there are too many pairs, evenly spaced quantiles of each side stand for
 * it. */
#pragma once
#include <stdint.h>

enum { SHIFT_PAIRS = 1 << 12, SHIFT_RANKS_MIN = 8 };

struct shift {
	double at;
	/* Half the interval's widths; NaN where a side has fewer than
	 * SHIFT_RANKS_MIN values, which ranks tell little of. */
	double below, above;
};

/* Sorts both sides; `pairs` has room for SHIFT_PAIRS. */
struct shift shift_of(double *base, uint32_t base_n, double *head,
	uint32_t head_n, double *pairs);
