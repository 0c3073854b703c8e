/* clock.c - reads three clocks at moments as close together as the machine
 * allows. */
#include "clock.h"

struct clock_pair clock_pair_read(void)
{
	enum { TRIES = 5 };
	struct clock_pair best = { 0 };
	int64_t shortest = INT64_MAX;

	for (int i = 0; i < TRIES; i++) {
		int64_t before = clock_read_ns(CLOCK_MONOTONIC_RAW);
		int64_t real = clock_real_ns();
		int64_t boot = clock_read_ns(CLOCK_BOOTTIME);
		int64_t after = clock_read_ns(CLOCK_MONOTONIC_RAW);
		if (after - before >= shortest)
			continue;
		shortest = after - before;
		best = (struct clock_pair){ real, before + shortest / 2, boot };
	}
	return best;
}
