/* job.h - the job that a run is of: a distributed execution.
 *
 * An upload that names one is of the job of that name in its runs' project; one
 * that names none, but tells two ranks or more, is a job of its own, of those
 * runs that tell a rank. Jobs are made before the rows that refer to them, in a
 * statement of their own, so that who saves does not wait for another's save. */
#pragma once
#include "db.h"
#include "profile.h"

/* Whether an upload that names no job is one of its own. */
bool job_tells_ranks(const struct profile *runs, uint32_t n);

/* Makes what jobs the upload's runs are of and are not there. */
bool job_make(struct db *db, int64_t upload, bool ranks, struct err *e);
/* Makes the job that a run will be of in another project. */
bool job_make_moved(struct db *db, int64_t run, const char *project,
	struct err *e);

/* SQL: the id of the job of upload `u` in project `p`; NULL where it has none. */
#define JOB_OF(u, p)                                               \
	"(SELECT j.id FROM job j WHERE j.project = " p " "         \
	"AND j.name = " u ".job AND j.upload_id = CASE " u ".job " \
	"WHEN '' THEN " u ".id ELSE 0 END)"
