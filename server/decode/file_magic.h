/* file_magic.h - recognizes a file by its first bytes */
#pragma once
#include "err.h"
#include <stddef.h>

/* Recognizes what a file is by its first bytes, also inside gzip and zstd.
 *
 * decode() uses this. The API uses it while an upload arrives, to reject a body
 * of an unknown format at once. */

enum sniffed {
	SNIFF_UNKNOWN,
	SNIFF_MORE, /* too few bytes to decide; call again with more */
	SNIFF_TRACE_JSON, /* Kineto / Chrome: an object or a bare list */
	SNIFF_ROCPROF_JSON, /* rocprofv3's own */
	SNIFF_HATCHET, /* the tree of Triton Proton */
	SNIFF_INSPECTOR, /* calls of collectives of NCCL Inspector */
	SNIFF_OBSERVER, /* an execution trace of PyTorch */
	SNIFF_XPLANE, /* the XSpace of JAX and XLA */
	SNIFF_KST, /* our capture format */
	SNIFF_SQLITE, /* Nsight Systems, rocpd, rpd, or nothing of ours */
	SNIFF_STATS_TABLE, /* a kernel summary of nsys stats */
	SNIFF_PATTERNS, /* pattern CSV */
	SNIFF_TAR, /* an archive of several files */
};

/* Returns what an upload is, by its first bytes. `whole`: there are no more
 * bytes. On SNIFF_UNKNOWN, *e has ERR_FORMAT (or the error of reading them,
 * such as ERR_TOO_LARGE) and a sentence that says what was seen ("this is a PNG
 * image; …"). 4 KiB always suffice. */
enum sniffed file_magic_sniff(const void *bytes, size_t len, bool whole,
	struct err *e);

/* Names the format of uncompressed bytes: a trace format, or one sentence that
 * says what the bytes are instead. signature.def lists the sentences. */

/* As file_magic_sniff(), for uncompressed bytes. */
enum sniffed file_magic_plain(const void *bytes, size_t len, bool whole,
	struct err *e);
