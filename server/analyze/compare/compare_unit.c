/* compare_unit.c - runs of one job are one repetition, other runs one each. */
#include "compare_state.h"
#include <math.h>
#include <stdlib.h>

static int by_rank(const void *left, const void *right)
{
	const struct compared_run
		*a = *(const struct compared_run *const *)left,
		*b = *(const struct compared_run *const *)right;
	if (a->rank != b->rank)
		return (a->rank > b->rank) - (a->rank < b->rank);
	return (a->id > b->id) - (a->id < b->id);
}

static struct compare_unit *unit_of(struct compare_side *s, int64_t job)
{
	for (uint32_t u = 0; job && u < s->units_n; u++)
		if (s->units[u].runs[0]->job == job)
			return &s->units[u];
	return &s->units[s->units_n++];
}

void compare_units_from(const struct compared_run *runs, uint32_t n,
	struct arena *a, struct compare_side *out)
{
	*out = (struct compare_side){ .runs = runs,
		.runs_n = n,
		.per_launch = 1 };
	out->units = arena_array(a, struct compare_unit, n);
	out->unit_cycles = arena_array(a, uint32_t, n);
	for (uint32_t i = 0; i < n; i++) {
		struct compare_unit *u = unit_of(out, runs[i].job);
		if (!u->runs)
			u->runs =
				arena_array(a, const struct compared_run *, n);
		u->runs[u->runs_n++] = &runs[i];
	}
	for (uint32_t i = 0; i < out->units_n; i++) {
		struct compare_unit *u = &out->units[i];
		qsort(u->runs, u->runs_n, sizeof *u->runs, by_rank);
		u->at = arena_array(a, uint32_t *, u->runs_n);
		u->place_of = arena_array(a, uint32_t *, u->runs_n);
	}
}

static bool told(const struct compare_side *s)
{
	for (uint32_t u = 0; u < s->units_n; u++)
		if (s->units[u].runs[0]->started_utc_ns <= 0)
			return false;
	return true;
}

/* Stable, since what has no id either was given in some order. */
void compare_units_by_time(struct compare_side *s, struct arena *a)
{
	bool moments = told(s);
	s->by_time = arena_array(a, uint32_t, s->units_n + 1);
	for (uint32_t u = 0; u < s->units_n; u++) {
		const struct compared_run *r = s->units[u].runs[0];
		uint32_t at = u;
		for (; at; at--) {
			const struct compared_run *b =
				s->units[s->by_time[at - 1]].runs[0];
			if (moments && b->started_utc_ns != r->started_utc_ns
					? b->started_utc_ns < r->started_utc_ns
					: b->id <= r->id)
				break;
			s->by_time[at] = s->by_time[at - 1];
		}
		s->by_time[at] = u;
	}
}

void compare_unit_means(const struct compare_side *s, const double *ns,
	double *means)
{
	for (uint32_t i = 0; i < s->units_n; i++) {
		const struct compare_unit *u = &s->units[s->by_time[i]];
		double sum = 0;
		for (uint32_t k = 0; k < u->cycles_n; k++)
			sum += ns[u->first + k];
		means[i] = u->cycles_n ? sum / u->cycles_n : NAN;
	}
}
