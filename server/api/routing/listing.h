/* listing.h - what the lists of a run share: the run's row, pages, files. */
#pragma once
#include "call.h"
#include "query.h"

/* The run of the path. A run without rows has an empty table; an unknown run is an
 * error. */
bool listing_run(struct call *c, struct run_row *run, struct err *e);

/* The first item of the page and how many it has at most; a limit of 0 means all,
 * for csv and md, which are never paged. */
bool listing_read(struct call *c, int64_t *offset, int *limit, struct err *e);
bool listing_is_json(const struct call *c);

/* The list, with the cursor of what follows the `n` items from `offset`. */
json_t *listing_list(const struct call *c, json_t *items, int64_t offset,
	uint32_t n, bool more);
/* The table as csv or md; `what` names the file a browser would save. Formats of
 * a route behind these are csv too. */
json_t *listing_table(struct call *c, const struct table *t, const char *what);
/* The same of what is no run's: `name` is all of the file's name but its end. */
json_t *listing_file(struct call *c, const struct table *t, const char *name);
