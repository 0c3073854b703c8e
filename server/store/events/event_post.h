/* event_post.h - something happened that somebody wants to be told. */
#pragma once
#include "db.h"

/* Puts a delivery into the queue of every webhook that wants `event` ("gate",
 * "change_point") of this project; the courier is woken. `body` is the JSON that
 * is sent. In the caller's transaction, where there is one. */
bool event_post(struct db *db, const char *project, const char *event,
	const char *body, struct err *e);
