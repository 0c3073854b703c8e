/* file_magic.h - recognizes a file by its first bytes */
#pragma once
#include "err.h"
#include <stddef.h>

/* what a file is, by its first bytes.
 *
 * Looks through gzip and zstd. decode() uses it, and api/ uses it on arrival to
 * reject a body of no known format at once. */

enum sniffed {
	SNIFF_UNKNOWN,
	SNIFF_MORE, /* too few bytes to decide; call again with more */
	SNIFF_TRACE_JSON, /* Kineto / Chrome: an object or a bare list */
	SNIFF_ROCPROF_JSON, /* rocprofv3's own */
	SNIFF_KST, /* our capture format */
	SNIFF_SQLITE, /* Nsight Systems, rocpd, rpd, or nothing of ours */
	SNIFF_STATS_TABLE, /* a kernel summary of nsys stats */
	SNIFF_PATTERNS, /* pattern CSV */
};

/* What the first bytes of an upload are. `whole` when there are no more. On
 * SNIFF_UNKNOWN, *e has ERR_FORMAT (or what reading it met, such as
 * ERR_TOO_LARGE) and a sentence that says what was seen
 * ("this is a PNG image; …"). 4 KiB always suffice. */
enum sniffed file_magic_sniff(const void *bytes, size_t len, bool whole,
	struct err *e);

/* names the format of plain bytes: a trace, or one sentence that says what they
 * are instead. The list is signature.def. */

/* As file_magic_sniff(), for bytes that are not compressed any more. */
enum sniffed file_magic_plain(const void *bytes, size_t len, bool whole,
	struct err *e);
