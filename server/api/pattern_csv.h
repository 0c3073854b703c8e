/* pattern_csv.h - a run's functions cycle by cycle, as the pattern tables that
 * can be uploaded: their 17 columns, made while they are sent.
 *
 * A row per cycle, function, device and counter; where no counter of a function
 * has a value in a cycle, one row of the metric "N/A". Functions that did not
 * run in a cycle have no row there. Only cycles that are told by function are
 * there (patterns.h), warm-up and cut ones among them. */
#pragma once
#include "handler.h"
#include "query.h"

/* The call's answer, of the run `row`; NULL in any case. */
json_t *pattern_csv(struct call *c, const struct run_row *row, struct err *e);
