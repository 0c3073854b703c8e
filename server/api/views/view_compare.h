/* view_compare.h - comparisons as JSON, as a table and as a report. Texts and
 * tables are allocated in the arena. */
#pragma once
#include "compare.h"
#include "comparison.h"
#include "compare_sides.h"
#include "suspicion.h"
#include "view.h"

json_t *view_compared_runs(const struct compared_run *runs, uint32_t n);
json_t *view_findings(const struct comparison *c);
json_t *view_noise_prior(const struct noise_prior *n);

json_t *view_compare(struct arena *a, const struct comparison *c,
	const struct compare_sides *s);
/* One row per item. */
const struct table *view_compare_table(struct arena *a,
	const struct comparison *c);
/* The report that people paste into a pull request: headline, findings, where
 * the time is spent, what changed. It begins with a link to `path` of `site`; site NULL:
 * without links. */
void view_compare_report(struct arena *a, const struct comparison *c,
	const struct compare_sides *s, const char *site, const char *path,
	struct buf *b);

/* sides: base, head. */
json_t *view_compare_series(struct arena *a, const char *function,
	const char *device, const struct compare_series sides[2]);

/* ---- the published score as JSON, as the published CSV and as the published
 * report (view_suspicion.c). These functions compute nothing. */

/* `around` is the result of compare_findings(). */
json_t *view_suspicion(const struct suspicion *s,
	const struct comparison *around, const struct compare_sides *sides);

/* The 17 columns of the published CSV. Two headings contain the names of the
 * sides. Numbers have six decimals. */
const struct table *view_suspicion_table(struct arena *a,
	const struct suspicion *s);

/* The complete report in Markdown: sections, tables and figures as published.
 */
void view_suspicion_report(const struct suspicion *s, struct arena *a,
	struct buf *b);
