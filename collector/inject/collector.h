/* collector.h - the one collector of a process: starts it, stops it, and owns
 * the state that its threads share.
 *
 * The thread `ks-ctl` decides about windows, and it is the only thread that
 * calls CUPTI. There is one exception: if a window begins when CUDA starts, it
 * is opened inside cuInit, as CUPTI allows, before ks-ctl exists. So the first
 * launch is recorded. The thread `ks-io` reads buffers and rings and writes
 * rows. It starts with the first window. Both threads block all signals. A
 * forked child does nothing. */
#pragma once
#include <stdbool.h>

/* Called by InitializeInjection inside cuInit. Reads the options and starts
 * the threads. It never makes its caller fail. A second call does nothing. */
void collector_start(void);

/* Whether this process is recorded at all. It is not if KERNSIFT_TRACE or
 * KERNSIFT_TRACE_EXCLUDE says so, or if the program has more rights than its
 * user. */
bool collector_wanted(void);
/* Whether NVTX ranges are needed: as rows, or as names of a CUDA graph's
 * nodes. */
bool collector_wants_ranges(void);
