/* requeue.h - uploads back into the queue, with their tries forgotten. */
#pragma once
#include "db.h"

/* *n: 1, or 0 where there is no failed upload of that id. */
bool requeue_failed(struct db *db, int64_t id, int64_t *n, struct err *e);
