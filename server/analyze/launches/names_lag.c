/* names_lag.c - finds the period of durations and compares names at that
 * period.
 *
 * The thresholds come from test traces. In the trace whose names lag, 0.94 of
 * all launches have a duration similar to the launch one period earlier. Of the
 * launches whose name differs from that launch, 0.8 do. From one launch of a
 * name to the next, 0.15 are similar. In traces without lag the second figure
 * is below 0.45. */
#include "names_lag.h"
#include <string.h>

enum {
	LAUNCHES_MIN = 64, /* of a stream; with fewer there is no result */
	LAUNCHES_MAX = 20000, /* of a stream that are examined */
	PERIOD_MAX = 600,
	SAMPLES = 1500, /* pairs on which a period is tried, about */
};
static const double periodic_min = 0.8, differing_min = 0.1,
		    differing_similar_min = 0.6, same_name_similar_max = 0.5,
		    chance_max = 0.5;

struct names_lag_stream {
	int32_t device;
	int64_t stream, total_ns;
};

/* Whether a launch is on stream k of a list of n. */
static bool names_lag_is_of(const struct trace *t, uint32_t launch,
	const struct names_lag_stream *list, uint32_t k, uint32_t n)
{
	return k < n && list[k].device == t->kernel.device[launch] &&
	       list[k].stream == t->kernel.stream[launch];
}

static struct names_lag_stream names_lag_busiest(const struct trace *t,
	struct slice rows, struct names_lag_stream *list, uint32_t *n)
{
	struct names_lag_stream best = { 0 };
	uint32_t k = 0;
	for (uint32_t i = rows.from; i < rows.to; i++) {
		/* Most launches are on the stream of the one before. */
		if (!names_lag_is_of(t, i, list, k, *n)) {
			k = 0;
			while (k < *n && !names_lag_is_of(t, i, list, k, *n))
				k++;
		}
		if (k == PERIOD_MAX)
			continue;
		if (k == *n)
			list[(*n)++] =
				(struct names_lag_stream){ t->kernel.device[i],
					t->kernel.stream[i], 0 };
		list[k].total_ns += t->kernel.dur_ns[i];
	}
	for (k = 0; k < *n; k++)
		if (list[k].total_ns > best.total_ns)
			best = list[k];
	return best;
}

static bool names_lag_sequence_from(const struct trace *t, struct slice rows,
	const uint32_t *kernel_of, struct arena *a, struct lag_sequence *s)
{
	struct names_lag_stream list[PERIOD_MAX];
	uint32_t streams = 0;
	struct names_lag_stream b = names_lag_busiest(t, rows, list, &streams);
	s->dur_ns = arena_grow(a, NULL, LAUNCHES_MAX * sizeof *s->dur_ns);
	s->name = arena_grow(a, NULL, LAUNCHES_MAX * sizeof *s->name);
	if (!s->dur_ns || !s->name)
		return false;
	for (uint32_t i = rows.from; i < rows.to && s->n < LAUNCHES_MAX; i++)
		if (t->kernel.device[i] == b.device &&
			t->kernel.stream[i] == b.stream) {
			s->dur_ns[s->n] = t->kernel.dur_ns[i];
			s->name[s->n++] = kernel_of[i - rows.from];
		}
	return true;
}

double names_lag_periodic(const struct lag_sequence *s, uint32_t period)
{
	uint32_t step = (s->n - period) / SAMPLES + 1, n = 0, same = 0;
	for (uint32_t i = period; i < s->n; i += step, n++)
		same += names_lag_similar(s->dur_ns[i], s->dur_ns[i - period]);
	return (double)same / n;
}

/* Share of unrelated pairs whose durations are similar. */
static double names_lag_by_chance(const struct lag_sequence *s)
{
	uint32_t same = 0;
	for (uint32_t i = 0; i < s->n; i++) {
		uint64_t j = (uint64_t)i * 2654435761u + 12345;
		same += names_lag_similar(s->dur_ns[i], s->dur_ns[j % s->n]);
	}
	return (double)same / s->n;
}

/* Counts the launches that seem to have another kernel's duration; 0 if names
 * do not lag in the run. *first is the name of one of these launches. */
static uint32_t names_lag_lagging(const struct lag_sequence *s, uint32_t period,
	uint32_t *last, uint32_t *first)
{
	uint32_t differ = 0, differ_similar = 0, again = 0, again_similar = 0;
	for (uint32_t i = 0; i < s->n; i++) {
		uint32_t before = last[s->name[i]];
		last[s->name[i]] = i + 1;
		if (i < period || s->name[i] == s->name[i - period])
			continue;
		bool same =
			names_lag_similar(s->dur_ns[i], s->dur_ns[i - period]);
		if (same && !differ_similar)
			*first = s->name[i];
		differ++;
		differ_similar += same;
		if (!before)
			continue;
		again++;
		again_similar +=
			names_lag_similar(s->dur_ns[i], s->dur_ns[before - 1]);
	}
	if (differ < differing_min * s->n ||
		differ_similar < differing_similar_min * differ ||
		again_similar > same_name_similar_max * again)
		return 0;
	return differ_similar;
}

bool names_lag_find(const struct lag_sequence *s, struct arena *a,
	struct names_lag *out)
{
	double best = periodic_min;
	*out = (struct names_lag){ 0 };
	for (uint32_t k = 2; k < s->n / 4 && k <= PERIOD_MAX; k++) {
		double share = names_lag_periodic(s, k);
		if (share > best) {
			best = share;
			out->period = k;
		}
	}
	if (!out->period || names_lag_by_chance(s) > chance_max)
		return true;
	uint32_t *last = arena_grow(a, NULL, s->names_n * sizeof *last);
	if (!last)
		return false;
	memset(last, 0, s->names_n * sizeof *last);
	out->launches = names_lag_lagging(s, out->period, last, &out->first);
	arena_drop(a, last);
	return true;
}

static bool names_lag_check(const struct lag_sequence *s, struct profile *p)
{
	struct names_lag lag;
	if (!names_lag_find(s, p->arena, &lag))
		return false;
	if (lag.launches) {
		const char *name = p->kernels[lag.first].name;
		note_add(&p->notes, NOTE_names_lag, lag.launches, name,
			strlen(name));
	}
	return true;
}

bool names_lag_note(const struct trace *t, struct slice kernels,
	const uint32_t *kernel_of, struct profile *p)
{
	struct lag_sequence s = { .names_n = p->kernels_n };
	bool ok = true;
	if (kernels.to - kernels.from < LAUNCHES_MIN)
		return true;
	ok = names_lag_sequence_from(t, kernels, kernel_of, p->arena, &s);
	if (ok && s.n >= LAUNCHES_MIN)
		ok = names_lag_check(&s, p);
	arena_drop(p->arena, s.dur_ns);
	arena_drop(p->arena, s.name);
	return ok;
}
