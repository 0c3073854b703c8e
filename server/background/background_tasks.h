/* background_tasks.h - what a server does beside answering: one thread with its
 * own connection deletes what has expired (every --vacuum-s) and checks trends
 * for changes (as runs arrive, and during a long vacuum); another delivers
 * webhooks (webhook_dispatcher.h). Of several servers on one database only one
 * does the first two; each delivers. */
#pragma once
#include "config.h"
#include "err.h"

struct background_tasks;
/* Both stay. */
struct background_tasks *background_tasks_new(const struct config *c,
	const char *conninfo, struct err *e);
/* Ends them within a second, except while one is connecting to a database that
 * does not answer: then when that attempt fails (5 s). */
void background_tasks_free(struct background_tasks *c);
