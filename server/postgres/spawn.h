/* spawn.h - runs another program, as another user if needed.
 *
 * PostgreSQL's programs refuse to run as root, so root runs them as the user
 * who owns the cluster. A child inherits no file except stdin (/dev/null) and
 * its output. It has an environment of three harmless variables and a session
 * of its own, so that Ctrl-C reaches only the parent. It dies with the thread
 * that started it. */
#pragma once
#include "err.h"
#include <stddef.h>
#include <sys/types.h>

enum { ACCOUNT_GROUPS = 64 };

struct account {
	char name[64];
	uid_t uid;
	gid_t gid;
	gid_t groups[ACCOUNT_GROUPS];
	int groups_n;
	bool other; /* than the one we run as */
};

/* The account that runs PostgreSQL: the current one. For root it is the owner
 * of the cluster in the folder `pg` if there is one, else 'postgres'. */
bool account_from(struct account *a, const char *pg, struct err *e);

enum { SPAWN_NO_ENTRY = 126, SPAWN_NO_PROGRAM = 127 };

/* Starts argv[0], a path, in the folder `dir`. Its stdout and stderr are
 * `out`. It gets the signal `farewell` when the calling thread ends. Two exit
 * statuses have a meaning: SPAWN_NO_ENTRY if the account may not enter dir,
 * and SPAWN_NO_PROGRAM. -1 with *e if it could not be started. */
pid_t spawn(const struct account *a, const char *dir, const char *const argv[],
	int out, int farewell, struct err *e);

/* The same with a choice. NULL or -1: as above. */
struct spawn_with {
	const char *const *env; /* the environment, beside the three words */
	int in; /* stdin */
	int said; /* stderr */
};
pid_t spawn_with(const struct account *a, const char *dir,
	const char *const argv[], int out, int farewell,
	const struct spawn_with *w, struct err *e);

/* Runs it as ourselves to its end; `text` gets the first bytes of its stdout.
 * False, without a sentence, if it could not be run or failed: for programs
 * that may be missing. */
bool spawn_ask(const char *const argv[], char *text, size_t size);
