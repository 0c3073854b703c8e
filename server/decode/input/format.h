/* format.h - one format: how its plain bytes become a trace.
 *
 * A decoder gets a window whose [at, end) holds the file's first bytes and
 * whose byte_window_more() and plain bring the rest; `t` is empty. It fills rows in
 * any order, t->format, processes, devices, base_ns, and leaves every row's
 * start relative to base_ns, the earliest of them (finish.h helps). Afterwards
 * decode() sorts. False with ERR_TRACE and a sentence where nothing in the
 * file is usable, ERR_TOO_LARGE where the arena is full, or what the source
 * reported. What is damaged, cut or missing inside is noted, and the rest
 * used; how the compression ended is noted already (plain.h). */
#pragma once
#include "byte_window.h"
#include "sqlite_file.h"
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
