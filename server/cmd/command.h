/* command.h - the commands of kernsiftd, and what they have in common.
 *
 * Each takes its own name and what follows it, and returns the program's exit
 * status: 0 done, 1 the world was against it, 2 it was called wrongly. */
#pragma once
#include "arena.h"
#include "cluster.h"
#include "config.h"
#include "db.h"
#include "worker.h"

int command_serve(int argc, char **argv);
int command_work(int argc, char **argv);
int command_worker(int argc, char **argv); /* one process of a crew */
int command_migrate(int argc, char **argv);
int command_rebuild(int argc, char **argv);
int command_token(int argc, char **argv);
int command_backup(int argc, char **argv);
int command_restore(int argc, char **argv);
int command_vacuum(int argc, char **argv);
int command_inspect(int argc, char **argv);
int command_convert(int argc, char **argv);

/* Says why on stderr; the exit status. */
int command_fail(const struct err *e);
/* Options read, log level set. */
bool command_config(struct config *c, const struct config_extra *extra,
	int argc, char **argv, struct err *e);

/* The database of the options: the one given, or the private cluster in that
 * role. Waits for it while it starts. */
struct store {
	struct cluster *cluster; /* NULL if --db was given */
	const char *conninfo;
	struct db *db; /* a connection for the command itself */
};
bool command_store(struct store *s, const struct config *c,
	enum cluster_role role, struct err *e);
void command_store_release(struct store *s);
/* The same, and leaves no cluster behind that was made for it. */
void command_store_discard(struct store *s);

/* Options, a database with the schema of this program, and then the work. */
int command_with_store(int argc, char **argv, const struct config_extra *extra,
	bool (*work)(struct db *db, int applied, void *arg, struct err *e),
	void *arg);
/* Brings the schema up to date, and writes that down (audit.h). */
bool command_migrated(struct db *db, int *applied, struct err *e);
/* Does what changes something, written down before and after. */
bool command_trail(struct db *db, const char *command, const char *detail,
	bool (*work)(struct db *db, void *arg, struct err *e), void *arg,
	struct err *e);

/* What the options say of ingest processes. */
struct worker_options command_workers(const struct config *c,
	const char *conninfo);
/* How a crew calls one: this program, the same options, that database. */
char **command_worker_argv(struct arena *a, int argc, char **argv,
	const struct store *s);
