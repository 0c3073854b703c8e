/* view_set.h - reference sets in three forms: as a row, as the document that
 * `POST /reference-sets` accepts, and as the page of the publisher shows them.
 *
 * The shapes of a fleet can also be written as such a document, for benchmarks
 * of kernels. Each operator is listed once, with the dtype of most of its
 * shapes' time. Each shape is listed once, with its own dtype and the platforms
 * on which it ran. Time without sizes is left out, because a benchmark cannot
 * run it again. */
#pragma once
#include "fleet_importance.h"
#include "query_fleet.h"
#include "reference_set.h"
#include "site_overrides.h"
#include "view.h"

json_t *view_set(const struct reference_set_row *r);

/* Writes all shapes of the fleet, and the operators of `m` in its order. The
 * caller frees the text. */
char *view_set_from_fleet(const struct fleet_importance *m,
	const struct fleet_shape *rows, uint32_t n, const struct catalog *c,
	struct arena *a);
/* Returns the uploaded document of a set, reduced to the operators of `m`. The
 * caller frees the text. */
char *view_set_filtered(const char *json, size_t len,
	const struct fleet_importance *m);

/* Writes the importance, the roofline and the S of every shape in Markdown; the
 * caller frees the text. `m` defines the operators and their order. The last
 * table is sorted by the median S, smallest first. Cells are rounded as
 * published: 39.5%, 3.43 ms, 27.18 us, 15.4k. */
char *view_set_report(const struct reference *r,
	const struct fleet_importance *m, struct arena *a);
/* Two kinds of cells, declared for tests; in the arena, "" if unknown. */
const char *view_set_report_time(struct arena *a, double us, int decimals);
const char *view_set_report_ai(struct arena *a, double ai);
