/* orphan_postgres.h - ends the PostgreSQL processes that a crash left behind.
 *
 * A postmaster outlives a killed server for a moment (it gets a signal to stop, and
 * writes its checkpoint), and a backend may outlive its postmaster while it
 * computes; none of them may be running when the next postmaster starts. They are
 * identified without doubt: a program named postgres whose current folder is the
 * cluster's. */
#pragma once
#include "data_dir.h"

/* Sends SIGINT, SIGQUIT and SIGKILL in turn, and waits until no process is left.
 * It removes their pid file and socket, because a reused pid would make them look
 * alive. Only for a caller that holds the folder's lock and has no postmaster. */
bool orphan_postgres_end(const struct data_dir *f, const struct account *who,
	struct err *e);
