/* view_suspicion.h - the published score as JSON, as the published CSV and as
 * the published report. As in view.h, nothing is computed here. */
#pragma once
#include "suspicion.h"
#include "view_compare.h"

/* `around`: the result of compare_findings(). */
json_t *view_suspicion(const struct suspicion *s,
	const struct comparison *around, const struct compare_sides *sides);

/* The 17 columns, each side's name in two of them; six decimals. */
const struct table *view_suspicion_table(struct arena *a,
	const struct suspicion *s);

/* Markdown, whole: sections, tables and figures as published. */
void view_suspicion_report(const struct suspicion *s, struct arena *a,
	struct buf *b);
