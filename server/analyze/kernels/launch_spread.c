/* launch_spread.c - bins, slices and streams of the launches of one kernel. */
#include "launch_spread.h"
#include "stats.h"
#include <math.h>
#include <stdlib.h>

/* ---- bins */

/* The bound number b, if there are 2^k bounds per octave. */
static int64_t launch_spread_bound(int64_t b, int k)
{
	return (int64_t)ceil(exp2((double)b / exp2(k)));
}

/* The bin of a duration: the last one whose bound does not exceed it. The
 * logarithm is off by at most one bin. */
static int64_t launch_spread_bin_of(int64_t ns, int k)
{
	int64_t b = (int64_t)floor(log2((double)(ns ? ns : 1)) * exp2(k));

	while (b > 0 && launch_spread_bound(b, k) > ns)
		b--;
	while (launch_spread_bound(b + 1, k) <= ns)
		b++;
	return b;
}

/* The finest division that has at most LAUNCH_BINS bins from the shortest to the
 * longest duration. With 2^24 bins per octave, a bin of a second is 41 ns. One bin
 * per octave is always enough: TRACE_TIME_MAX_NS is 2^53. */
static int launch_spread_division(int64_t min_ns, int64_t max_ns)
{
	int k = 24;

	while (k > 0 && launch_spread_bin_of(max_ns, k) -
					launch_spread_bin_of(min_ns, k) >=
				LAUNCH_BINS)
		k--;
	return k;
}

/* A duration of 0 is in the first bin, which then begins at 0. Bins that contain no
 * whole number are left out. */
static void launch_spread_bins(const int64_t *sorted, uint32_t n,
	struct arena *a, struct launch_spread *out)
{
	int k = launch_spread_division(sorted[0], sorted[n - 1]);
	int64_t first = launch_spread_bin_of(sorted[0], k);
	int64_t last = launch_spread_bin_of(sorted[n - 1], k);
	uint32_t at = 0;

	out->bins = arena_array(a, struct launch_bin, LAUNCH_BINS);
	for (int64_t b = first; b <= last; b++) {
		struct launch_bin bin = { launch_spread_bound(b, k),
			launch_spread_bound(b + 1, k), 0 };

		if (!at && sorted[0] < bin.from_ns)
			bin.from_ns = sorted[0];
		if (bin.from_ns == bin.to_ns)
			continue;
		for (; at < n && sorted[at] < bin.to_ns; at++)
			bin.launches++;
		out->bins[out->bins_n++] = bin;
	}
}

/* ---- slices and streams: runs of launches in an order of indices */

struct launch_spread_order {
	const struct launch_times *t;
	uint32_t *at; /* index into t */
	int64_t *ns, *scratch;
};

/* The statistics of the launches at[from] to at[to - 1]. */
static struct time_stats launch_spread_part(struct launch_spread_order *o,
	uint32_t from, uint32_t to)
{
	if (from == to)
		return (struct time_stats){ 0 };
	for (uint32_t i = from; i < to; i++)
		o->ns[i - from] = o->t->dur_ns[o->at[i]];
	return stats_from(o->ns, o->scratch, to - from);
}

static int launch_spread_by_start(const void *x, const void *y, void *times)
{
	const struct launch_times *t = times;
	int64_t a = t->start_ns[*(const uint32_t *)x],
		b = t->start_ns[*(const uint32_t *)y];

	return (a > b) - (a < b);
}

static void launch_spread_slices(struct launch_spread_order *o, struct arena *a,
	struct launch_spread *out)
{
	uint32_t n = o->t->n, at = 0;
	int64_t first = o->t->start_ns[o->at[0]];
	int64_t span = o->t->start_ns[o->at[n - 1]] - first + 1;
	int64_t each = (span + LAUNCH_SLICES - 1) / LAUNCH_SLICES;

	out->slices_n = (uint32_t)((span + each - 1) / each);
	out->slices = arena_array(a, struct launch_slice, out->slices_n);
	for (uint32_t i = 0; i < out->slices_n; i++) {
		struct launch_slice *s = &out->slices[i];
		uint32_t from = at;

		s->from_ns = first + i * each;
		s->to_ns = s->from_ns + each;
		while (at < n && o->t->start_ns[o->at[at]] < s->to_ns)
			at++;
		s->is = launch_spread_part(o, from, at);
	}
}

static int launch_spread_stream_compare(const struct launch_times *t,
	uint32_t a, uint32_t b)
{
	if (t->device[a] != t->device[b])
		return t->device[a] < t->device[b] ? -1 : 1;
	return (t->stream[a] > t->stream[b]) - (t->stream[a] < t->stream[b]);
}

static int launch_spread_by_stream(const void *x, const void *y, void *times)
{
	return launch_spread_stream_compare(times, *(const uint32_t *)x,
		*(const uint32_t *)y);
}

static int launch_spread_by_time(const void *x, const void *y)
{
	const struct launch_stream *a = x, *b = y;

	if (a->is.total_ns != b->is.total_ns)
		return a->is.total_ns > b->is.total_ns ? -1 : 1;
	if (a->device != b->device)
		return a->device < b->device ? -1 : 1;
	return (a->stream > b->stream) - (a->stream < b->stream);
}

static void launch_spread_streams(struct launch_spread_order *o,
	struct arena *a, struct launch_spread *out)
{
	const struct launch_times *t = o->t;
	uint32_t n = 1;

	for (uint32_t i = 1; i < t->n; i++)
		n += launch_spread_stream_compare(t, o->at[i - 1], o->at[i]) !=
		     0;
	out->streams = arena_array(a, struct launch_stream, n);
	for (uint32_t from = 0, to; from < t->n; from = to) {
		for (to = from + 1;
			to < t->n && !launch_spread_stream_compare(t,
					     o->at[from], o->at[to]);
			to++)
			;
		out->streams[out->streams_n++] =
			(struct launch_stream){ t->device[o->at[from]],
				t->stream[o->at[from]],
				launch_spread_part(o, from, to) };
	}
	qsort(out->streams, out->streams_n, sizeof *out->streams,
		launch_spread_by_time);
}

void launch_spread_from(struct launch_times *t, struct arena *a,
	struct launch_spread *out)
{
	struct launch_spread_order o = { .t = t,
		.at = arena_array(a, uint32_t, t->n),
		.ns = arena_array(a, int64_t, t->n),
		.scratch = arena_array(a, int64_t, t->n) };

	*out = (struct launch_spread){ 0 };
	for (uint32_t i = 0; i < t->n; i++)
		o.at[i] = i;
	out->all = launch_spread_part(&o, 0, t->n);
	launch_spread_bins(o.ns, t->n, a, out);
	qsort_r(o.at, t->n, sizeof *o.at, launch_spread_by_start, t);
	launch_spread_slices(&o, a, out);
	qsort_r(o.at, t->n, sizeof *o.at, launch_spread_by_stream, t);
	launch_spread_streams(&o, a, out);
}
