/* rocprof_read.h - one thing of rocprofv3's JSON, read but not yet judged.
 *
 * What its words mean is in rocprof.def. Spans point into the window and are
 * good until it moves; a number that is not told has NUM_NONE, or -1 where it
 * is a plain one. */
#pragma once
#include "rocprof_process.h"

enum rocprof_key {
	ROCPROF_NONE,
#define KEY(name, text) ROCPROF_##name,
#include "rocprof.def"
#undef KEY
};

void rocprof_words_init(struct words *w);

/* A dispatch, a copy, a call or a marker; each has some of these. */
struct rocprof_record {
	struct num start, end, kernel, agent, dst, src;
	int64_t kind, operation, thread, internal, ancestor, queue, stream,
		bytes, lds;
	int64_t grid[3], group[3]; /* in work-items */
};

struct rocprof_symbol {
	struct num kernel;
	struct span formatted, demangled, name;
	int64_t vgprs;
};

struct rocprof_agent {
	struct num handle;
	struct span name, product;
	int64_t type, logical, gpu_index, cu_count, gfx, memory_bytes;
	int64_t clock_mhz; /* the highest of its compute units */
};

/* The operations of a kind of records ("HIP_RUNTIME_API"). */
struct rocprof_operations {
	struct span kind;
	const char *list; /* at its bracket; it was read once, whole */
};

/* An entry of a map that was written as a list. */
struct rocprof_entry {
	struct num key;
	struct span value;
};

struct rocprof_metadata {
	struct num pid;
	struct span host, program;
	struct span system, release; /* Linux, 5.15.0-160-generic */
};

/* A handle at p: {"handle": 7}, or 7 itself. */
const char *rocprof_handle(const struct fields *f, struct scan *s,
	const char *p, struct num *to);

union rocprof_thing {
	struct rocprof_record record;
	struct rocprof_symbol symbol;
	struct rocprof_agent agent;
	struct rocprof_operations operations;
	struct rocprof_entry entry;
	struct rocprof_metadata metadata;
};

/* Each reads the object whose bracket is at p into its member; the place
 * behind it, or NULL. */
typedef const char *rocprof_read_fn(struct scan *s, const struct words *w,
	const char *p, union rocprof_thing *t);
rocprof_read_fn rocprof_record, rocprof_symbol, rocprof_agent,
	rocprof_operations, rocprof_entry, rocprof_metadata;
