/* orphan_postgres.h - ends what a crash left of PostgreSQL.
 *
 * A postmaster outlives a server that was killed for a moment (it is told to
 * stop, and writes its checkpoint), a backend may outlive its postmaster while
 * it computes; and none may be there when the next postmaster starts. They are
 * known by what cannot be mistaken: a program named postgres whose current
 * folder is the cluster's. */
#pragma once
#include "data_dir.h"

/* Asks, then insists, then kills; waits until none is there. Removes the
 * pid file and socket they leave, which a reused pid would make look alive.
 * Only for who holds the folder's lock and has no postmaster of its own. */
bool orphan_postgres_end(const struct data_dir *f, const struct account *who,
	struct err *e);
