/* view_set.h - reference sets: as a row, as the document that `POST /sets` takes, and as
 * the publisher's page shows them.
 *
 * A fleet can be written as such a document too, for benchmarks of kernels: an operator
 * is there once, with the type of most of its shapes' time; a shape once, with its own
 * type and the platforms it ran on. Time without sizes is left out, because it
 * cannot be run again. */
#pragma once
#include "fleet_importance.h"
#include "query_fleet.h"
#include "reference_set.h"
#include "site_overrides.h"
#include "view.h"

json_t *view_set(const struct reference_set_row *r);

/* The shapes are all of the fleet's; the operators those of `m`, in its order. The
 * caller frees the text. */
char *view_set_from_fleet(const struct fleet_importance *m,
	const struct fleet_shape *rows, uint32_t n, const struct catalog *c,
	struct arena *a);
/* A set's document as it was uploaded, with the operators of `m` alone; likewise. */
char *view_set_filtered(const char *json, size_t len,
	const struct fleet_importance *m);

/* Importance, roofline, and S of every shape, in Markdown; the caller frees it. `m`
 * says which operators, and in which order; the last table is sorted by the median S,
 * least first. Cells are rounded as published: 39.5%, 3.43 ms, 27.18 us, 15.4k. */
char *view_set_report(const struct reference *r,
	const struct fleet_importance *m, struct arena *a);
/* Two kinds of cells, for tests; in the arena, "" if unknown. */
const char *view_set_report_time(struct arena *a, double us, int decimals);
const char *view_set_report_ai(struct arena *a, double ai);
