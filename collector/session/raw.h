/* raw.h - CUPTI's buffers as they came, in a file, to be replayed in tests.
 *
 * KERNSIFT_TRACE_RAW names the folder; each process has a file of its own in
 * it, PID-NANOSECONDS.raw, of 256 MiB at most; where the host closes our
 * descriptor, another. Names of kernels lie in it as they are, so where texts
 * are to be hashed or dropped there is none.
 *
 *	kernsift raw 1
 *	version 130001          cuptiGetVersion
 *	size 10 216             of a kind, in bytes; a line each
 *	                        an empty line
 *	name 5 12               number, bytes; they follow, and a line's end
 *	buffer 1 4711 1795225679000000000 432
 *	                        place in the order of arrival, thread, moment,
 *	                        bytes; they follow, and a line's end
 *
 * Where a kernel's record has the pointer to its name, the number stands; the
 * name comes before the first buffer that has it. Numbers are of this machine's
 * byte order. */
#pragma once
#include "intake.h"
#include "options.h"

struct raw;

/* NULL where none is wanted. All is borrowed; the file is made with the first
 * buffer. */
struct raw *raw_new(const struct options *o, const struct layout *l,
	const struct names *n);
void raw_buffer(struct raw *r, const struct intake_buffer *b);
void raw_free(struct raw *r);
