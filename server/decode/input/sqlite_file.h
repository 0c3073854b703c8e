/* sqlite_file.h - opens a SQLite database that is an upload, read-only */
#pragma once
#include "trace.h"
#include "byte_window.h"

/* A database's uncompressed bytes, in a private file without a name.
 *
 * SQLite needs to jump about in a file that arrives as a stream, so the bytes
 * are spilled: into $TMPDIR or /tmp, where nobody else can open or change
 * them, and gone when they are closed. Two claims of the header are taken out
 * of the copy, since both keep a readable file from being read: that a
 * write-ahead log belongs to it, and how many pages it has. */

struct sqlite_copy {
	int fd; /* -1 where there is none */
	int64_t bytes;
	int32_t page_bytes;
	int64_t pages_told; /* by the header; 0 where it does not know */
	bool wal; /* the header calls for a write-ahead log */
};

/* A database from anybody, read as a hostile file is.
 *
 * SQLite sees a private copy through a VFS that only reads. Of its contents only the plain tables are used: no view, no
 * trigger, no virtual table, no index, no generated column, no function; what
 * the schema says is not trusted, and sizes are limited. How long reading may
 * take is bounded by the file's bytes, however its pages point at each other.
 *
 * sqlite_rows.h reads rows, and texts by their number. */

struct sqlite3;
struct sqlite3_stmt;

struct sqlite_file {
	struct sqlite3 *db;
	struct sqlite_copy copy;
	struct byte_window
		*window; /* whose caller is told that reading goes on */
	struct trace *trace; /* whose arena and notes are used */
	const char **tables; /* the plain ones, as the file spells them */
	size_t tables_n, tables_cap;
	struct err stop; /* what the caller ended reading with */
	int quiet; /* calls of the progress handler since a row came */
	int64_t pages_allowed, pages_fetched;
};

/* The window stands at the file's first byte. False with *e: what
 * sqlite_copy_new() said, or ERR_TRACE where SQLite cannot read the list of
 * tables; sqlite_file_close() in any case. */
bool sqlite_file_open(struct sqlite_file *f, struct byte_window *w,
	struct trace *t, struct err *e);
void sqlite_file_close(struct sqlite_file *f);

/* The table of that name, the letters' case aside, as the file spells it; NULL
 * where there is no plain table of it. */
const char *sqlite_file_table(const struct sqlite_file *f, const char *name);
/* The tables whose names begin with `prefix`: the first at or behind *i, which
 * is then behind it; NULL where there is none. Start with 0. */
const char *sqlite_file_prefix(const struct sqlite_file *f, const char *prefix,
	size_t *i);

/* For sqlite_rows.c. A statement from the SQL, which is freed: its code
 * is SQLite's. */
int sqlite_file_prepare(struct sqlite_file *f, char *sql,
	struct sqlite3_stmt **stmt);
/* What a code means that is neither a row nor the end: true where the file is
 * damaged, false with *e where decoding cannot go on. */
bool sqlite_file_damage(struct sqlite_file *f, int code, struct err *e);
/* That many pages more may be fetched; false where more were than may. */
void sqlite_file_allow(struct sqlite_file *f, int64_t pages);
bool sqlite_file_within(struct sqlite_file *f);
