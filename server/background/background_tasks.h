/* background_tasks.h - the threads that work in addition to the requests.
 *
 * One thread, with its own connection, deletes expired data (every --vacuum-s), moves
 * bytes of uploads to where --bytes says and checks trends for changes (when runs arrive,
 * and also during a long vacuum or between two moves). If several servers use one database,
 * only one of them runs these tasks. Another thread delivers webhooks (webhook_dispatcher.h); every server
 * has one. */
#pragma once
#include "config.h"
#include "err.h"

struct background_tasks;
/* Both arguments must stay valid. */
struct background_tasks *background_tasks_new(const struct config *c,
	const char *conninfo, struct err *e);
/* Ends the threads within a second. If a thread is connecting to a database
 * that does not answer, it ends when the attempt fails (5 s). */
void background_tasks_free(struct background_tasks *c);
