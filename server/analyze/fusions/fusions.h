/* fusions.h - finds pairs of operator calls that one kernel could execute, and
 * computes what this would save.
 *
 * Two operator calls are a pair if
 *
 *   - a launch of the second follows a launch of the first on its stream, with
 *     no other kernel, copy, set or opaque graph between them there, and
 *     with no collective on the device between the end of the first and the
 *     start of the second. An all-reduce runs on a stream of its own and
 *     works on the tensor;
 *   - both are in one iteration, and in one launch of a CUDA graph or in none.
 *     They may be in different layers: the sum with the residual ends a layer,
 *     and the norm that could contain it begins the next;
 *   - the operators of both are known, and fusion_family.def lists them;
 *   - the second reads what the first writes, as far as that is known: an
 *     execution trace shows that it does; or none shows their tensors, the
 *     first has one result, and the second can read as much as that by its
 *     cost.
 *
 * If an execution trace has the tensor, its size is what the first writes and the
 * second reads, each memory once. If the second reads only a part of it and
 * nothing else reads the rest, its size is unknown. Without an execution trace
 * it is what the first writes by its cost.
 *
 * The launch gap is the time between the launches in which nothing runs on the
 * device, from the begin of the API call that made the second. Earlier time is
 * not counted: the host did something else then. Without the API call there is no gap, and none
 * in a CUDA graph, which launches both kernels at once.
 *
 * Only the second reads the tensor if an execution trace has no other reader up
 * to the next write of the memory. Readers may be missing if it has no such
 * write, if a kernel whose operator it lacks was launched in between, or if it
 * lacks the backward pass. Then they are unknown.
 *
 * The tensor must still be written if an execution trace shows other readers, or
 * if the readers are unknown and the run has a backward pass, which may need it.
 * In a trace without host operators a backward pass is not visible, so that it
 * is assumed. */
#pragma once
#include "attribution.h"
#include "cost.h"
#include "iteration_find.h"
#include "operators.h"
#include <math.h>

/* Fills the pairs of p->operators of at->profile. Needs attribute_from(). False
 * if the arena is full. */
bool fusion_pairs_from(const struct attribution *at,
	const struct iteration_rows *rows);

/* Pairs of two shapes that have everything in common. Times may be weighted. */
struct fusion_sums {
	enum leg first_leg;
	int64_t bytes; /* of the tensor; -1 unknown */
	int64_t first_bytes, second_bytes; /* Q of a call; -1 unknown */
	bool must_write;
	double pairs, first_s, second_s, gap_s;
};

/* What one kernel for both calls saves, in the unit of the sums.
 *
 *   traffic_s   passes * bytes / achieved bandwidth, over all pairs
 *   at_peak_s   passes * bytes / peak bandwidth of the DRAM. A tensor that is
 *               in a cache can take less
 *   gap_s       the launch gaps
 *
 * `passes` is 2, because the tensor is neither written nor read; 1 if it must
 * be written. The achieved bandwidth is (Q1 + Q2) / (t1 + t2) of the pair. A
 * compute-bound first call writes its result while it computes. So only the read
 * is saved then, at the bandwidth of the second call. If the tensor is greater
 * than what the calls move by their costs, these costs are not those of the
 * calls, and the traffic is unknown. So it never takes longer than the pair. */
struct fusion_saving {
	int passes;
	double traffic_s, at_peak_s; /* NaN unknown */
	double gap_s;
};
static inline struct fusion_saving fusion_saving(const struct fusion_sums *s,
	double peak_bytes_per_s)
{
	bool computes = s->first_leg == LEG_COMPUTE;
	struct fusion_saving out = { .passes =
					     computes || s->must_write ? 1 : 2,
		.traffic_s = (double)NAN,
		.at_peak_s = (double)NAN,
		.gap_s = s->gap_s };
	double moved = (double)s->second_bytes, time_s = s->second_s;

	if (s->bytes < 0 || s->first_bytes < 0 || s->second_bytes < 0)
		return out;
	if (!computes) {
		moved += (double)s->first_bytes;
		time_s += s->first_s;
	}
	/* time_s is the time of all pairs, and `moved` the bytes of one. */
	double saved = out.passes * (double)s->bytes;
	if (saved > moved)
		return out;
	out.traffic_s = moved > 0 ? saved / moved * time_s : 0;
	out.at_peak_s = s->pairs * saved / peak_bytes_per_s;
	return out;
}
