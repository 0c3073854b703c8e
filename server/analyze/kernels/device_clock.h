/* device_clock.h - the SM clock of each device while its kernels ran.
 *
 * Only samples that were taken while a kernel or an opaque graph replay of the
 * device ran count: an idle device has another clock. Each busy moment has the
 * clock of the nearest of these samples, if that is at most
 * DEVICE_CLOCK_REACH_NS away. The clock of a device is the mean over these
 * moments, so that parts with a higher rate of samples do not weigh more.
 *
 * The mean is known only if it represents the busy time: from at least
 * DEVICE_CLOCK_SAMPLES samples that cover at least DEVICE_CLOCK_COVER_PCT of
 * it. Under load, clocks vary by about a tenth. Then the mean of ten samples is
 * off by 3 % (a standard error), and the mean over 80 % of the time by at most
 * 2 %. A reach of 0.5 s admits one sample per second, the default rate of
 * `nvidia-smi dmon`; the collector takes ten per second. */
#pragma once
#include "profile.h"
#include "trace.h"

#define DEVICE_CLOCK_SAMPLES 10
#define DEVICE_CLOCK_REACH_NS INT64_C(500000000)
#define DEVICE_CLOCK_COVER_PCT 80

/* Sets the SM clock of each device of p->devices, or why it is unknown. False
 * if the arena is full. */
bool device_clocks_from(const struct trace *t, const struct process *proc,
	struct profile *p);
/* The mean clock of all devices that ran kernels, weighted by their busy time;
 * NaN if one of them is unknown, with the reason in *why. NULL if the arena is
 * full. */
double device_clock_of_run(const struct profile *p, const char **why);
