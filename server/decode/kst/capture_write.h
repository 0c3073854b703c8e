/* capture_write.h - a trace becomes a capture (.kst), streamed.
 *
 * What is written is complete in itself: read back, a run gives the profile it
 * had in the whole trace. Memory: a few MiB, whatever the trace's size. */
#pragma once
#include "trace.h"

enum { CAPTURE_ALL = UINT32_MAX };

/* Takes bytes of the capture, in order and pieces of any size. */
typedef bool capture_put_fn(void *to, const void *bytes, size_t len,
	struct err *e);

/* Writes one process of a sorted trace, by its index, or CAPTURE_ALL of them:
 * its rows, its devices, the texts these use, the trace's notes. False with
 * *e, put's or ERR_BUSY where the machine has no memory. */
bool capture_write(const struct trace *t, uint32_t process, capture_put_fn *put,
	void *to, struct err *e);

/* The same, and what it took: all bytes, and those of chunks of kernels and
 * launches. */
struct capture_size {
	uint64_t bytes, kernel_bytes;
};
bool capture_write_sized(const struct trace *t, uint32_t process,
	capture_put_fn *put, void *to, struct capture_size *size,
	struct err *e);
