/* format.h - the contract of a decoder, which turns the plain bytes of one
 * format into a trace.
 *
 * A decoder gets a window whose [at, end) holds the file's first bytes;
 * byte_window_more() and plain bring the rest. `t` is empty. The decoder fills
 * rows in any order, t->format, processes, devices and base_ns, and leaves
 * every row's start relative to base_ns, the earliest start (finish.h helps).
 * Afterwards decode() sorts. It returns false with ERR_TRACE and a sentence if
 * nothing in the file is usable, with ERR_TOO_LARGE if the arena is full, or
 * with the source's error. What is damaged, cut or missing inside is noted, and
 * the rest is used; how the compression ended has already been noted
 * (plain.h). */
#pragma once
#include "byte_window.h"
#include "sqlite.h"
#include "trace.h"

typedef bool format_fn(struct byte_window *w, struct trace *t, struct err *e);

#define FORMAT(sniffed, decoder) format_fn decoder;
#include "formats.def"
#undef FORMAT

/* One kind of SQLite database, under the same contract. */
typedef bool database_fn(struct sqlite_file *f, struct trace *t, struct err *e);

#define DATABASE(prefix, reader) database_fn reader;
#include "formats.def"
#undef DATABASE
