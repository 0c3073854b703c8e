/* kst_tail.h - the rows that are in no chunk yet, in a file that survives a
 * killed process: of fixed size, mapped and shared.
 *
 * A writer that has a tail (kst_writer.h) appends each text, launch and row
 * to it and empties it when all are written in chunks. A process that is
 * killed, at any moment, leaves a capture without its end and this file;
 * what it had given to the writer is in one of them. kst_tail_merge() makes
 * one whole capture of the two. Layout: README.md, *The tail*. */
#pragma once
#include "kst.h"
#include <stdbool.h>

struct kst_tail;

/* Makes the file `name` of `folder` (a descriptor, or AT_FDCWD), which must not
 * be there, `bytes` large. Its blocks are allocated, so that a full disk is met
 * here and never as SIGBUS; file systems that might allocate again when a page
 * is written are refused (ENOTSUP), and so is overlayfs, whose upper layer may
 * be one. No descriptor stays open; a forked child does not have the mapping.
 * NULL and errno. `memory` NULL: malloc's. */
struct kst_tail *kst_tail_new(int folder, const char *name, size_t bytes,
	const struct kst_memory *memory);
/* The file stays: whose capture is whole unlinks it. */
void kst_tail_free(struct kst_tail *t);

/* How far a capture is written: its id, its next chunk, the next text's id. */
struct kst_place_in {
	uint32_t capture, seq;
	uint64_t text;
};

/* For the writer: all so far is in chunks before place->seq. */
void kst_tail_empty(struct kst_tail *t, const struct kst_place_in *place);
/* For the writer: false if it is full. The cells name launches, not shapes;
 * texts get their ids in order. */
bool kst_tail_row(struct kst_tail *t, int kind, const uint64_t *cells);
bool kst_tail_text(struct kst_tail *t, const char *text, size_t len);

/* Whether a living process has the .part of a capture open to write it: the
 * writer holds a POSIX lock, which neither a forked child inherits nor a
 * dead process keeps. If the file system cannot report locks, the file
 * counts as in use, because a file that is still written must not be taken
 * away. False if it cannot be opened, as with a link. */
bool kst_part_in_use(const char *path);

struct kst_merged {
	int64_t rows, tail_rows; /* of the capture's chunks; of the tail */
	int64_t damaged; /* chunks damaged or missing, and 1 for a tail that is
			  * no tail, of another capture, or damaged */
	bool whole; /* it has its end: nothing is known to be missing */
};

/* Writes the rows of `capture` and (NULL: none) `tail` to `out`, each once.
 * `out` appears when it is complete, never before. Without a tail a capture
 * that has no end does not get one. Links are not followed: neither in place
 * of the two inputs nor at `out`. False and a sentence if `capture` is no
 * capture or `out` cannot be written. */
bool kst_tail_merge(const char *capture, const char *tail, const char *out,
	struct kst_merged *m, char sentence[static 256]);
