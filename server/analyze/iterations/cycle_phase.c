/* cycle_phase.c - idle gaps added up over the sections, place by place. */
#include "cycle_phase.h"
#include "sort.h"
#include <stdlib.h>

/* How far a place may be off where kernels were put in or left out. */
enum { SLACK = 8 };

struct mover {
	const struct cycle_seq *s;
	const struct cycle_cut *c;
	int64_t *gap_ns; /* by place in main: idle time before it */
	uint32_t length; /* of a section in main: the median */
};

static uint32_t name_at(const struct mover *p, int64_t place)
{
	return p->s->name[p->s->main[place]];
}

static bool within(const struct mover *p, int64_t place)
{
	return place >= 0 && place < p->s->main_n;
}

static bool measure(struct mover *p, struct arena *a)
{
	const struct cycle_seq *s = p->s;
	uint32_t n = p->c->n - 1, at = 0;
	uint32_t *length = arena_grow(a, NULL, (n + 1) * sizeof *length);
	int64_t busy = s->n ? s->start_ns[0] : 0;

	p->gap_ns = arena_grow(a, NULL,
		((size_t)s->main_n + 1) * sizeof *p->gap_ns);
	if (!p->gap_ns || !length)
		return false;
	for (uint32_t i = 0; i < n; i++)
		length[i] = p->c->at[i + 1] - p->c->at[i];
	sort_uint32(length, n);
	p->length = length[n / 2];
	arena_drop(a, length);
	for (uint32_t i = 0; i < s->n; i++) {
		int64_t end = s->start_ns[i] + s->dur_ns[i];
		if (at < s->main_n && s->main[at] == i)
			p->gap_ns[at++] = s->start_ns[i] > busy
						  ? s->start_ns[i] - busy
						  : 0;
		busy = end > busy ? end : busy;
	}
	return true;
}

/* Mean idle time before the places moved by `by`, without the longest; -1
 * where they have not the same name. */
static double idle(const struct mover *p, int64_t by)
{
	uint32_t n = 0, same = 0;
	uint32_t name = 0;
	int64_t sum = 0, most = 0;

	for (uint32_t i = 0; i < p->c->n; i++) {
		int64_t at = p->c->at[i] + by;
		if (!within(p, at))
			continue;
		if (!n++)
			name = name_at(p, at);
		else if (name != name_at(p, at))
			continue;
		int64_t gap = p->gap_ns[at];
		same++;
		sum += gap;
		most = gap > most ? gap : most;
	}
	if (!n || same * 10 < n * 9)
		return -1;
	return same > 2 ? (double)(sum - most) / (same - 1)
			: (double)sum / same;
}

/* Whether the recording holds a whole number of periods. */
static bool whole_number(const struct mover *p)
{
	uint32_t rest = p->s->main_n % p->length, slack = p->length / 50;

	return rest <= slack || p->length - rest <= slack;
}

static int64_t best_move(const struct mover *p)
{
	int64_t best = 0, half = p->length / 2;
	double longest = idle(p, 0);

	if (whole_number(p))
		return -(int64_t)(p->c->at[0] % p->length);
	for (int64_t by = -half; by <= half; by++) {
		double ns = idle(p, by);
		if (ns > longest) {
			longest = ns;
			best = by;
		}
	}
	return best;
}

/* The place of this name nearest to one, or -1. */
static int64_t near(const struct mover *p, int64_t place, uint32_t name)
{
	for (int64_t off = 0; off <= SLACK; off++) {
		if (within(p, place + off) && name_at(p, place + off) == name)
			return place + off;
		if (within(p, place - off) && name_at(p, place - off) == name)
			return place - off;
	}
	return -1;
}

static int64_t exactly(const struct mover *p, int64_t place, uint32_t name)
{
	return within(p, place) && name_at(p, place) == name ? place : -1;
}

/* The name that begins most sections once they are moved. */
static uint32_t beginning(const struct mover *p, int64_t by)
{
	uint32_t name = 0, votes = 0;

	for (uint32_t i = 0; i < p->c->n; i++) {
		int64_t at = p->c->at[i] + by;
		if (!within(p, at))
			continue;
		if (!votes)
			name = name_at(p, at);
		votes += name == name_at(p, at) ? 1 : -1u;
	}
	return name;
}

/* Adds a place if it lies behind those there are. */
static void put(uint32_t *at, uint32_t *n, int64_t place)
{
	if (place >= 0 && (!*n || place > at[*n - 1]))
		at[(*n)++] = (uint32_t)place;
}

bool cycle_phase_move(const struct cycle_seq *s, struct cycle_cut *c,
	struct arena *a)
{
	struct mover p = { .s = s, .c = c };
	uint32_t *moved = arena_grow(a, NULL, (c->n + 2) * sizeof *moved);
	uint32_t n = 0;

	if (!moved || !measure(&p, a))
		return false;
	int64_t by = best_move(&p), first = c->at[0] + by;
	int64_t last = c->at[c->n - 1] + by + p.length;
	uint32_t name = beginning(&p, by);
	put(moved, &n, exactly(&p, first - p.length, name));
	for (uint32_t i = 0; i < c->n; i++) {
		int64_t at = c->at[i] + by, found = near(&p, at, name);
		put(moved, &n, found < 0 && within(&p, at) ? at : found);
	}
	put(moved, &n, exactly(&p, last, name));
	for (uint32_t i = 0; i < n; i++)
		c->at[i] = moved[i];
	c->n = n;
	arena_drop(a, moved);
	arena_drop(a, p.gap_ns);
	return true;
}
