/* job.h - jobs: all runs of one distributed execution.
 *
 * An upload that names a job belongs to the job with that name in the project
 * of its runs. An upload that names no job but has at least two ranks is a
 * separate job, of its runs whose rank is known. Jobs are inserted in a
 * separate statement before the rows that refer to them, so that a save does
 * not wait for another save. */
#pragma once
#include "db.h"

/* Inserts the missing jobs of the upload's runs. */
bool job_make(struct db *db, int64_t upload, bool ranks, struct err *e);
/* Inserts the job that a run will belong to after it moves to another
 * project. */
bool job_make_moved(struct db *db, int64_t run, const char *project,
	struct err *e);

/* SQL: the id of the job of upload `u` in project `p`; NULL if it has none. */
#define JOB_OF(u, p)                                               \
	"(SELECT j.id FROM job j WHERE j.project = " p " "         \
	"AND j.name = " u ".job AND j.upload_id = CASE " u ".job " \
	"WHEN '' THEN " u ".id ELSE 0 END)"

/* The first JOB_RUNS_MAX runs of a job by rank; those without a rank come last.
 * A job without visible runs counts as missing: ERR_NOT_FOUND. */
enum { JOB_RUNS_MAX = 4096 };
/* The maximum number of ranks that are analyzed together. A comparison has the
 * same maximum. */
enum { JOB_RANKS = 256 };
struct job_row {
	int64_t id, upload; /* upload: 0 if the job has a name */
	const char *project, *name; /* name: NULL without */
	int64_t created;
	const int64_t *runs;
	uint32_t runs_n;
	int64_t runs_all;
};
bool job_read(struct db *db, struct arena *a, int64_t id, struct job_row *row,
	struct err *e);
/* Lists jobs, newest first; `after` is an id, 0: from the newest. `project`
 * NULL: any. *total: the number of jobs of all pages; NULL: they are not
 * counted. */
bool job_list(struct db *db, struct arena *a, const char *project,
	int64_t after, int limit, struct job_row **rows, uint32_t *n,
	bool *more, int64_t *total, struct err *e);
