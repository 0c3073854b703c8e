/* format.h - one format: how its plain bytes become a trace.
 *
 * A decoder gets a window whose [at, end) holds the file's first bytes and
 * whose window_more() and plain bring the rest; `t` is empty. It fills rows in
 * any order, t->format, processes, devices, base_ns, and leaves every row's
 * start relative to base_ns, the earliest of them (rebase.h helps). Afterwards
 * decode() sorts. False with ERR_TRACE and a sentence where nothing in the
 * file is usable, ERR_TOO_LARGE where the arena is full, or what the source
 * reported. What is damaged, cut or missing inside is noted, and the rest
 * used; how the compression ended is noted already (plain.h). */
#pragma once
#include "trace.h"
#include "window.h"

typedef bool format_fn(struct window *w, struct trace *t, struct err *e);

#define FORMAT(sniffed, decoder) format_fn decoder;
#include "formats.def"
#undef FORMAT
