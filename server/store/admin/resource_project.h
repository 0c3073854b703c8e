/* resource_project.h - which project a thing is of that an id names. */
#pragma once
#include "db.h"

enum thing {
	THING_RUN,
	THING_UPLOAD,
	THING_JOB,
	THING_GATE,
	THING_TOKEN,
	THING_WEBHOOK
};

/* Whether it is there and of this project: else ERR_NOT_FOUND, with the sentence
 * of one that is not there. */
bool of_project(struct db *db, enum thing what, int64_t id, const char *project,
	struct err *e);
/* Its project, the arena's; NULL where it is not there. */
bool project_of(struct db *db, struct arena *a, enum thing what, int64_t id,
	const char **project, struct err *e);
