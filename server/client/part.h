/* part.h - one file's bytes on their way out, packed or as they are.
 *
 * Pulled piece by piece, so that no file is ever held whole. feed.h puts parts
 * in a row; nobody else uses them. */
#pragma once
#include "pack.h"
#include <stdint.h>
#include <sys/types.h>

struct part {
	struct part *behind; /* the feed's: what follows */
	int fd; /* -1: held in memory */
	char *path, *label;
	struct pack *pack; /* NULL: passed on as they are */
	off_t start; /* where the file began; -1 cannot seek */
	int64_t total; /* -1 unknown */
	int64_t taken, given;
	bool ended; /* the last piece was read */
	size_t at, len; /* of piece */
	char piece[PACK_PIECE];
};

/* Opens a file, "-" being the standard input, and reads its first piece. NULL
 * with a sentence where it cannot be read, is a directory or is empty. */
struct part *part_new(const char *path, struct err *e);
/* The same of a file that is open already, and is the part's from now on;
 * `path` is what it is called. */
struct part *part_new_open(int fd, const char *path, struct err *e);
/* An end of line. */
struct part *part_newline(void);
void part_free(struct part *p);

/* What its bytes are packed with. */
enum pack_kind part_found(const struct part *p);
/* Packs them, unless they are; before any was given. */
void part_pack(struct part *p, enum pack_kind kind);

/* The next bytes, at most `room`; *len is 0 at the end. */
bool part_next(struct part *p, void *out, size_t room, size_t *len,
	struct err *e);
/* From the start again; a sentence where that cannot be. */
bool part_restart(struct part *p, struct err *e);
