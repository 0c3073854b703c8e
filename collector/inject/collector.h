/* collector.h - the one collector of a process: starts it, stops it, and holds
 * what its threads share.
 *
 * Threads: `ks-ctl` decides about windows and is the only one that calls CUPTI,
 * but for a window that begins with CUDA itself: that one is opened inside of
 * cuInit, as CUPTI allows, before there is a ks-ctl, so that the first launch is
 * recorded. `ks-io` reads buffers and rings and writes; it starts with the first
 * window. Both block all signals. In a forked child nothing is touched any
 * more. */
#pragma once
#include <stdbool.h>

/* From InitializeInjection, inside cuInit: reads options, starts the threads,
 * never fails its caller. Again: nothing happens. */
void collector_start(void);

/* Whether this process is to be recorded at all: KERNSIFT_TRACE,
 * KERNSIFT_TRACE_EXCLUDE, not a program with more rights than its user. */
bool collector_wanted(void);
/* And whether NVTX is: as rows, or as what names a CUDA graph's nodes. */
bool collector_wants_ranges(void);
