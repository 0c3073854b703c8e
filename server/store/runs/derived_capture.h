/* derived_capture.h - a run's .kst becomes rows of run_capture. */
#pragma once
#include "derived.h"
#include "save.h"

/* Those of the runs that live. */
bool derived_capture(struct db *db, const struct captures *c,
	const struct derived_run *runs, uint32_t n, struct err *e);
