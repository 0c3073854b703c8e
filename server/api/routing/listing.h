/* listing.h - what lists share: pages, files, the row of the run that a path names. */
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

/* The key that the page starts after, 0 for the first page, and the call's database
 * connection. */
bool listing_seek(struct call *c, int64_t *after, struct err *e);
/* The list; if there is more, with the cursor of the page that starts after `last`. */
json_t *listing_list(const struct call *c, json_t *items, int64_t last,
	bool more);
/* The same of a view that has its items already; returns `list`. */
json_t *listing_next(const struct call *c, json_t *list, int64_t last,
	bool more);
/* The table as csv or md; `what` names the file a browser would save. Formats of
 * a route behind these are csv too. */
json_t *listing_table(struct call *c, const struct table *t, const char *what);
/* The same of what is no run's: `name` is all of the file's name but its end. */
json_t *listing_file(struct call *c, const struct table *t, const char *name);
