/* stats.c - sorts durations and reads their statistics from the order. */
#include "stats.h"
#include "exact.h"
#include <string.h>

/* Least significant byte first, only as many bytes as differ: durations of
 * one kernel are close together, so two or three passes are enough. */
static void stats_sort_bytes(int64_t *v, int64_t *scratch, uint32_t n,
	int64_t min, int64_t max)
{
	int64_t *from = v, *to = scratch;
	uint64_t range = (uint64_t)(max - min);

	for (int shift = 0; shift < 64 && range >> shift; shift += 8) {
		uint32_t at[256] = { 0 }, sum = 0;
		for (uint32_t i = 0; i < n; i++)
			at[(uint64_t)(from[i] - min) >> shift & 255]++;
		for (int b = 0; b < 256; b++) {
			uint32_t count = at[b];
			at[b] = sum;
			sum += count;
		}
		for (uint32_t i = 0; i < n; i++)
			to[at[(uint64_t)(from[i] - min) >> shift & 255]++] =
				from[i];
		int64_t *done = to;
		to = from;
		from = done;
	}
	if (from != v)
		memcpy(v, from, n * sizeof *v);
}

static void stats_sort_few(int64_t *v, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++) {
		int64_t x = v[i];
		uint32_t j = i;
		for (; j && v[j - 1] > x; j--)
			v[j] = v[j - 1];
		v[j] = x;
	}
}

/* The p-th percentile of sorted numbers by linear interpolation (type 7), in
 * hundredths, exactly: position (n-1)*p/100 from the first. */
static wide_t stats_percentile(const int64_t *v, uint32_t n, uint32_t p)
{
	uint64_t at = (uint64_t)(n - 1) * p;
	uint32_t i = (uint32_t)(at / 100), part = (uint32_t)(at % 100);
	int64_t step = part ? v[i + 1] - v[i] : 0;
	return (wide_t)v[i] * 100 + (wide_t)step * part;
}

static double stats_rounded(wide_t hundredths)
{
	return (double)exact_tenths(hundredths, 100) / 10;
}

struct time_stats stats_from(int64_t *dur_ns, int64_t *scratch, uint32_t n)
{
	enum { FEW = 48 };
	int64_t total = 0, min = dur_ns[0], max = dur_ns[0];
	wide_t squares = 0;

	for (uint32_t i = 0; i < n; i++) {
		int64_t x = dur_ns[i];
		total += x;
		squares += (wide_t)x * (wide_t)x;
		min = x < min ? x : min;
		max = x > max ? x : max;
	}
	if (n <= FEW)
		stats_sort_few(dur_ns, n);
	else
		stats_sort_bytes(dur_ns, scratch, n, min, max);

	wide_t middle = (wide_t)dur_ns[(n - 1) / 2] + (wide_t)dur_ns[n / 2];
	return (struct time_stats){
		.instances = n,
		.total_ns = total,
		.min_ns = min,
		.max_ns = max,
		.avg_ns = (double)exact_tenths((wide_t)total, n) / 10,
		.med_ns = (double)exact_tenths(middle, 2) / 10,
		.stddev_ns = (double)exact_sd_tenths(n, total, squares) / 10,
		.p90_ns = stats_rounded(stats_percentile(dur_ns, n, 90)),
		.p99_ns = stats_rounded(stats_percentile(dur_ns, n, 99)),
		.iqr_ns = stats_rounded(stats_percentile(dur_ns, n, 75) -
					stats_percentile(dur_ns, n, 25)),
	};
}

double stats_pct(int64_t part, int64_t whole)
{
	if (whole == 0)
		return 0;
	return (double)exact_tenths((wide_t)part * 100, (wide_t)whole) / 10;
}
