/* copier.h - PostgreSQL's pg_dump or pg_restore at the other end of a pipe.
 *
 * What the program says is kept and becomes the sentence of its failure. A
 * signal that asks us to end (INT, TERM, HUP) ends the copy with a sentence:
 * between copier_new() and copier_end() they are blocked. For one thread. */
#pragma once
#include "err.h"
#include <stddef.h>
#include <signal.h>
#include <sys/types.h>

struct copier {
	const char *name;
	pid_t pid;
	int end; /* of the pipe; ours, never waits */
	bool deaf; /* it reads no more */
	int said, signals;
	sigset_t were; /* blocked before */
};

/* `writes`: it prints what we read; else it reads what we print. */
bool copier_new(struct copier *c, const char *const argv[],
	const char *const env[], bool writes, struct err *e);
/* At least one byte, or *len 0 at its end. */
bool copier_read(struct copier *c, void *into, size_t room, size_t *len,
	struct err *e);
/* All of them. A program that reads no more is no failure here, but `deaf`: its
 * reason comes at the end. */
bool copier_write(struct copier *c, const void *bytes, size_t len,
	struct err *e);
/* Waits for its end, which must be a good one. `give_up`: ends it first. */
bool copier_end(struct copier *c, bool give_up, struct err *e);
