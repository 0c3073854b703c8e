/* listing.h - functions that all lists use: pages, files, and the run that the
 * path names. */
#pragma once
#include "call.h"
#include "query.h"

/* Reads the run that the path names. A run without rows returns an empty table;
 * an unknown run is an error. */
bool listing_run(struct call *c, struct run_row *run, struct err *e);

/* The distinct names (distinct_name.h) of kernels of the run, by full name. They
 * also differ from the other kernels of the run, so they are the same on each
 * page and in each table. `run` 0: kernels of several runs, whose distinct names
 * differ only from each other. */
const char **listing_distinct_names(struct call *c, int64_t run,
	const char *const *names, uint32_t n, struct err *e);

/* Reads where the page begins and its maximum number of items. A limit of 0
 * means all items: CSV and Markdown are never split into pages. */
bool listing_read(struct call *c, int64_t *offset, int *limit, struct err *e);
bool listing_is_json(const struct call *c);

/* Reads the key of the item before the page (0 for the first page), and takes a
 * database connection for this API call. */
bool listing_seek(struct call *c, int64_t *after, struct err *e);
/* Whether the request wants the number of items of all pages. */
static inline bool listing_is_counted(const struct call *c)
{
	return param(&c->params, "total")->whole;
}
/* Adds this result of sql_count() to the list, as `total` and `total_exact`;
 * -1: the items were not counted. Returns `list`. */
json_t *listing_total(json_t *list, int64_t total);

/* Returns the list. If there are more items, it contains the cursor of the page
 * that starts after the key `last`. */
json_t *listing_list(const struct call *c, json_t *items, int64_t last,
	bool more);
/* Adds the cursor to a list that a view has made; returns `list`. */
json_t *listing_next(const struct call *c, json_t *list, int64_t last,
	bool more);
/* Returns the table as CSV or Markdown. The file name that a browser suggests
 * contains `what`. Other formats of a route that are based on these two are
 * sent as CSV. */
json_t *listing_table(struct call *c, const struct table *t, const char *what);
/* Like listing_table(), for a table that does not belong to one run. `name` is
 * the file name without its extension. */
json_t *listing_file(struct call *c, const struct table *t, const char *name);
/* Returns the text, which this function takes over, as Markdown. */
json_t *listing_markdown(struct call *c, struct buf *text, const char *name,
	struct err *e);

/* Reads the parameter `site`: the address of the dashboard, without a slash at its end,
 * for links. NULL if it is not given. */
bool listing_site(struct call *c, const char **site, struct err *e);
/* Appends the query of the request without the parameters `without`, which ends in NULL,
 * for the address of the page that shows the same. */
void listing_query(const struct call *c, const char *const *without,
	struct buf *b);
