/* raw.h - CUPTI's buffers as they came, in a file, to be replayed in tests.
 *
 * KERNSIFT_TRACE_RAW names the folder; each process has a file of its own in
 * it, PID-NANOSECONDS.raw, of at most 256 MiB, and another one if the host
 * closes our descriptor. Names of kernels are in it in plain text, so if texts
 * are to be hashed or dropped no file is written.
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
 * A kernel's record has the name's number instead of the pointer to its name;
 * the name comes before the first buffer that has it. Numbers have this
 * machine's byte order. */
#pragma once
#include "intake.h"
#include "options.h"

struct raw;

/* NULL if none is wanted. All is borrowed; the file is created with the
 * first buffer. */
struct raw *raw_new(const struct collector_options *o, const struct layout *l,
	const struct kernel_names *n);
void raw_buffer(struct raw *r, const struct intake_buffer *b);
void raw_free(struct raw *r);
