/* breakdown_overlap.h - divides time into exclusive, overlapped and idle time.
 *
 * One sweep over the starts and ends of all spans. Only time within the windows
 * is counted. While one span runs, time is exclusive to that span's strand, or
 * `other` if the span has no strand. While several spans run, time is overlap.
 * While none runs, time is idle:
 *
 *   sum of strands' exclusive_ns + other_ns + overlap_ns + idle_ns = wall_ns
 *
 * A strand may belong to a set, and a set to a family. A strand or a set is
 * busy while at least one of its spans runs. Two sets of a family run together
 * while both are busy. If more than OVERLAP_SETS_MOST sets run at the same
 * time, together_ns leaves out the sets that began last.
 *
 * The function is pure. It needs O(n log n) time and 16 bytes of scratch memory
 * per span. */
#pragma once
#include "arena.h"
#include <stdbool.h>
#include <stdint.h>

enum { OVERLAP_NO_STRAND = UINT32_MAX, OVERLAP_SETS_MOST = 8 };

enum overlap_kind {
	OVERLAP_COMPUTE,
	OVERLAP_COMM, /* exposed while no compute span runs */
	OVERLAP_COPY, /* neither compute nor communication */
	OVERLAP_KINDS
};

/* Spans are sorted by start; none ends before it starts. */
struct overlap_span {
	int64_t start_ns, end_ns;
	uint32_t strand; /* OVERLAP_NO_STRAND */
	enum overlap_kind kind;
};

/* Windows are sorted and disjoint. */
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

	/* Results. */
	int64_t wall_ns, idle_ns, overlap_ns, other_ns, exposed_ns;
	int64_t *exclusive_ns, *busy_ns; /* by strand */
	int64_t *set_busy_ns; /* by set */
	int64_t *together_ns; /* by set, then by index in its family */
};

/* Fills the results. Call overlap_release() in any case. Returns false if the
 * arena is full. */
bool overlap_sweep(struct overlap *o, struct arena *a);
void overlap_release(struct overlap *o, struct arena *a);
