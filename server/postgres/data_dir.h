/* data_dir.h - the data folder: where it lies, what is in it, who has it.
 *
 *   lock            held (flock) by the one who uses the folder; tells pid, role
 *   pg/             PostgreSQL's cluster, of the account that runs it
 *   pg.new/         one that is being made
 *   run/            its socket, where the path is short and plain enough
 *   hba.conf, ident.conf   who may connect
 *   postgres.log    what PostgreSQL says */
#pragma once
#include "arena.h"
#include "spawn.h"

struct data_dir {
	const char *path; /* absolute; the rest lies below it, all but `run` */
	const char *pg, *fresh, *hba, *ident, *log;
	const char *run; /* no character of it needs a quote */
	int lock; /* descriptor; -1 not ours */
	long holder; /* the process that has it, where we have not */
	bool holder_serves; /* it is a server, not a passing command */
};

/* Finds or makes the folder; "" is the default one. Text is the arena's. */
bool data_dir_open(struct data_dir *f, const char *data, struct arena *a,
	struct err *e);
/* Whether the folder is now ours. If not, either *e tells why it cannot be, or
 * it is untouched and `holder` has it. */
bool data_dir_lock(struct data_dir *f, bool serves, struct err *e);
void data_dir_unlock(struct data_dir *f);

/* Makes the private folder of the socket, or mends it: mode 0700, of the
 * account; refuses one that is somebody else's. */
bool data_dir_run(const struct data_dir *f, const struct account *who,
	struct err *e);
