/* derived_run.h - the row of `run` itself: what lists and totals show. */
#pragma once
#include "derived.h"

bool derived_run(struct db *db, const struct derived_run *run, struct err *e);
