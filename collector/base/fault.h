/* fault.h - reports bugs of the collector itself and stops it.
 *
 * Any thread may call these functions, also a callback of CUPTI or NVTX in the
 * application's threads. */
#pragma once
#include <stdbool.h>

/* True in a forked child and after eight reported faults. Each entry point of
 * the collector then returns immediately. The result never becomes false
 * again. */
bool fault_stopped(void);
/* Stops the collector in this process. */
void fault_stop(void);
/* Reports a bug of the collector; the eighth stops it. */
void fault_report(const char *where);
