/* encode.h - converts buffers of CUPTI records to rows of the capture.
 *
 * For one thread. Repeated values are cached: launches by name, grid, block,
 * registers and shared memory; names of calls and threads. The caches are
 * valid only for the capture in which these values were written
 * (capture_writer_captures()). */
#pragma once
#include "intake.h"
#include "capture_writer.h"

struct encode;

/* What became of records: each one is in one of the first seven. */
struct encoded {
	int64_t kernels, copies, calls, graphs, overheads; /* rows */
	int64_t quiet; /* calls that launch, copy and set nothing: not kept */
	int64_t unknown; /* of kinds that are not kept */
	int64_t lost; /* rows that the writer could not keep, and counted */
	int64_t odd; /* times missing or reversed: written, dur_ns -1 */
};

/* How a call is called: cudaLaunchKernel, … of (driver, cbid). NULL unknown. */
typedef const char *encode_call_name_fn(void *ctx, bool driver, uint32_t cbid);

/* All is borrowed and outlives it. NULL if there is no memory. */
struct encode *encode_new(const struct layout *l, const struct kernel_names *n,
	encode_call_name_fn *call_name, void *ctx);
void encode_free(struct encode *e);

/* Adds to *to. False if the writer could not keep all of it. */
bool encode_buffer(struct encode *e, const struct intake_buffer *b,
	struct capture_writer *s, struct encoded *to);
