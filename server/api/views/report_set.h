/* report_set.h - a reference set as its publisher's page shows it: importance,
 * roofline, and S of every shape, in Markdown.
 *
 * Cells are rounded as published: 39.5%, 3.43 ms, 27.18 us, 15.4k. */
#pragma once
#include "fleet_importance.h"

/* malloc'ed. `m` says which operators, and in which order; the last table goes
 * by the median S, least first. */
char *report_set(const struct reference *r, const struct matters *m,
	struct arena *a);
/* The cells, for tests: in the arena, "" unknown. */
const char *report_time(struct arena *a, double us, int decimals);
const char *report_ai(struct arena *a, double ai);
