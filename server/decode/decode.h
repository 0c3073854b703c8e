/* decode.h - an upload's bytes become a trace.
 *
 * The format is told by the first bytes, never by a name; gzip and zstd around
 * any format are undone on the way, with a ceiling on the size and the ratio
 * of what comes out. Memory is the arena's, whose ceiling is the only limit on
 * how long a trace may be; the file itself is never held whole.
 *
 * A trace may hold several processes; kineto/kineto.c has the rule for which they are and whose the
 * events of a GPU are.
 *
 * What is damaged inside a readable file is skipped and counted as a note; the
 * rest is used. False, with a sentence, only where nothing can be made of it:
 *
 *   ERR_FORMAT     not a format we know; the sentence says what was seen
 *   ERR_TRACE      the right format, but nothing in it is usable
 *   ERR_TOO_LARGE  more than the limits allow (bomb, arena ceiling)
 *   what the source reported, where it failed */
#pragma once
#include "plain.h"
#include "trace.h"

/* `t` is trace_init()ed by the caller; afterwards sorted, with at least one
 * process. `progress` may be NULL. */
bool decode(struct source *s, const struct decode_limits *limits,
	const struct decode_progress *progress, struct trace *t, struct err *e);
