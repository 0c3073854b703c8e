/* exact.h - exact integer arithmetic for printed statistics.
 *
 * A printed digit depends on whether a fraction is above or below a half, and a
 * double is not always exact enough to decide this. So every result is computed
 * from exact integers (128 bits, 256 for variances) and rounded once: to
 * tenths, half away from zero. No value here is negative. */
#pragma once
#include <stdint.h>

__extension__ typedef unsigned __int128 wide_t;

/* round(10 * num / den); den > 0, the result fits. */
int64_t exact_tenths(wide_t num, wide_t den);

/* round(10 * s), s the sample standard deviation of n > 0 numbers whose sum
 * and sum of squares are given; 0 for n = 1. sum < 2^60, n < 2^32. */
int64_t exact_sd_tenths(uint32_t n, int64_t sum, wide_t squares);
