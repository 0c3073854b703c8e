/* gauges.h - figures of the database, for /metrics. */
#pragma once
#include "db.h"

struct gauge {
	const char *name, *label, *help; /* help: "" as the one before */
	double value; /* NAN: not known */
};

/* All of gauges.def, in its order; they live in the arena. */
bool gauges_read(struct db *db, struct arena *a, struct gauge **list, int *n,
	struct err *e);
