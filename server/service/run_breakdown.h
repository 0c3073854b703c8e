/* run_breakdown.h - the breakdown of a run, and of several runs compared row by row. */
#pragma once
#include "breakdown_params.h"
#include "breakdown_compare.h"
#include "query.h"
#include "query_breakdown.h"
#include "run_operators.h"
#include "service.h"

/* Reads a run's breakdown; the arena owns it. `params` NULL: as stored.
 * Otherwise the breakdown is computed again from the run's capture
 * (reanalyze.h). ERR_NOT_FOUND if the run has no breakdown; ERR_TOO_LARGE as in
 * run_breakdown_fits(). */
bool run_breakdown_read(struct service_call *c, int64_t run,
	const struct breakdown_params *params, struct breakdown_stored *out,
	struct err *e);

/* Whether the names of the run's kernels lag behind their durations, as recorded. */
bool run_breakdown_names_lag(struct service_call *c, int64_t run, bool *lag,
	struct err *e);

/* ERR_TOO_LARGE if the names of the breakdown's rows are larger than a response
 * may be: a kernel with a long name may have many rows. */
bool run_breakdown_fits(int64_t run, const struct breakdown_stored *is,
	struct err *e);

/* ---- one time for each row */

/* The mean time of each row per instance of its section, so that the rows of a
 * block add up to the block's sum. The time of a launch group is in the row of
 * the member that takes longest; the other members have NaN. */
const double *run_breakdown_cells(struct arena *a, const struct breakdown *b);
/* Whether one of the block's rows overlaps a row of `block`, which it runs
 * parallel to. */
bool run_breakdown_overlaps(const struct breakdown *b, uint32_t row,
	uint32_t block);
/* The rows of a block, which are contiguous: [*from, *to). */
void run_breakdown_block_rows(const struct breakdown *b, uint32_t block,
	uint32_t *from, uint32_t *to);

/* The utilization of a section: the work of its launches, divided by the time of
 * its instances, each from its first start to its last end. The peaks are those of
 * the catalog that analyzed the run. */
struct utilization run_breakdown_utilization(const struct breakdown *b,
	uint32_t section);

/* ---- several runs */

struct run_breakdown {
	struct run_row row;
	/* platform of the breakdown; NULL unknown */
	const char *platform, *device_name;
	bool names_lag; /* as recorded */
	struct breakdown_stored is;
};

/* Fills the identities of kernels that the sides have under other names than the
 * first side does. Reads the runs' patterns only if a compiler or a library may
 * have chosen the names. The sides then point to these patterns, which are in
 * the call's arena. */
bool run_breakdown_identities(struct service_call *c,
	const struct run_breakdown *runs, uint32_t n,
	struct breakdown_compare_side *sides, struct err *e);
/* Whether the name of any of the runs' kernels may have been chosen so. */
bool run_breakdown_varies(struct service_call *c,
	const struct run_breakdown *runs, uint32_t n, bool *varies,
	struct err *e);

/* A row of the table of several runs. It is one kernel, with its row in each
 * run; or kernels of one operator, paired by order. If no two runs have a
 * kernel in common in a line, because one run fuses kernels that another
 * splits, the line is one row. */
struct run_breakdown_pair {
	uint32_t line; /* index into breakdown_compare.lines */
	bool whole; /* contains all rows of the line; otherwise: */
	uint32_t row
		[BREAKDOWN_COMPARE_MAX]; /* of each run's breakdown; UINT32_MAX none */
};

/* Appends the rows of a line to *list, which has *n rows and was allocated by
 * arena_grow(). */
void run_breakdown_pairs(struct arena *a, const struct run_breakdown *runs,
	const struct breakdown_compare *b, uint32_t line,
	struct run_breakdown_pair **list, uint32_t *n);
