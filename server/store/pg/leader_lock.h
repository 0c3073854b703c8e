/* leader_lock.h - of several servers on one database, one runs the background
 * tasks. */
#pragma once
#include "db.h"

/* *leader: whether this connection holds the lock, which it keeps until it
 * ends. */
bool leader_lock_try(struct db *db, bool *leader, struct err *e);
