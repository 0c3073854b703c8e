/* data_dir.h - the data folder: where it is, what is in it, which process uses it.
 *
 *   lock            held (flock) by the process that uses the folder; holds pid and role
 *   pg/             PostgreSQL's cluster, of the account that runs it
 *   pg.new/         one that is being made
 *   run/            its socket, if the path is short and plain enough
 *   hba.conf, ident.conf   who may connect
 *   postgres.log    what PostgreSQL logs */
#pragma once
#include "arena.h"
#include "spawn.h"

struct data_dir {
	const char *path; /* absolute; it contains all the rest except `run` */
	const char *pg, *fresh, *hba, *ident, *log;
	const char *run; /* no character of it needs a quote */
	int lock; /* descriptor; -1: not held by this process */
	long holder; /* the process that holds it, if this one does not */
	bool holder_serves; /* it is a server, not a passing command */
};

/* Finds or makes the folder; "" is the default one. Text is the arena's. */
bool data_dir_open(struct data_dir *f, const char *data, struct arena *a,
	struct err *e);
/* Whether this process now holds the folder. If not, either *e says why it
 * cannot, or the folder is unchanged and `holder` is the process that holds
 * it. */
bool data_dir_lock(struct data_dir *f, bool serves, struct err *e);
void data_dir_unlock(struct data_dir *f);

/* Makes or repairs the private folder of the socket: mode 0700, of the account;
 * rejects one that belongs to another. */
bool data_dir_run(const struct data_dir *f, const struct account *who,
	struct err *e);
