/* resource_project.h - which project a run, an upload or another resource
 * belongs to. */
#pragma once
#include "db.h"

enum project_resource {
	RESOURCE_RUN,
	RESOURCE_UPLOAD,
	RESOURCE_JOB,
	RESOURCE_GATE,
	RESOURCE_TOKEN,
	RESOURCE_WEBHOOK
};

/* ERR_NOT_FOUND unless it exists and is of this project: with the sentence of
 * one that does not exist. */
bool resource_project_check(struct db *db, enum project_resource what,
	int64_t id, const char *project, struct err *e);
/* Its project, in the arena; NULL if it does not exist. */
bool resource_project(struct db *db, struct arena *a,
	enum project_resource what, int64_t id, const char **project,
	struct err *e);
