/* pg_tools.h - PostgreSQL's programs on this machine: which to use, and a
 * copy of a database through pg_dump or pg_restore.
 *
 * What such a program prints to stderr becomes the error text of its failure.
 * A signal to end (INT, TERM, HUP) ends the copy with an error. Between
 * pg_tools_copy_new() and pg_tools_copy_end() these signals are blocked. For
 * use by one thread. */
#pragma once
#include "arena.h"
#include "err.h"
#include <signal.h>
#include <stddef.h>
#include <sys/types.h>

enum { POSTGRES_OLDEST = 15 };

struct pg_tools_server {
	int major;
	const char *initdb, *server; /* paths of the programs */
};

/* Looks where packages install it, then runs pg_config, then searches PATH.
 * `major` is the version that an existing cluster requires; 0: the newest. */
bool pg_tools_find_server(struct pg_tools_server *p, int major, struct arena *a,
	struct err *e);

/* The programs that copy a database, of the oldest major version from `least`
 * on. A newer one copies the data of an older server, but not the reverse. */
struct pg_tools {
	const char *dump, *restore;
};

bool pg_tools_find(struct pg_tools *t, int least, struct arena *a,
	struct err *e);

/* The major version of the cluster in the folder; 0 if there is none. */
int pg_tools_cluster_major(const char *pg, struct arena *a);

struct pg_tools_copy {
	const char *name;
	pid_t pid;
	int end; /* read end of the pipe; non-blocking */
	bool deaf; /* it reads no more */
	int said, signals;
	sigset_t were; /* blocked before */
};

/* `writes`: it prints what we read; else it reads what we print. */
bool pg_tools_copy_new(struct pg_tools_copy *c, const char *const argv[],
	const char *const env[], bool writes, struct err *e);

/* At least one byte, or *len 0 at its end. */
bool pg_tools_copy_read(struct pg_tools_copy *c, void *into, size_t room,
	size_t *len, struct err *e);

/* All of them. A program that reads no more is no failure here, but `deaf`: its
 * reason comes at the end. */
bool pg_tools_copy_write(struct pg_tools_copy *c, const void *bytes, size_t len,
	struct err *e);

/* Waits for its end, which must be a good one. `give_up`: ends it first. */
bool pg_tools_copy_end(struct pg_tools_copy *c, bool give_up, struct err *e);
