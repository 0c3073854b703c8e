/* pg_tools.h - finds PostgreSQL's programs on this machine and runs them, as
 * another user if needed.
 *
 * These programs refuse to run as root, so root runs them as the user who owns
 * the cluster. A child process inherits no files except stdin (/dev/null) and
 * its output. Its environment has three harmless variables. It has its own
 * session, so that Ctrl-C reaches only the parent. It dies with the thread that
 * started it. */
#pragma once
#include "arena.h"
#include "err.h"
#include <stddef.h>
#include <sys/types.h>

enum { POSTGRES_OLDEST = 15, ACCOUNT_GROUPS = 64 };

/* The pairs of programs that are searched together. */
enum pg_tools_kind {
	PG_TOOLS_SERVER, /* postgres and initdb */
	PG_TOOLS_COPY, /* pg_dump and pg_restore */
};

struct pg_tools {
	const char *first, *second; /* paths of the pair */
};

/* Looks where packages install the programs, then runs pg_config, then searches
 * PATH. A server program must have the version `major` of the existing cluster;
 * if `major` is 0, the newest version is used. A program that copies a database
 * has the oldest version from `major` on, because a newer program can copy the
 * data of an older server, but not the reverse. */
bool pg_tools_find(struct pg_tools *t, enum pg_tools_kind kind, int major,
	struct arena *a, struct err *e);

/* A user who runs programs. */
struct account {
	char name[64];
	uid_t uid;
	gid_t gid;
	gid_t groups[ACCOUNT_GROUPS];
	int groups_n;
	bool other; /* not the current user */
};

enum { PG_TOOLS_NO_ENTRY = 126, PG_TOOLS_NO_PROGRAM = 127 };

/* Additional settings for a program; NULL or -1: not set. */
struct pg_tools_stdio {
	/* the environment, in addition to the three variables */
	const char *const *env;
	int in; /* stdin */
	int stderr_fd; /* stderr */
};

/* Starts argv[0], a path, in the folder `dir`. Its stdout and stderr are `out`.
 * `with` (NULL: nothing) can add environment variables, a stdin and a separate
 * stderr. The child gets the signal `farewell` when the calling thread ends.
 * Two exit statuses have a meaning: PG_TOOLS_NO_ENTRY if the account may not
 * enter `dir`, and PG_TOOLS_NO_PROGRAM. Returns -1 with *e if the program could
 * not be started. */
pid_t pg_tools_spawn(const struct account *a, const char *dir,
	const char *const argv[], int out, int farewell,
	const struct pg_tools_stdio *with, struct err *e);
