/* arena.h - memory that lives exactly as long as one piece of work.
 *
 * One request or one ingest owns one arena; arena_release() frees all of its
 * memory. Memory from blocks is zeroed. There are two kinds of owner:
 *
 *  - ceiling 0 (a request, a command): sizes from outside are already bounded, so
 *    running out is the machine's failure and ends the process. The result of
 *    arena_alloc() needs no check.
 *  - a ceiling (an ingest, which reads untrusted files): a request beyond it
 *    returns NULL and sets `full`, which stays set. The caller turns it into the
 *    job's error with arena_err(). The same happens if the machine has no memory
 *    left; that is not the file's fault and is reported as a different error.
 *
 * Not for sharing between threads. */
#pragma once
#include "err.h"
#include <stddef.h>

struct arena {
	struct arena_block *top; /* blocks shared by small allocations */
	struct arena_block *own; /* blocks of one array each: arena_grow() */
	size_t taken; /* bytes taken from the system so far, all blocks */
	size_t ceiling;
	size_t lent; /* bytes of the ceiling that another arena has taken for
		      * the same work; only if there is a ceiling */
	bool full;
	bool refused; /* the machine refused memory below the ceiling */
};

#define arena_new(a, type) ((type *)arena_alloc((a), 1, sizeof(type)))
#define arena_array(a, type, n) ((type *)arena_alloc((a), (n), sizeof(type)))

void *arena_alloc(struct arena *a, size_t count, size_t size);

/* A copy of the len bytes at s and a NUL. */
char *arena_strndup(struct arena *a, const char *s, size_t len);
char *arena_strdup(struct arena *a, const char *s);
char *arena_printf(struct arena *a, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Makes a growing array larger. `p` is NULL or the result of an earlier call;
 * `bytes` is the new size. A new array is zeroed. The bytes that an array gains
 * later are not zeroed, so that unused pages need no memory. Each array has its
 * own block, so that growing wastes no memory. Returns NULL if the arena's
 * ceiling would be exceeded; `p` is then still valid. */
void *arena_grow(struct arena *a, void *p, size_t bytes);

/* Frees one array of arena_grow() before the arena is released. NULL is
 * allowed. */
void arena_drop(struct arena *a, void *p);

/* Records that a library was refused `bytes` of memory. Sets `full`. */
void arena_refuse(struct arena *a, size_t bytes);

/* ERR_TOO_LARGE, with a sentence that names the ceiling; also if the process
 * reached its limit of address space first. ERR_BUSY if the machine had no
 * memory left. Always returns false. */
bool arena_err(const struct arena *a, struct err *e);

void arena_release(struct arena *a);

/* Returns an arena for temporary memory. Its ceiling is the memory that `a` has
 * left now. arena_scratch_release() frees it and, if the temporary arena was
 * full, marks `a` as full too. Both are then one failure, which arena_err(a)
 * reports. */
struct arena arena_scratch(const struct arena *a);
void arena_scratch_release(struct arena *scratch, struct arena *a);
