/* measure.h - measures the CPU time and wall time of one piece of work.
 *
 * Ratios are computed from the CPU time of the whole process. The machine is
 * shared, and time that other processes use is not part of the work. */
#pragma once
#include <stdint.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>

struct moment {
	int64_t cpu_ns, wall_ns;
};

static inline int64_t measure_clock(clockid_t c)
{
	struct timespec t;
	clock_gettime(c, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static inline struct moment measure_now(void)
{
	return (struct moment){ measure_clock(CLOCK_PROCESS_CPUTIME_ID),
		measure_clock(CLOCK_MONOTONIC) };
}

/* One line for the script: NAME CPU_NS WALL_NS */
static inline void measure_tell(const char *name, struct moment from,
	struct moment to)
{
	printf("%s %lld %lld\n", name, (long long)(to.cpu_ns - from.cpu_ns),
		(long long)(to.wall_ns - from.wall_ns));
}

/* The peak memory of this process, in KiB. */
static inline void measure_tell_peak(void)
{
	struct rusage u;
	getrusage(RUSAGE_SELF, &u);
	printf("peak_kib %ld\n", u.ru_maxrss);
}
