/* kst_tail.h - a file with the rows that are in no chunk yet. It survives a
 * killed process.
 *
 * The file has a fixed size and is mapped shared. A writer that has a tail
 * (kst_writer.h) appends each text, launch and row to it. The writer empties
 * the tail when all of them are written in chunks. A process that is killed,
 * at any moment, leaves a capture file without its end and a tail; everything
 * given to the writer is in one of the two. kst_tail_merge() makes one
 * complete capture file of both. Layout: README.md, *The tail*. */
#pragma once
#include "kst.h"
#include <stdbool.h>

struct kst_tail;

/* Creates the file `name` with `bytes` in `folder` (a descriptor, or
 * AT_FDCWD). The file must not exist. All its blocks are allocated, so that a
 * full disk is an error here and never a SIGBUS later. File systems that might
 * allocate again when a page is written are refused (ENOTSUP). So is
 * overlayfs, because its upper layer may be such a file system. No descriptor
 * stays open, and a forked child does not inherit the mapping. Returns NULL
 * and sets errno on failure. If `memory` is NULL, malloc is used. */
struct kst_tail *kst_tail_new(int folder, const char *name, size_t bytes,
	const struct kst_memory *memory);
/* Does not delete the file: the caller that completes the capture file unlinks
 * it. */
void kst_tail_free(struct kst_tail *t);

/* How far a capture is written: its id, the number of its next chunk, and the
 * id of its next text. */
struct kst_place_in {
	uint32_t capture, seq;
	uint64_t text;
};

/* For the writer: empties the tail, because everything in it is in chunks
 * before place->seq. */
void kst_tail_empty(struct kst_tail *t, const struct kst_place_in *place);
/* For the writer. False if the tail is full. Cells contain ids of launches
 * instead of ids of shapes. Texts get their ids in the order of the calls. */
bool kst_tail_row(struct kst_tail *t, int kind, const uint64_t *cells);
bool kst_tail_text(struct kst_tail *t, const char *text, size_t len);

/* Whether a living process has the .part file of a capture open for writing.
 * The writer holds a POSIX lock: a forked child does not inherit it and a dead
 * process does not keep it. If the file system cannot report locks, the file
 * counts as in use, because a file that is still written must not be taken
 * away. False if the file cannot be opened, for example because it is a
 * link. */
bool kst_part_in_use(const char *path);

struct kst_merged {
	int64_t rows, tail_rows; /* rows of the capture's chunks; rows of the
				  * tail */
	int64_t damaged; /* chunks damaged or missing, and 1 for a tail that is
			  * no tail, of another capture, or damaged */
	bool whole; /* the capture has its end, and no damage is known */
};

/* Writes each row of `capture` and of `tail` (NULL if there is none) once to
 * `out`. The file `out` appears only when it is complete. Without a tail, a
 * capture that has no end does not get one. Links are not followed, neither
 * for the two inputs nor for `out`. Returns false and a sentence if `capture`
 * is not a capture file or `out` cannot be written. */
bool kst_tail_merge(const char *capture, const char *tail, const char *out,
	struct kst_merged *m, char sentence[static 256]);
