/* command.h - the commands of kernsiftd, and what they have in common.
 *
 * Each returns the program's exit status: 0 done, 1 failed, 2 wrong usage. */
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
/* The database of the options: the one given, or the private cluster in that
 * role. Waits for it while it starts. */
struct store {
	struct cluster *cluster; /* NULL if --db was given */
	const char *conninfo;
	struct db *db; /* a connection for the command itself */
};
bool command_store(struct store *s, const struct config *c,
	enum cluster_role role, struct err *e);
/* `discard`: leaves no cluster behind that was made for it. */
void command_store_release(struct store *s, bool discard);

/* Brings the schema up to date, and writes that down (audit.h). */
bool command_migrated(struct db *db, int *applied, struct err *e);
/* Does what changes something, written down before and after. */
bool command_audit(struct db *db, const char *command, const char *detail,
	bool (*work)(struct db *db, void *arg, struct err *e), void *arg,
	struct err *e);

/* What the options say of ingest processes. */
struct worker_options command_workers(const struct config *c,
	const char *conninfo);
/* How a worker pool starts one: this program, the same options, that
 * database. */
char **command_worker_argv(struct arena *a, const struct invocation *in,
	const struct store *s);
