/* layer_seq.h - a device's launches as one sequence, in which layers are
 * searched.
 *
 * The sequence contains the kernels, copies, sets and opaque graphs of one
 * device in the order of their starts. Each item has the fields by which layers
 * are found: symbol, stream, pass, module path and operator. A symbol is the
 * number of a name: for kernels the index into profile.kernels, for copies and
 * graphs a higher number.
 *
 * Streams are numbered as lanes. Lane 0 is the stream with most launches of
 * kernels that are not collectives; of equal ones it is the stream with most
 * time. (The stream with most time might be one on which collectives wait for
 * other ranks.) The other lanes are sorted by time. */
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
	uint32_t pass; /* index of its pass; LAYER_NONE: in no analyzed pass */
	uint32_t frame; /* innermost range around its API call, a node of
		`frames`; 0 none. For a kernel whose graph node the collector
		recorded: innermost range when the node was made */
	/* When and on which thread the API call was made whose path is `frame`;
	 * -1 and 0 if unknown. */
	int64_t host_ns;
	uint32_t thread;
	enum layer_item_kind kind;
	const struct attributed *is; /* NULL except for kernels */
};

/* An analyzed pass: a kept iteration of the chosen stratum, or the whole
 * sequence. */
struct layer_pass {
	int64_t start_ns, end_ns;
	uint32_t iteration; /* index into profile.iterations; LAYER_NONE: the
		whole sequence */
};

struct layer_seq {
	const struct trace *trace;
	const struct process *proc;
	const struct profile *profile;
	const struct catalog *catalog;
	struct layer_item *items;
	uint32_t n, lanes, symbols;
	const int64_t *streams; /* by lane */
	int32_t device; /* -1: the process used no device */
	uint32_t stratum; /* of the passes; LAYER_NONE: they have none */
	const char *const
		*operations; /* names of symbols from profile.kernels_n on */
	struct layer_pass *passes; /* in order */
	uint32_t passes_n;
	struct frame *frames; /* frame 0 is the root */
	uint32_t frames_n;
	struct arena *arena;
};

/* Reads the sequence of the device and stratum in `params`. The default is the
 * busiest device, and the stratum with most time on that device. Passes are the
 * kept iterations of the stratum. If none of them has a launch on the device,
 * all launches of the device are one pass. Returns false if the arena is full,
 * and with ERR_NOT_FOUND if the run does not have the device, or nothing of the
 * stratum on it. The caller always calls layer_seq_release(); `at` must outlive
 * *s. */
bool layer_seq_from(struct layer_seq *s, const struct attribution *at,
	const struct iteration_rows *iterations,
	const struct breakdown_params *params, struct err *e);
void layer_seq_release(struct layer_seq *s);

/* Makes the whole sequence one pass, from the first start to the last end.
 * Returns false if the arena is full. */
bool layer_seq_whole(struct layer_seq *s);
