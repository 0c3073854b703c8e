/* patience.h - waits before another try, and tells the person so. */
#pragma once
#include "err.h"
#include "meter.h"
#include "retry.h"

struct patience {
	struct meter *meter;
	const char *label; /* what the tries are about */
	int most; /* tries after the first */
	int tried;
};

/* True after a wait, where another try is worth it; else false at once. `why`
 * is the sentence of the try that failed. */
bool patience_wait(struct patience *p, const struct attempt *a,
	const struct err *why);
