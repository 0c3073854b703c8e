/* sqlite_copy.h - a database's plain bytes, in a private file without a name.
 *
 * SQLite needs to jump about in a file that arrives as a stream, so the bytes
 * are spilled: into $TMPDIR or /tmp, where nobody else can open or change
 * them, and gone when they are closed. Two claims of the header are taken out
 * of the copy, since both keep a readable file from being read: that a
 * write-ahead log belongs to it, and how many pages it has. */
#pragma once
#include "window.h"

struct sqlite_copy {
	int fd; /* -1 where there is none */
	int64_t bytes;
	int32_t page_bytes;
	int64_t pages_told; /* by the header; 0 where it does not know */
	bool wal; /* the header calls for a write-ahead log */
};

/* Everything from w->at on. False with *e: ERR_TRACE where the header is none,
 * ERR_DISK_FULL, ERR_BUSY where no file can be made, or what the source
 * reported. */
bool sqlite_copy_new(struct sqlite_copy *c, struct window *w, struct err *e);
void sqlite_copy_free(struct sqlite_copy *c);
