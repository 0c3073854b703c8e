/* fault.c - counts the collector's own bugs and stops it after too many. */
#include "fault.h"
#include "log.h"
#include <stdatomic.h>

enum { FAULTS = 8 };

static atomic_bool stopped;
static atomic_int faults;

bool fault_stopped(void)
{
	return atomic_load_explicit(&stopped, memory_order_relaxed);
}

void fault_stop(void)
{
	atomic_store(&stopped, true);
}

void fault_report(const char *where)
{
	int n = atomic_fetch_add(&faults, 1) + 1;

	if (n > FAULTS)
		return;
	log_line("%s: the collector's own fault, number %d", where, n);
	if (n < FAULTS)
		return;
	log_line("the collector stops after %d faults of its own", FAULTS);
	fault_stop();
}
