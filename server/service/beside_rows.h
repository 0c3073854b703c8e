/* beside_rows.h - a line of runs side by side as rows of a table, a kernel each.
 *
 * Kernels of different runs that are the same are one row; so are, by their
 * order, those of one operator. Of a line in which no two of different runs are
 * alike all is one row: there one run fuses what another splits. */
#pragma once
#include "breakdown_compare.h"
#include "query.h"
#include "query_breakdown.h"

struct beside_run {
	struct run_row row;
	const char *platform, *device_name; /* of what is told; NULL unknown */
	bool names_lag; /* as recorded */
	struct breakdown_stored is;
};

struct beside_entry {
	uint32_t line; /* index into beside.lines */
	bool whole; /* all rows of the line; else: */
	uint32_t row
		[BREAKDOWN_COMPARE_MAX]; /* of each run's breakdown; UINT32_MAX none */
};

/* How many there may be at most. */
uint32_t beside_entries_most(const struct breakdown_compare *b, uint32_t line);
/* Fills `out`; how many. */
uint32_t beside_entries(const struct beside_run *runs,
	const struct breakdown_compare *b, uint32_t line,
	struct beside_entry *out);
