/* gauges.h - figures of the database, for /metrics. */
#pragma once
#include "db.h"

struct gauge {
	/* help "": as for the previous gauge */
	const char *name, *label, *help;
	double value; /* NAN: not known */
};

/* Reads all gauges of gauges.def, in its order, into the arena. */
bool gauges_read(struct db *db, struct arena *a, struct gauge **list, int *n,
	struct err *e);
