/* layer_seq.h - a device's launches as one sequence, with what layers are found
 * by: names, streams, passes, module paths, operators.
 *
 * It holds kernels, copies, sets and opaque graphs of one device, by start. A
 * symbol is a record's name: kernels have their index in profile.kernels, copies
 * and graphs have higher ones. All is allocated in the arena.
 *
 * Lane 0 is the stream with most launches of kernels that are not collectives,
 * on equality the one with most time. (By time alone it might be a stream on
 * which collectives wait for other ranks.) The others follow by time. */
#pragma once
#include "attribution.h"
#include "breakdown_params.h"
#include "iteration_find.h"
#include "frame_tree.h"

enum { LAYER_NONE = UINT32_MAX };
enum layer_item_kind { LAYER_KERNEL, LAYER_COPY, LAYER_GRAPH };

struct layer_item {
	int64_t start_ns, dur_ns;
	uint32_t row; /* of its kind in the trace, from the process's first */
	uint32_t symbol;
	uint32_t lane; /* its stream: 0 the main one, then by time */
	uint32_t
		pass; /* index of the pass it is of; LAYER_NONE: of none that counts */
	uint32_t frame; /* innermost range around its call, a node of `frames`;
		0 none. Of a graph's node that the collector saw: of the ranges
		that were open when it was made */
	/* When and on which thread its call was made, of which `frame` is the
	 * path; -1 and 0 if none is known. */
	int64_t host_ns;
	uint32_t thread;
	enum layer_item_kind kind;
	const struct attributed *is; /* NULL except for kernels */
};

/* A pass that counts. */
struct layer_pass {
	int64_t start_ns, end_ns;
	uint32_t
		iteration; /* index into profile.iterations; LAYER_NONE the whole */
};

struct layer_seq {
	const struct trace *trace;
	const struct process *proc;
	const struct profile *profile;
	const struct catalog *catalog;
	struct layer_item *items;
	uint32_t n, lanes, symbols;
	const int64_t *streams; /* by lane */
	int32_t device; /* -1: the process ran nothing on any */
	uint32_t stratum; /* of the passes; LAYER_NONE if they are of none */
	const char *const
		*operations; /* of symbols from profile.kernels_n on */
	struct layer_pass *passes; /* in order */
	uint32_t passes_n;
	struct frame *frames; /* frame 0 is the root */
	uint32_t frames_n;
	struct arena *arena;
};

/* The device and stratum in `params`, by default the busiest device and the
 * stratum that took most of its time. Passes are the kept iterations of the
 * stratum; if none has a launch on this device, all of the device's launches are
 * one pass. False if the arena is full, and with ERR_NOT_FOUND if the run has no
 * such device, or nothing of that stratum on it. The caller releases it in any
 * case; `at` must outlive it. */
bool layer_seq_from(struct layer_seq *s, const struct attribution *at,
	const struct iteration_rows *iterations,
	const struct breakdown_params *params, struct err *e);
void layer_seq_release(struct layer_seq *s);

/* Makes the whole sequence one pass, from the first record's start to the last one's
 * end. False if the arena is full. */
bool layer_seq_whole(struct layer_seq *s);
