/* query_compared.h - runs as comparisons read them, and runs that repeat
 * them. */
#pragma once
#include "compared.h"
#include "db.h"
#include "query.h"

/* All that a comparison needs of runs, in the order of their ids here, from one
 * snapshot; ERR_NOT_FOUND names a missing one. `full` false leaves out
 * patterns, metrics and collectives. ERR_TOO_LARGE if iterations and patterns
 * take more than QUERY_COMPARED_MIB of memory. A run that is named twice shares
 * its arrays. */
enum { QUERY_COMPARED_MIB = 1024 };
bool query_compared(struct db *db, struct arena *a, const int64_t *runs,
	uint32_t n, bool full, struct compared_run *out, struct err *e);

/* A page of a run's iterations from `offset`; limit 0: all to the end. Strata
 * and work are complete, kept_n is the run's. ERR_NOT_FOUND. */
bool query_iterations(struct db *db, struct arena *a, int64_t run,
	int64_t offset, int limit, struct iterations *out, bool *more,
	struct err *e);

/* Stored runs that repeat each other: of the same project and workload as some
 * of `like` (a run without a workload has no repeats), with the same device
 * names, analysis version, rank (without one: ordinal in its upload), detector,
 * range and first stratum, except `like` themselves. Runs with the same labels
 * are a group of at least two, numbered from 0. Only the newest `most` count,
 * at most QUERY_REPEATS. A row per run and function, over all devices, by
 * group, run and name: mean time per kept iteration of the first stratum. */
enum { QUERY_REPEATS = 128 };
struct repeat_row {
	int64_t run;
	int32_t group;
	const char *device_name; /* of its first device; NULL unknown */
	const char *name;
	double mean_ns;
};
bool query_repeats(struct db *db, struct arena *a, const int64_t *like,
	uint32_t n, int most, struct repeat_row **rows, uint32_t *rows_n,
	struct err *e);
