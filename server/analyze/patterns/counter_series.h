/* counter_series.h - the samples of each counter, in order of time.
 *
 * A counter's value during an execution comes from the samples inside it, or from
 * an interpolation between the two around each end; never from beyond the first
 * or the last sample. Samples that are no number, or beyond 1e150, are ignored.
 * Successive executions begin in ascending order, so that a cursor finds the
 * first sample; sums over blocks of samples make a long execution as cheap as a
 * short one. */
#pragma once
#include "note.h"
#include "thread_time.h"
#include "trace.h"

enum { SERIES_BLOCK = 64 };

struct series {
	const char *name;
	int32_t device; /* -1 the host's */
	uint32_t from, to; /* its samples in counter_series_set */
	uint32_t at; /* the cursor */
	double middle; /* mean; sums of squares are around it */
};

struct counter_series_set {
	int64_t *at_ns; /* by series, then time */
	double *value;
	struct series_sum {
		long double value, square;
	} * before; /* of every SERIES_BLOCKth sample: of its series' before it */
	struct series *list; /* by device, name */
	uint32_t n;
};

/* Counters without a sample are left out and noted; totals of `threads` are none.
 * False if the arena is full; release in any case. */
bool counter_series_from(struct counter_series_set *s, const struct trace *t,
	struct slice rows, const struct thread_time *threads, struct arena *a,
	struct notes *ns);

void counter_series_release(struct counter_series_set *s, struct arena *a);

/* Back to the beginning, for executions that start from the beginning again. */
void counter_series_rewind(struct counter_series_set *s);

struct counter_series_value {
	double mean, variance; /* variance of the samples inside; 0 of < 2 */
	bool interpolated; /* fewer than three are inside */
};

/* Of [start_ns, end_ns]; false if an end is beyond the samples and fewer than
 * three are inside. */
bool counter_series_value(const struct counter_series_set *s,
	struct series *one, int64_t start_ns, int64_t end_ns,
	struct counter_series_value *v);
