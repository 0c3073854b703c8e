/* spool.h - the folder of capture files: its path, the names of the files, and
 * how much of it this process may use.
 *
 * Only files of this process are ever deleted. One descriptor of the folder is
 * open for as long as a capture is open. */
#pragma once
#include "options.h"
#include "fd_guard.h"
#include <stddef.h>
#include <stdint.h>

enum { SPOOL_FILES = 1024, SPOOL_NAME = 160 };

struct capture_spool {
	const struct collector_options *options;
	int folder; /* -1: none is open */
	struct fd_guard opened; /* of the folder */
	bool complained;
	char host[64];
	long pid;
	unsigned long long ticks; /* when the process began, in jiffies */
	uint32_t next; /* number of the next capture */
	struct spool_file {
		uint32_t number;
		bool part; /* the .part file was never completed */
		int64_t rows; /* records and ranges */
		uint64_t bytes;
	} files[SPOOL_FILES]; /* a ring, oldest at `first` */
	uint32_t first, files_n;
	uint64_t bytes; /* of all files in the ring */
	int64_t lost_rows; /* rows of files that were deleted because of the
			    * limit */
};

void spool_init(struct capture_spool *s, const struct collector_options *o);

/* Opens the folder and creates it (mode 0700) if it does not exist. It is the
 * configured folder or, if that is not writable, one in /tmp that belongs to
 * this user alone. Returns false, and logs it once, if neither is writable.
 * Opens the folder again if the host closed the descriptor. */
bool spool_open(struct capture_spool *s);
void spool_close(struct capture_spool *s);

/* The name of capture number `n`, with `suffix`. */
void spool_name(const struct capture_spool *s, char name[static SPOOL_NAME],
	uint32_t n, const char *suffix);
/* Creates the .part file of the next free number. The file is locked for as
 * long as it is open here (see kst_tail.h). Returns -1 and sets errno on
 * failure. */
int spool_make(struct capture_spool *s, uint32_t *number);
/* Renames the .part file to its final name. False if that failed. */
bool spool_finish(struct capture_spool *s, uint32_t number);

/* Adds a file to the ring, whether complete or not. */
void spool_add(struct capture_spool *s, const struct spool_file *f);
/* Deletes the oldest files until at most `most` bytes are left. */
void spool_keep(struct capture_spool *s, uint64_t most);
