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

/* The number of records by result. Each record is in one of the first seven. */
struct encoded {
	int64_t kernels, copies, calls, graphs, overheads; /* rows */
	int64_t quiet; /* calls that launch, copy and set nothing: no row */
	int64_t unknown; /* records of kinds that become no row */
	int64_t lost; /* rows that the writer could not keep; it counts them */
	int64_t odd; /* rows whose times are missing or reversed: dur_ns is
		      * -1 */
};

/* The name of the call (driver, cbid): cudaLaunchKernel, …. NULL: unknown. */
typedef const char *encode_call_name_fn(void *ctx, bool driver, uint32_t cbid);

/* All arguments are borrowed. NULL if there is no memory. */
struct encode *encode_new(const struct layout *l, const struct kernel_names *n,
	encode_call_name_fn *call_name, void *ctx);
void encode_free(struct encode *e);

/* Adds the numbers of this buffer to *to. False if the writer could not keep
 * all of its rows. */
bool encode_buffer(struct encode *e, const struct intake_buffer *b,
	struct capture_writer *s, struct encoded *to);
