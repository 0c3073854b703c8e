/* query_compared.h - runs with the data that comparisons need, and stored runs
 * that repeat them. */
#pragma once
#include "compared.h"
#include "db.h"
#include "query.h"

/* Reads all data of the runs that a comparison needs, from one snapshot, in the
 * order of the given ids. ERR_NOT_FOUND names a missing run. `full` false omits
 * patterns, metrics and collectives. ERR_TOO_LARGE if iterations and patterns
 * take more than QUERY_COMPARED_MIB of memory. If a run is given twice, both
 * share its arrays. */
enum { QUERY_COMPARED_MIB = 1024 };
bool query_compared(struct db *db, struct arena *a, const int64_t *runs,
	uint32_t n, bool full, struct compared_run *out, struct err *e);

/* Sets the origins of the runs' kernels, which may have been read from the
 * store or computed again. A run is found by its id. */
bool query_origins(struct db *db, struct arena *a, struct compared_run *runs,
	uint32_t n, struct err *e);

/* Sets the exchanges of runs that query_compared() read. ERR_CONFLICT if a run
 * was analyzed again since then. */
bool query_exchanges(struct db *db, struct arena *a, struct compared_run *runs,
	uint32_t n, struct err *e);

/* Reads a page of a run's iterations from `offset`; limit 0: all to the end.
 * Strata and their signatures are complete; kept_n counts the iterations of the
 * run. ERR_NOT_FOUND. */
bool query_iterations(struct db *db, struct arena *a, int64_t run,
	int64_t offset, int limit, struct iterations *out, bool *more,
	struct err *e);

/* Finds stored runs that repeat each other: at least two runs of one kind, which
 * have the same project, workload, device names, analysis version, rank (without
 * a rank: ordinal in the upload), detector, range, first stratum and labels. A
 * run without a workload has no repeats. Labels that name a commit (`commit`,
 * `revision`, `sha`, `build`, and `unit` if it is not NULL) do not count, because
 * most runs of a branch differ in them.
 *
 * The runs are of the projects and branches (label `branch`) of `like`. They were
 * stored before all of `like`: their ids are smaller. So later runs do not change
 * the result, nor do the runs of `like`. Only the newest `most` runs of the kinds
 * of `like` count, and the newest `most` of other kinds; these have `other` set.
 * At most the newest QUERY_REPEATS_SEARCHED of each are searched for the branch.
 *
 * Returns a row per run and function, summed over all devices, sorted by group,
 * run and name: the mean time per kept iteration of the first stratum. Groups are
 * numbered from 0, first those of the kinds of `like`. Groups of one workload and
 * equal labels have the same cluster, numbered from 0. */
enum { QUERY_REPEATS = 128, QUERY_REPEATS_SEARCHED = 1024 };
struct repeat_row {
	int64_t run;
	int32_t group, cluster;
	bool other;
	/* name of the run's first device; NULL unknown */
	const char *device_name;
	const char *commit; /* the value of the label `unit`; NULL unknown */
	const char *name;
	double mean_ns;
};
bool query_repeats(struct db *db, struct arena *a, const int64_t *like,
	uint32_t n, int most, const char *unit, struct repeat_row **rows,
	uint32_t *rows_n, struct err *e);
