/* ranks_waiting.c - the waiting of each run, cycle by cycle. */
#include "rank_match.h"
#include "ranks.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>

struct wait {
	int64_t start_ns, end_ns;
};

static int by_start(const void *left, const void *right)
{
	const struct wait *a = left, *b = right;
	return (a->start_ns > b->start_ns) - (a->start_ns < b->start_ns);
}

/* What run `r` waits in its collectives, merged where several wait at once. */
static uint32_t waits_of(const struct rank_matches *all, uint32_t r,
	struct arena *a, struct wait **out)
{
	uint32_t n = 0, merged = 0;
	for (uint32_t i = 0; i < all->n; i++)
		n += all->list[i].count;
	struct wait *w = arena_array(a, struct wait, (size_t)n + 1);
	n = 0;
	for (uint32_t i = 0; i < all->n; i++) {
		const struct rank_match *m = &all->list[i];
		for (uint32_t k = 0; k < m->count; k++) {
			int64_t start = m->start_ns[r][k];
			w[n++] = (struct wait){ start,
				start + m->dur_ns[r][k] - m->least_ns[k] };
		}
	}
	qsort(w, n, sizeof *w, by_start);
	for (uint32_t i = 0; i < n; i++) {
		if (merged && w[i].start_ns <= w[merged - 1].end_ns) {
			if (w[i].end_ns > w[merged - 1].end_ns)
				w[merged - 1].end_ns = w[i].end_ns;
			continue;
		}
		w[merged++] = w[i];
	}
	*out = w;
	return merged;
}

static double inside(const struct cycle *c, const struct wait *w, uint32_t n,
	uint32_t *at)
{
	int64_t end_ns = c->start_ns + c->dur_ns, sum = 0;
	if (c->comm_ns < 0)
		return NAN;
	while (*at < n && w[*at].end_ns <= c->start_ns)
		++*at;
	for (uint32_t i = *at; i < n && w[i].start_ns < end_ns; i++) {
		int64_t from = w[i].start_ns, to = w[i].end_ns;
		from = from > c->start_ns ? from : c->start_ns;
		to = to < end_ns ? to : end_ns;
		sum += to - from;
	}
	return (double)(sum < c->comm_ns ? sum : c->comm_ns);
}

bool ranks_waiting(const struct compared_run *runs, uint32_t n, struct arena *a,
	double **waiting, struct err *e)
{
	const struct compared_run **list =
		arena_array(a, const struct compared_run *, (size_t)n + 1);
	struct rank_matches all;

	assert(a->ceiling == 0);
	if (n == 0)
		return err_set(e, ERR_INPUT, "the job has no run");
	for (uint32_t r = 0; r < n; r++)
		list[r] = &runs[r];
	rank_match_from(list, n, a, &all);
	for (uint32_t r = 0; r < n; r++) {
		const struct cycles *c = &runs[r].cycles;
		bool known = runs[r].collectives.n == 0 || (n > 1 && all.n > 0);
		struct wait *w;
		uint32_t waits = waits_of(&all, r, a, &w), at = 0;
		waiting[r] = arena_array(a, double, (size_t)c->n + 1);
		for (uint32_t i = 0; i < c->n; i++)
			waiting[r][i] =
				known ? inside(&c->cycles[i], w, waits, &at)
				      : NAN;
	}
	return true;
}
