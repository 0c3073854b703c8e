/* spool.h - a folder of capture files, and the operations of a client on it.
 *
 * Only regular files whose names a collector writes are used; links are not
 * followed. A client that sends from a folder locks it with a file beside the
 * captures, so that no capture is sent twice. If a process was killed, its
 * remaining files are first merged into one complete capture. If the client is
 * killed during the merge, the next client repeats the merge.
 *
 * HOST-PID-TICKS-N.kst is a complete capture. HOST-PID-TICKS-N.kst.part is a
 * capture that is still growing or that a killed process left. The .kst.tail
 * file contains the rows of this process that are in no chunk yet. The
 * .kst.merging file is the result of merging the two. Files with other names
 * are ignored. */
#pragma once
#include "err.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum spool_kind {
	SPOOL_FOREIGN,
	SPOOL_WHOLE,
	SPOOL_PART,
	SPOOL_TAIL,
	SPOOL_MERGING
};

struct spool_name {
	enum spool_kind kind;
	size_t stem_len; /* length of HOST-PID-TICKS-N.kst */
	size_t host_len;
	uint64_t pid, ticks, number;
};

struct spool_name spool_name_from(const char *name);

enum { SPOOL_HOST = 256 };
/* Whether a file was written on this machine. If its name contains no host, the
 * answer is yes. */
bool spool_name_here(const struct spool_name *n, const char *name,
	const char *host);

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
	struct spool_entry *at; /* sorted by time of change, oldest first */
	uint32_t n;
};

/* Opens and locks a folder. Returns false with a message if it is not a folder,
 * cannot be written to or is locked. */
bool spool_open(struct spool *s, const char *path, struct err *e);
void spool_release(struct spool *s);

/* Lists the captures and their parts, at most SPOOL_LIST_MAX files. */
bool spool_list(const struct spool *s, struct spool_list *l, struct err *e);
void spool_list_release(struct spool_list *l);

/* Is called with each message. */
typedef void spool_say_fn(void *ctx, const char *sentence);

struct spool_repaired {
	uint32_t growing; /* parts that are still being written */
	uint32_t stuck; /* parts that cannot be repaired; each has a message */
};

/* Repairs the files that ended processes left incomplete. Files of other hosts
 * are repaired only if they have not changed for `old_s` seconds. */
struct spool_repaired spool_repair(const struct spool *s, int64_t old_s,
	spool_say_fn *say, void *ctx);

/* Opens a capture of the folder for reading; -1 with a message if this fails.
 */
int spool_read(const struct spool *s, const char *name, struct err *e);
bool spool_remove(const struct spool *s, const char *name, struct err *e);
