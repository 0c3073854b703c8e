/* counters.h - the device's and the host's counters, sampled.
 *
 * NVML by dlopen, with our own prototypes; /proc by pread on open files. Each
 * series that is not supported is switched off by itself. Three threads, since
 * none may wait for another: `ks-host`, `ks-nvml`, and `ks-pcie` for the call
 * that takes 20 ms. Names and units are those of counters.def. */
#pragma once
#include "options.h"

struct counters;
struct capture_writer;

/* Reads CUDA_VISIBLE_DEVICES, so call it when CUDA does: inside cuInit.
 * Opens nothing before counters_start(). NULL if there is no memory, or
 * nothing to be sampled; every function below accepts NULL and does nothing. */
struct counters *counters_new(const struct collector_options *o);
/* Waits a moment for threads that are in a call; what still runs then keeps its
 * memory. */
void counters_free(struct counters *c);

/* Starts and stops the sampling threads, for a window: before CUPTI is
 * opened and after it is closed, so that every iteration is between two
 * samples. Stopping reads the host's counters once more, and waits at most
 * 250 ms. A sample that comes later, and is not drained when the next window
 * starts, is dropped and counted. */
void counters_start(struct counters *c);
void counters_stop(struct counters *c);

/* Of the writing thread: the samples since the last time, as counter rows, and
 * once per capture (counters_again()) device rows, facts and notes. */
void counters_drain(struct counters *c, struct capture_writer *s);
void counters_again(struct counters *c);
/* Samples that found no room since the last call; for the writing thread. */
int64_t counters_dropped(struct counters *c);
