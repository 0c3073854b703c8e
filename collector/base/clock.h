/* clock.h - the clocks of the host. CUPTI's timestamps are CLOCK_REALTIME. */
#pragma once
#include <stdint.h>
#include <time.h>

struct clock_pair {
	int64_t real_ns, monotonic_ns,
		boot_ns; /* REALTIME, MONOTONIC_RAW, BOOTTIME */
};

static inline int64_t clock_read_ns(clockid_t id)
{
	struct timespec t;
	clock_gettime(id, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static inline int64_t clock_real_ns(void)
{
	return clock_read_ns(CLOCK_REALTIME);
}

/* Reads the three clocks several times and returns the readings that are
 * closest together. */
struct clock_pair clock_pair_read(void);
