/* sqlite.h - opens a SQLite database that is an upload, read-only */
#pragma once
#include "trace.h"
#include "byte_window.h"

/* A database's uncompressed bytes, in a private file without a name.
 *
 * SQLite needs random access, but the file arrives as a stream, so the bytes
 * are copied into $TMPDIR or /tmp, to a file that no other process can open or
 * change and that disappears when it is closed. Two claims of the header are
 * removed from the copy because either would keep a readable file from being
 * read: that it has a write-ahead log, and how many pages it has. */

struct sqlite_copy {
	int fd; /* -1 if there is none */
	int64_t bytes;
	int32_t page_bytes;
	int64_t pages_claimed; /* by the header; 0 if it has no valid count */
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
	struct byte_window *window; /* whose caller gets reports of progress */
	struct trace *trace; /* whose arena and notes are used */
	const char **tables; /* the plain ones, as the file spells them */
	size_t tables_n, tables_cap;
	struct err stop; /* what the caller ended reading with */
	int quiet; /* calls of the progress handler since a row came */
	int64_t pages_allowed, pages_fetched;
};

/* The window is at the file's first byte. False with *e: the error of
 * sqlite_copy_new(), or ERR_TRACE if SQLite cannot read the list of tables.
 * Call sqlite_file_close() in any case. */
bool sqlite_file_open(struct sqlite_file *f, struct byte_window *w,
	struct trace *t, struct err *e);
void sqlite_file_close(struct sqlite_file *f);

/* The table of that name, ignoring case, as the file spells it; NULL if there
 * is no plain table of that name. */
const char *sqlite_file_table(const struct sqlite_file *f, const char *name);
/* The first table at or behind *i whose name begins with `prefix`, or NULL if
 * there is none. *i is then behind it. Start with 0. */
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
