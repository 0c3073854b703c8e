/* decode.h - turns an upload's bytes into a trace.
 *
 * The format is recognized by the first bytes, never by a name. gzip and zstd
 * around any format are decompressed on the way, with limits on the size and
 * the ratio of the output. Memory comes from the arena, whose limit is the only
 * bound on a trace's length; the file itself is never held whole.
 *
 * A trace may hold several processes; kineto/kineto.c has the rule that decides
 * which they are and which of them a GPU event belongs to.
 *
 * Damage inside a readable file is skipped and counted as a note; the rest is
 * used. Decoding fails, with a sentence, only if nothing in the file can be
 * used:
 *
 *   ERR_FORMAT     not a known format; the sentence says what was seen
 *   ERR_TRACE      the right format, but nothing in it is usable
 *   ERR_TOO_LARGE  more than the limits allow (bomb, arena limit)
 *   the source's own error, if reading it failed */
#pragma once
#include "plain.h"
#include "trace.h"

/* `t` is trace_init()ed by the caller; afterwards sorted, with at least one
 * process. `progress` may be NULL. */
bool decode(struct source *s, const struct decode_limits *limits,
	const struct decode_progress *progress, struct trace *t, struct err *e);
