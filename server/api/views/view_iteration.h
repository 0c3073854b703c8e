/* view_iteration.h - a run's iterations, and functions in them, as JSON and tables. Texts and
 * tables are the arena's. */
#pragma once
#include "buf.h"
#include "compared.h"
#include "pattern_mean.h"
#include "view.h"

json_t *view_iterations(const struct iterations *c,
	const struct iterations_short *s);
const struct table *view_iteration_table(struct arena *a,
	const struct iterations *c);
json_t *view_pattern(struct arena *a, const struct pattern_mean *m);

/* ---- functions by iteration, as the pattern tables that can be uploaded
 *
 * Their 17 columns, a row per iteration, function, device and counter. If no counter of
 * a function has a value in an iteration, there is one row of the metric "N/A".
 * Functions that did not run in an iteration have no row there. Only iterations that
 * are counted by function are there (patterns.h), warm-up and cut ones among them. */

struct view_pattern_csv {
	const struct compared_run *run;
	int64_t started_ns; /* UTC; 0 if the clock is another */
	/* what rows need again in every iteration, by row: */
	const char **short_names;
	uint32_t *metrics; /* the first one; and one past the last */
};

/* Also writes the heading. `started_ns` is the run's, negative if it is not known. */
void view_pattern_csv_init(struct view_pattern_csv *t,
	const struct compared_run *run, int64_t started_ns, struct arena *a,
	struct buf *b);
/* The rows of one iteration: an index below run->patterns.iterations_n. */
void view_pattern_csv_iteration(const struct view_pattern_csv *t,
	uint32_t iteration, struct buf *b);
