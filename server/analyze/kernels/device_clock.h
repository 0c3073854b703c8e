/* device_clock.h - the SM clock of each device while its kernels ran, and how often
 * power or heat held it down.
 *
 * Only samples that were taken while a kernel or an opaque graph replay of the
 * device ran count: an idle device has another clock. Each busy moment has the
 * clock of the nearest of these samples, if that is at most
 * DEVICE_CLOCK_REACH_NS away. The clock of a device is the mean over these
 * moments, so that parts with a higher rate of samples do not weigh more.
 *
 * The mean is known only if it represents the busy time: from at least
 * DEVICE_CLOCK_SAMPLES samples that cover at least DEVICE_CLOCK_COVER_PCT of
 * it. The limits assume nothing about the clock but its range R, from the lowest
 * to the highest clock of the run. The peaks of the data sheet can be off by all
 * of R; a mean must be off by less than half of it. Let the mean be x * R above
 * the lowest clock. Then the standard deviation is at most R * sqrt(x (1 - x))
 * (Bhatia and Davis), and the part 1 - c of the time without a sample shifts the
 * mean by at most (1 - c) * R * max(x, 1 - x). Two standard errors of n samples
 * and this shift, at the worst x, add up to 0.43 R for n = 10 and c = 80 %
 * (0.49 R for n = 7, 0.52 R for n = 6; ten leaves room for samples that are not
 * quite independent). In a simulation of 50,000 recordings for each of ten
 * values of x, with a clock of two levels and the lower one wherever no sample
 * was taken, 95 % of the means were off by at most 0.40 R.
 *
 * The reach is half of the interval of a sampler that takes one sample per
 * second, so that all of its time is covered; the collector takes ten per
 * second by default. A longer gap counts as time without a sample. */
#pragma once
#include "profile.h"
#include "trace.h"

#define DEVICE_CLOCK_SAMPLES 10
#define DEVICE_CLOCK_REACH_NS INT64_C(500000000)
#define DEVICE_CLOCK_COVER_PCT 80

/* Sets the SM clock of each device of p->devices, or why it is unknown, and the
 * share of time in which power or heat held the clocks down. False if the arena is
 * full. */
bool device_clocks_from(const struct trace *t, const struct process *proc,
	struct profile *p);
/* The mean clock of all devices that ran kernels, weighted by their busy time;
 * NaN if one of them is unknown, with the reason in *why. NULL if the arena is
 * full. */
double device_clock_of_run(const struct profile *p, const char **why);
