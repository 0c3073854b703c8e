/* scribe_file.h - the one capture that is being written: file, tail, writer.
 *
 * Every byte goes out here. Before each write the file is looked at: a host that
 * closes all descriptors may have given ours to a file of its own. */
#pragma once
#include "spool.h"
#include <kernsift/kst_writer.h>
#include <sys/types.h>

struct scribe_file {
	struct kst_writer *writer; /* NULL: none is open */
	struct kst_tail *tail; /* NULL: the folder is not fit for one */
	int fd;
	dev_t device;
	ino_t inode;
	uint64_t bytes, tail_bytes; /* written; of the tail */
	uint64_t most; /* what RLIMIT_FSIZE lets us write */
	int error; /* errno of the write that failed */
	uint32_t number;
	int64_t base_ns, begun_ns, flushed_ns;
	int64_t records; /* rows of kinds that scribe_file_counts() */
	uint64_t waiting[KST_KINDS_END]; /* rows in no chunk yet, */
	uint64_t waiting_n; /* and of all kinds */
};

/* Whether rows of a kind are records or ranges, which are counted where they are
 * lost: recorded and dropped are as many as were made. */
bool scribe_file_counts(enum kst_kind kind);

/* False and f->error where there is no room, no memory or no right; nothing is
 * left behind then. */
bool scribe_file_begin(struct scribe_file *f, struct spool *spool,
	const struct kst_about *about, const struct kst_options *options,
	size_t tail_bytes);
/* One row, whose times are the capture's; false as above. */
bool scribe_file_row(struct scribe_file *f, enum kst_kind kind,
	uint64_t *cells);
/* All rows go out; false as above. */
bool scribe_file_flush(struct scribe_file *f);
/* Makes it whole; false where that failed: give_up() then. */
bool scribe_file_end(struct scribe_file *f, struct spool *spool);
/* Leaves what was written to whoever uploads; how many records are nowhere. */
int64_t scribe_file_give_up(struct scribe_file *f, struct spool *spool);
