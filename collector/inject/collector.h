/* collector.h - the one collector of a process: starts it, stops it, and
 * owns what its threads share.
 *
 * Threads: `ks-ctl` decides about windows and is the only one that calls
 * CUPTI, with one exception: a window that begins with CUDA itself is opened
 * inside cuInit, as CUPTI allows, before ks-ctl exists, so that the first
 * launch is recorded. `ks-io` reads buffers and rings and writes; it starts
 * with the first window. Both block all signals. A forked child touches
 * nothing. */
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
