/* format.h - the contract of a decoder, which turns the uncompressed bytes of
 * one format into a trace.
 *
 * A decoder gets a window whose [at, end) contains the file's first bytes;
 * byte_window_more() reads the rest. `t` is empty. The decoder adds rows in any
 * order and sets t->format, the processes, the devices and base_ns. When it
 * returns, every row's start is relative to base_ns, the earliest start
 * (finish.h does this). decode() then sorts the rows.
 *
 * A decoder returns false with ERR_TRACE and a sentence if nothing in the file
 * can be used, with ERR_TOO_LARGE if the arena is full, or with the source's
 * error. Data that is damaged, cut off or missing is noted, and the rest is
 * used. How the compressed data ended has already been noted (plain.h). */
#pragma once
#include "byte_window.h"
#include "sqlite.h"
#include "trace.h"

typedef bool format_fn(struct byte_window *w, struct trace *t, struct err *e);

#define FORMAT(sniffed, decoder) format_fn decoder;
#include "formats.def"
#undef FORMAT

/* The reader of one kind of SQLite database. The same contract applies. */
typedef bool database_fn(struct sqlite_file *f, struct trace *t, struct err *e);

#define DATABASE(prefix, reader) database_fn reader;
#include "formats.def"
#undef DATABASE
