/* run_breakdown.h - the breakdown of a run, and of several runs compared row by row. */
#pragma once
#include "breakdown_params.h"
#include "breakdown_compare.h"
#include "query.h"
#include "query_breakdown.h"
#include "service.h"

/* Reads a run's breakdown; the arena owns it. `params` NULL: as stored.
 * Otherwise it is computed again from the run's capture (reanalyze.h).
 * ERR_NOT_FOUND if the run has none; ERR_TOO_LARGE as run_breakdown_fits(). */
bool run_breakdown_read(struct service_call *c, int64_t run,
	const struct breakdown_params *params, struct breakdown_stored *out,
	struct err *e);

/* Whether the names of the run's kernels lag behind their durations, as recorded. */
bool run_breakdown_names_lag(struct service_call *c, int64_t run, bool *lag,
	struct err *e);

/* ERR_TOO_LARGE if the names of its rows are larger than an answer may be: a kernel
 * may have a long name and many places. */
bool run_breakdown_fits(int64_t run, const struct breakdown_stored *is,
	struct err *e);

/* ---- one time for each row */

/* By row: the mean per instance of its section, so that the rows of a block add up
 * to the block's sum. A launch group's time is at the member that takes longest, and
 * NaN at its other members. */
const double *run_breakdown_cells(struct arena *a, const struct breakdown *b);
/* Whether a row of the block that `block` runs parallel to overlaps one of `block`. */
bool run_breakdown_overlaps(const struct breakdown *b, uint32_t row,
	uint32_t block);
/* The rows of a block, which are contiguous: [*from, *to). */
void run_breakdown_block_rows(const struct breakdown *b, uint32_t block,
	uint32_t *from, uint32_t *to);

/* ---- several runs */

struct run_breakdown {
	struct run_row row;
	const char *platform, *device_name; /* of the breakdown; NULL unknown */
	bool names_lag; /* as recorded */
	struct breakdown_stored is;
};

/* A row of the table of several runs: the same kernel, one row of each run; or, by
 * order, kernels of one operator. A line in which no two runs have a kernel in common
 * is one row as a whole: one run fuses what another splits. */
struct run_breakdown_pair {
	uint32_t line; /* index into breakdown_compare.lines */
	bool whole; /* all rows of the line; else: */
	uint32_t row
		[BREAKDOWN_COMPARE_MAX]; /* of each run's breakdown; UINT32_MAX none */
};

/* Adds those of a line to *list, which has *n and which arena_grow() makes. */
void run_breakdown_pairs(struct arena *a, const struct run_breakdown *runs,
	const struct breakdown_compare *b, uint32_t line,
	struct run_breakdown_pair **list, uint32_t *n);
