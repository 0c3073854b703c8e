/* capture_write.h - writes a trace as a capture file (.kst), as a stream.
 *
 * A file with one process of a trace is self-contained: read again, it gives
 * the profile that this run had in the trace with all its processes. Writing
 * takes a few MiB of memory for a trace of any size. */
#pragma once
#include "trace.h"

enum { CAPTURE_ALL = UINT32_MAX };

/* Receives the bytes of the capture file in order, in pieces of any size. */
typedef bool capture_put_fn(void *to, const void *bytes, size_t len,
	struct err *e);

/* Writes one process of a sorted trace, given by its index, or all
 * (CAPTURE_ALL): its rows, its devices, the texts that these use, and the notes
 * of the trace. False with *e: the error of `put`, or ERR_BUSY if the machine
 * has no memory. */
bool capture_write(const struct trace *t, uint32_t process, capture_put_fn *put,
	void *to, struct err *e);

/* As capture_write(), and returns the sizes: all bytes, and the bytes of the
 * chunks of kernels and launches. */
struct capture_size {
	uint64_t bytes, kernel_bytes;
};
bool capture_write_sized(const struct trace *t, uint32_t process,
	capture_put_fn *put, void *to, struct capture_size *size,
	struct err *e);
