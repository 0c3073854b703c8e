/* leader_lock.h - of several servers on one database, one does what needs doing once. */
#pragma once
#include "db.h"

/* *mine: this connection has the turn, from now on until it ends. */
bool turn_take(struct db *db, bool *mine, struct err *e);
