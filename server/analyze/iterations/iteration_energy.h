/* iteration_energy.h - the energy that the devices of a run used in its kept
 * iterations, from samples of their power.
 *
 * The energy is the integral of the power over time. Of a device, the first of
 * these counters that is sufficient is used, never two of them:
 *
 *  - `gpu_power_mean`, in W: the mean since the sample before, from the energy
 *    counter of the driver. Between two samples the energy is exact. Where a
 *    window begins or ends between two samples, the power is taken to be
 *    constant between them;
 *  - `gpu_power`, in W: a reading. It is interpolated linearly between two
 *    samples (trapezoid rule);
 *  - `device_power`, in W: the same on AMD's GPUs, from rocprof-sys.
 *
 * Time is covered if it is between two samples that are both usable and not
 * farther apart than the counter's limit. A sample is usable if it is a number
 * from 0 to ENERGY_WATTS_MAX. Of gpu_power_mean only the later sample must be
 * usable, because the earlier one is only a moment. Time before the first and
 * after the last sample is not covered.
 *
 * Limit, in median distances of two samples. Of gpu_power_mean 1.5: one lost
 * sample makes two, and if the energy counter wrapped or was reset, the
 * collector writes no sample and the next one describes only the second half.
 * Of readings 2.5: one lost reading, and not two.
 *
 * The resolution is the median distance of two samples; of readings at least
 * 1 s, because the driver returns the mean of the last second on Ampere (except
 * GA100) and later GPUs (documentation of nvmlDeviceGetPowerUsage). AMD does not
 * document over which time average_socket_power is a mean. A window
 * that is shorter has no energy of its own. The mean over consecutive kept
 * iterations is known if all of their time is covered, from the start of the
 * first to the end of the last with the time between them, and if that is at
 * least ENERGY_SPAN times the resolution. Of all such stretches the one with the
 * most time is used. It is the same for all devices.
 *
 * The energy has an interval. It does not contain errors of the sensor.
 *
 *  - gpu_power_mean: the energy of an interval of the counter that is only in
 *    part in the window may have been used inside or outside of it. These are
 *    bounds, without an assumption about the power.
 *  - readings: the larger one of two errors on each side. A reading may be of
 *    any moment of the resolution, so half of its energy can shift over each end
 *    of the window, at the highest power that was read in it. And readings that are
 *    momentary have a standard error: 1.96 s / sqrt(n) of their mean. Which of
 *    the two a driver returns is not recorded. The lower end is at least 0. */
#pragma once
#include "profile.h"
#include "trace.h"

struct attribution;

/* No GPU uses this much: the largest ones are specified for less than 2 kW. */
#define ENERGY_WATTS_MAX 10e3
/* With ten times the resolution, the ends of the window have at most a fifth of
 * its time. */
#define ENERGY_SPAN 10
/* An operator with less time has no energy of its own. In runs of 300 windows,
 * tests/sim/sim_energy.c finds intervals of about 1 % of the energy of all
 * launches, so that of a smaller operator would be wider than its energy. */
#define ENERGY_OPERATOR_MIN 0.01

/* Fills p->energy with a row per device of p->devices; requires p->iterations, and
 * p->operators with the attribution from which they were made. False if the arena is
 * full.
 *
 * The energy of operators is computed from gpu_power_mean only: of readings it is
 * not known over which time they are a mean. The energy of all windows of at least
 * ENERGY_SPAN times the resolution, between two samples each, is
 *
 *   E = P_idle · window + Σ c · t
 *
 * t is the GPU time of an operator in the window, and P_idle and c >= 0 have the
 * least squared error. Operators with less than ENERGY_OPERATOR_MIN of the time of
 * the device's launches, launches without an operator, copies and opaque graphs
 * share one c, which is not shown. Of two launches at the same time, each adds its
 * power. If the times of operators change together, they cannot be separated, and
 * only those have no energy. The intervals contain noise and slow changes of the
 * power, but not that the power of an operator may depend on what else is
 * executed. */
bool iteration_energy_from(const struct attribution *at, struct profile *p);

/* The energy of all devices. */
struct energy_sum {
	uint32_t first, iterations; /* as in the devices */
	int64_t span_ns;
	double energy_j, low_j, high_j; /* in span_ns; NaN unknown */
	const char *why; /* why it is unknown; NULL if it is not */
	/* Output tokens of these iterations: an iteration of decoding makes one
	 * token of each sequence. NaN if they are unknown, for tokens_why. */
	double tokens;
	const char *tokens_why;
};

/* Unknown if the energy of one device is, or if there is no device. `c` are the
 * iterations of the run; if they are more or fewer than those of `use`, the run was
 * analyzed again meanwhile, and the energy is unknown. Energy per token is unknown if
 * other ranks may work on the tokens (serving_rates_shared()). False if the arena is
 * full. */
bool energy_sum_from(const struct energy_use *use, const struct iterations *c,
	int32_t ranks, struct arena *a, struct energy_sum *out);
