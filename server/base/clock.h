/* clock.h - a monotonic clock, for durations and deadlines */
#pragma once
#include <stdint.h>
#include <time.h>

static inline int64_t clock_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static inline int64_t clock_us(void)
{
	return clock_ns() / 1000;
}

static inline int64_t clock_ms(void)
{
	return clock_ns() / 1000000;
}
