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

/* ERR_NOT_FOUND unless the resource exists and belongs to this project. The
 * sentence is the one for a resource that does not exist. */
bool resource_project_check(struct db *db, enum project_resource what,
	int64_t id, const char *project, struct err *e);
/* The resource's project, in the arena; NULL if the resource does not exist. */
bool resource_project(struct db *db, struct arena *a,
	enum project_resource what, int64_t id, const char **project,
	struct err *e);
