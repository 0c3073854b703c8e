/* view.h - rows become JSON values and tables; the only place that spells
 * field names. A view decides nothing and computes nothing.
 *
 * Every function returns a reference that its caller owns. What is unknown is
 * null: a NULL text, a number of -1, NAN, NO_MOMENT; and so is a number past
 * 2^53, which a reader of JSON could not hold. */
#pragma once
#include "arena.h"
#include "err.h"
#include "query.h"
#include "table.h"
#include <jansson.h>

json_t *view_text(const char *s);
json_t *view_whole(int64_t v);
json_t *view_real(double v);
json_t *view_moment(int64_t us);
json_t *view_labels(const char *labels);
json_t *view_error(const struct err *e);

/* Adds an item, which it takes over. A view that made none is a bug: a row
 * that silently is not there. */
void view_append(json_t *list, json_t *item);
/* {"items": …, "next": …}; takes over `items`. */
json_t *view_list(json_t *items, const char *next);

json_t *view_upload(const struct upload_row *u);
json_t *view_run(const struct run_row *r);
/* The part of a run that its trace told. */
json_t *view_run_told(const struct run_row *r);
const char *view_content(enum content c);
json_t *view_device(const struct profile_device *d);
json_t *view_run_detail(const struct run_row *r,
	const struct profile_device *devices, uint32_t n);
json_t *view_note(const struct note_row *n);
json_t *view_kernel(const struct kernel_line *k);
json_t *view_copy(const struct copy_stat *s);
json_t *view_times(const struct time_stats *t);
json_t *view_graph(const struct graph_stat *g);
json_t *view_launch(const struct launch_line *l);
/* `share_pct` is the caller's share of the kernel's time. */
json_t *view_caller(const struct caller_line *c, double share_pct);
/* `list`, which it takes over, with the kernel it is about. */
json_t *view_callers(int64_t kernel, const struct caller_table *t,
	json_t *list);

/* Tables as nsys prints them; in the arena. */
const struct table *view_kernel_table(struct arena *a,
	const struct kernel_line *rows, uint32_t n, enum split split);
const struct table *view_copy_table(struct arena *a,
	const struct copy_stat *rows, uint32_t n, enum split split);
/* `pid` is the run's. */
const struct table *view_launch_table(struct arena *a, int64_t pid,
	const struct launch_line *rows, uint32_t n);
