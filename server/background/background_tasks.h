/* background_tasks.h - what a server does beside answering: a thread with a connection of
 * its own that drops what is kept too long (every --vacuum_s) and looks out for
 * changes (as runs come, and amid a long vacuum), and one that delivers webhooks (webhook_dispatcher.h). Of several
 * servers on one database one does the first two; each delivers. */
#pragma once
#include "config.h"
#include "err.h"

struct background_tasks;
/* Both stay. */
struct background_tasks *background_tasks_new(const struct config *c,
	const char *conninfo, struct err *e);
/* Ends them within a second, whatever they wait for; only where one is just
 * connecting to a database that does not answer, when that gives up (5 s). */
void background_tasks_free(struct background_tasks *c);
