/* raw.h - writes CUPTI's unchanged buffers to a file, for replay in tests.
 *
 * KERNSIFT_TRACE_RAW names the folder. Each process writes its own file there,
 * PID-NANOSECONDS.raw, of at most 256 MiB. It starts another file if the host
 * closes the descriptor. The file contains kernel names in plain text, so no
 * file is written if texts are to be hashed or dropped.
 *
 *	kernsift raw 1
 *	version 130001          cuptiGetVersion
 *	size 10 216             kind, size in bytes; one line per kind
 *	                        an empty line
 *	name 5 12               number, bytes; then the name and a newline
 *	buffer 1 4711 1795225679000000000 432
 *	                        position in the order of arrival, thread, time,
 *	                        bytes; then the buffer and a newline
 *
 * A kernel's record contains the number of its name instead of the pointer.
 * The name is written before the first buffer that uses it. Numbers have this
 * machine's byte order. */
#pragma once
#include "intake.h"
#include "options.h"

struct raw;

/* NULL if no file is wanted. All arguments are borrowed. The file is created
 * with the first buffer. */
struct raw *raw_new(const struct collector_options *o, const struct layout *l,
	const struct kernel_names *n);
void raw_buffer(struct raw *r, const struct intake_buffer *b);
void raw_free(struct raw *r);
