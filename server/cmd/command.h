/* command.h - the commands of kernsiftd, and functions that several commands
 * use.
 *
 * Each command returns the program's exit status: 0 success, 1 failure, 2 wrong
 * usage. */
#pragma once
#include "arena.h"
#include "cluster.h"
#include "config.h"
#include "db.h"
#include "worker.h"

struct invocation {
	const struct config *config;
	const char *const *operands; /* ends in NULL */
	int argc; /* what follows the command's name */
	char **argv;
};

#define COMMAND(bit, name, function, operands, min, max, help, more) \
	int function(const struct invocation *in);
#include "commands.def"
#undef COMMAND

/* Prints the message on stderr; returns the exit status. */
int command_fail(const struct err *e);
/* The database that the options select: the one of --db, or the private
 * cluster, opened in the given role. Waits until the cluster has started. */
struct store {
	struct cluster *cluster; /* NULL if --db was given */
	const char *conninfo;
	struct db *db; /* a connection for the command itself */
};
bool command_store(struct store *s, const struct config *c,
	enum cluster_role role, struct err *e);
/* If `discard` is set, a cluster that was created by this command is removed.
 */
void command_store_release(struct store *s, bool discard);

/* Applies the missing migrations and records this in the audit log (audit.h).
 */
bool command_migrated(struct db *db, int *applied, struct err *e);
/* Runs a function that changes something, with an audit record before and after
 * it. */
bool command_audit(struct db *db, const char *command, const char *detail,
	bool (*work)(struct db *db, void *arg, struct err *e), void *arg,
	struct err *e);

/* The options of ingest processes, as given on the command line. */
struct worker_options command_workers(const struct config *c,
	const char *conninfo);
/* The command line with which a worker pool starts a worker: this program, the
 * same options and this database. */
char **command_worker_argv(struct arena *a, const struct invocation *in,
	const struct store *s);
