/* query_compared.h - runs as comparisons read them, and what lies around. */
#pragma once
#include "compared.h"
#include "db.h"
#include "query.h"

/* All that a comparison needs of runs, in the order asked for, as of one moment;
 * ERR_NOT_FOUND names the one that is not there. `heavy` false leaves out
 * patterns, metrics and collectives. ERR_TOO_LARGE where cycles and patterns
 * would take more than QUERY_COMPARED_MIB of memory. A run that is asked for
 * twice is there twice, and shares its arrays. */
enum { QUERY_COMPARED_MIB = 1024 };
bool query_compared(struct db *db, struct arena *a, const int64_t *runs,
	uint32_t n, bool heavy, struct compared_run *out, struct err *e);

/* A job's runs by rank, those that tell none last: the first QUERY_JOB_RUNS of
 * all. One without visible runs is not there: ERR_NOT_FOUND. */
enum { QUERY_JOB_RUNS = 4096 };
struct job_row {
	int64_t id, upload; /* upload 0: it has a name */
	const char *project, *name; /* NULL: it has none */
	int64_t created;
	const int64_t *runs;
	uint32_t runs_n;
	int64_t runs_all;
};
bool query_job(struct db *db, struct arena *a, int64_t id, struct job_row *row,
	struct err *e);
/* Newest first; `after` an id, 0 from the newest. `project` NULL any. */
bool query_jobs(struct db *db, struct arena *a, const char *project,
	int64_t after, int limit, struct job_row **rows, uint32_t *n,
	bool *more, struct err *e);

/* A run's cycles alone, a page of them from the place `offset`; limit 0: all to
 * the end. Strata and works are whole, kept_n is the run's. ERR_NOT_FOUND. */
bool query_cycles(struct db *db, struct arena *a, int64_t run, int64_t offset,
	int limit, struct cycles *out, bool *more, struct err *e);

/* Stored runs that repeat each other: of the same project and workload as some
 * of `like` (one without a workload has no repeats), with the same device names,
 * analysis version, rank (else place in its upload), detector, range and first
 * stratum; none of `like` among them. Those with the same labels are a group, of
 * two runs at least, numbered from 0. Of the newest `most`, at most
 * QUERY_REPEATS. A row per run and function, over all devices, by group, run
 * and name: mean time per kept cycle of the first stratum. */
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
