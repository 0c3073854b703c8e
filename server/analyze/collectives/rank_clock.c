/* rank_clock.c - moments of different runs, counted from one of them. */
#include "rank_clock.h"

struct clocks {
	const struct compared_run *const *runs;
	uint32_t n;
};

static int64_t at(const struct clocks *c, uint32_t r, int64_t ns)
{
	return c->runs[r]->started_utc_ns - c->runs[0]->started_utc_ns + ns;
}

/* When the first and the last rank begin with a collective, and the first ends. */
static void edges(const struct clocks *c, const struct rank_match *m,
	uint32_t k, int64_t *first, int64_t *last, int64_t *end)
{
	*first = *end = INT64_MAX;
	*last = INT64_MIN;
	for (uint32_t r = 0; r < c->n; r++) {
		int64_t start = at(c, r, m->start_ns[r][k]);
		int64_t ends = start + m->dur_ns[r][k];
		*first = start < *first ? start : *first;
		*last = start > *last ? start : *last;
		*end = ends < *end ? ends : *end;
	}
}

static bool agree(const struct clocks *c, const struct rank_matches *all)
{
	int64_t first, last, end, n = 0, overlap = 0;
	for (uint32_t i = 0; i < all->n; i++)
		for (uint32_t k = 0; k < all->list[i].count; k++, n++) {
			edges(c, &all->list[i], k, &first, &last, &end);
			overlap += last <= end;
		}
	return n > 0 && overlap * 10 >= n * 9;
}

static void arrive(const struct clocks *c, const struct rank_match *m,
	uint32_t k, struct rank_line *lines)
{
	int64_t first, last, end;
	uint32_t together = 0;
	edges(c, m, k, &first, &last, &end);
	for (uint32_t r = 0; r < c->n; r++)
		together += at(c, r, m->start_ns[r][k]) == last;
	for (uint32_t r = 0; r < c->n; r++) {
		int64_t start = at(c, r, m->start_ns[r][k]);
		lines[r].late_ns += (double)(start - first);
		if (start == last)
			lines[r].last_share += 1.0 / together;
	}
}

bool rank_clock_from(const struct compared_run *const *runs, uint32_t n,
	const struct rank_matches *all, struct rank_line *lines)
{
	struct clocks c = { runs, n };
	double count = 0;
	for (uint32_t r = 0; r < n; r++)
		if (runs[r]->started_utc_ns < 0)
			return false;
	if (n < 2 || !agree(&c, all))
		return false;
	for (uint32_t r = 0; r < n; r++)
		lines[r].last_share = lines[r].late_ns = 0;
	for (uint32_t i = 0; i < all->n; i++)
		for (uint32_t k = 0; k < all->list[i].count; k++, count++)
			arrive(&c, &all->list[i], k, lines);
	for (uint32_t r = 0; r < n; r++) {
		lines[r].last_share /= count;
		lines[r].late_ns /= count;
	}
	return true;
}
