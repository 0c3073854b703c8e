/* breakdown_overlap.h - how the time of windows splits into exclusive, overlapped
 * and idle time: one sweep over the edges of all spans.
 *
 * Only moments within the windows count. While a single span runs, time is
 * exclusive to that span's strand, or `other` if the span has none; with several
 * spans it is overlap, with none idle:
 *
 *   sum of strands' exclusive_ns + other_ns + overlap_ns + idle_ns = wall_ns
 *
 * Strands may belong to sets, and sets to families. A strand or a set is busy
 * while at least one of its spans runs; two sets of a family are concurrent
 * while both are busy. Pure. O(n log n), 16 bytes of scratch memory per span. If
 * more than OVERLAP_SETS_MOST sets run at once, those that began last are in no
 * pair. */
#pragma once
#include "arena.h"
#include <stdbool.h>
#include <stdint.h>

enum { OVERLAP_NO_STRAND = UINT32_MAX, OVERLAP_SETS_MOST = 8 };

enum overlap_kind {
	OVERLAP_COMPUTE,
	OVERLAP_COMM, /* exposed while nothing is computed */
	OVERLAP_COPY, /* neither */
	OVERLAP_KINDS
};

/* By start; none ends before it starts. */
struct overlap_span {
	int64_t start_ns, end_ns;
	uint32_t strand; /* OVERLAP_NO_STRAND */
	enum overlap_kind kind;
};

/* In order and disjoint. */
struct overlap_window {
	int64_t start_ns, end_ns;
};

struct overlap {
	const struct overlap_span *spans;
	const struct overlap_window *windows;
	const uint32_t *set_of; /* by strand */
	uint32_t spans_n, windows_n, strands_n, sets_n;
	uint32_t
		family; /* number of sets per family; a family's sets are contiguous */

	/* Out. */
	int64_t wall_ns, idle_ns, overlap_ns, other_ns, exposed_ns;
	int64_t *exclusive_ns, *busy_ns; /* by strand */
	int64_t *set_busy_ns; /* by set */
	int64_t *together_ns; /* by set, then by index in its family */
};

/* Fills the results. Call overlap_release() in any case. Returns false if the
 * arena is full. */
bool overlap_sweep(struct overlap *o, struct arena *a);
void overlap_release(struct overlap *o, struct arena *a);
