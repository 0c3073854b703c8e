/* counters.h - samples counters of the devices and of the host.
 *
 * NVML is opened with dlopen and used with our own prototypes. Files of /proc
 * stay open and are read with pread. A series that is not supported is
 * switched off without affecting the others. There are three threads, because
 * none may wait for another: `ks-host`, `ks-nvml`, and `ks-pcie` for the NVML
 * call that takes 20 ms. Names and units are those of counters.def. */
#pragma once
#include "options.h"

struct counters;
struct capture_writer;

/* Reads CUDA_VISIBLE_DEVICES. Call it inside cuInit, because CUDA reads the
 * variable then. Opens nothing before counters_start(). Returns NULL if there
 * is no memory or nothing to sample. Every function below accepts NULL and
 * does nothing. */
struct counters *counters_new(const struct collector_options *o);
/* Waits a moment for threads that are in a call. If a thread is still running
 * after that, its memory is not freed. */
void counters_free(struct counters *c);

/* Start and stop the sampling threads for a window. Start them before CUPTI is
 * opened and stop them after CUPTI is closed, so that every iteration is
 * between two samples. Stopping reads the host's counters once more and waits
 * at most 250 ms. A sample that arrives later is dropped and counted, unless
 * it is drained before the next window starts. */
void counters_start(struct counters *c);
void counters_stop(struct counters *c);

/* For the writing thread: writes the samples since the last call as counter
 * rows. After counters_again() it also writes device rows, facts and notes
 * once. */
void counters_drain(struct counters *c, struct capture_writer *s);
void counters_again(struct counters *c);
/* Samples that found no room since the last call; for the writing thread. */
int64_t counters_dropped(struct counters *c);
