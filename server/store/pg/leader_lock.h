/* leader_lock.h - elects the one server that runs the background tasks if
 * several servers use one database. */
#pragma once
#include "db.h"

/* *leader: whether this connection holds the lock. It keeps the lock until the
 * connection ends. */
bool leader_lock_try(struct db *db, bool *leader, struct err *e);
