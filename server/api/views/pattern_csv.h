/* pattern_csv.h - a run's functions cycle by cycle, as the pattern tables that
 * can be uploaded: their 17 columns, made while they are sent.
 *
 * A row per cycle, function, device and counter; where no counter of a function
 * has a value in a cycle, one row of the metric "N/A". Functions that did not
 * run in a cycle have no row there. Only cycles that are told by function are
 * there (patterns.h), warm-up and cut ones among them. */
#pragma once
#include "arena.h"
#include "buf.h"
#include "compared.h"

struct pattern_csv {
	const struct compared_run *run;
	int64_t started_ns; /* UTC; 0 if the clock is another */
	/* what rows need again in every cycle, by row: */
	const char **short_names;
	uint32_t *metrics; /* the first one; and one past the last */
};

/* `started_ns` is the run's, negative if it is not known. */
void pattern_csv_init(struct pattern_csv *t, const struct compared_run *run,
	int64_t started_ns, struct arena *a);
void pattern_csv_head(struct buf *b);
/* The rows of one cycle: an index below run->patterns.cycles_n. */
void pattern_csv_cycle(const struct pattern_csv *t, uint32_t cycle,
	struct buf *b);
