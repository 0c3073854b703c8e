/* fault.h - bugs of the collector itself, and whether it has stopped.
 *
 * Any thread, also a callback of CUPTI or NVTX in the application's threads. */
#pragma once
#include <stdbool.h>

/* True in a forked child and after eight reported faults: each entry of the
 * collector then returns at once. It never becomes false again. */
bool fault_stopped(void);
/* Stops the collector in this process. */
void fault_stop(void);
/* Reports a bug of the collector; the eighth stops it. */
void fault_report(const char *where);
