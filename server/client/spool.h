/* spool.h - a folder of captures, and what may be done with them when.
 *
 * Somebody else's folder: only regular files with a collector's names are
 * touched, links are not followed, and nobody is waited for. Whoever sends out of it
 * holds its lock, a file beside the captures, for as long: two never send the
 * same. What a killed process left is made one whole capture first; a client
 * that is killed on the way does it again. */
#pragma once
#include "err.h"
#include "spool_name.h"

enum { SPOOL_NAME_MAX = 256, SPOOL_LIST_MAX = 4096 };

struct spool {
	char *path;
	int folder, lock;
	char host[SPOOL_HOST];
};

struct spool_entry {
	char name[SPOOL_NAME_MAX];
	struct spool_name is;
	int64_t changed_s; /* from 1970 */
	int64_t bytes;
};

struct spool_list {
	struct spool_entry *at; /* the longest unchanged first */
	uint32_t n;
};

/* Opens and locks. False with a sentence where it is no folder, cannot be
 * written to or is locked. */
bool spool_open(struct spool *s, const char *path, struct err *e);
void spool_release(struct spool *s);

/* The captures and their parts, at most SPOOL_LIST_MAX of them. */
bool spool_list(const struct spool *s, struct spool_list *l, struct err *e);
void spool_list_release(struct spool_list *l);

/* Called with a sentence for each thing worth telling. */
typedef void spool_say_fn(void *ctx, const char *sentence);

struct spool_mended {
	uint32_t growing; /* parts that are still being written */
	uint32_t stuck; /* parts that cannot be made whole, each told */
};

/* Makes whole what processes left that are gone; of other hosts where it has
 * not changed for `old_s` seconds. */
struct spool_mended spool_mend(const struct spool *s, int64_t old_s,
	spool_say_fn *say, void *ctx);

/* A capture of the folder, open for reading; -1 with a sentence. */
int spool_read(const struct spool *s, const char *name, struct err *e);
bool spool_remove(const struct spool *s, const char *name, struct err *e);
