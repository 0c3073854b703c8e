/* encode_kept.h - ids that encode.c keeps for as long as a capture is written.
 *
 * Each is found by a number, without looking at a text again; where two want
 * the same place the later one has it. An id of 0 (dropped by a pattern, or
 * nothing could be written) is not kept. */
#pragma once
#include "encode.h"
#include "records.h"

struct kept;

struct kept *kept_new(const struct names *n, encode_call_name_fn *call_name,
	void *ctx);
void kept_free(struct kept *k);

/* Ids of another capture are forgotten. */
void kept_begin(struct kept *k, struct scribe *s);

struct kept_ids {
	int64_t name, shape;
};
struct kept_ids kept_launch(struct kept *k, const struct kernel_record *r);
int64_t kept_copy(struct kept *k, const struct copy_record *r);
/* -1: a call that launches, copies and sets nothing. */
int64_t kept_call(struct kept *k, const struct api_record *r);
int64_t kept_thread(struct kept *k, uint32_t thread);
int64_t kept_graph(struct kept *k, uint32_t graph);
int64_t kept_overhead(struct kept *k, uint32_t what);
int64_t kept_profiler(struct kept *k); /* the domain of its overheads */
