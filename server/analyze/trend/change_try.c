/* change_try.c - cuts tried: how far apart the means on both sides of a place
 * are, against all places of all orders that the values could have come in. */
#include "change_parts.h"
#include "xoshiro.h"
#include <math.h>
#include <string.h>

/* Equal orders of rounded numbers are equal. */
#define SAME 0.999999999
/* Of the stretch's squares about its mean: less is what rounding leaves. */
#define NOTHING 1e-20

struct best {
	double square;
	uint32_t at;
};

bool change_try_init(struct change_try *t, const struct change_options *o,
	struct arena *a)
{
	uint32_t n = CHANGE_BLOCKS_MAX + 1;

	*t = (struct change_try){ a, arena_array(a, double, n),
		arena_array(a, double, n), arena_array(a, double, n),
		arena_array(a, double, n), o->alpha, o->permutations, o->seed };
	return t->value && t->weight && t->sum && t->all;
}

/* Groups lo to hi as at most CHANGE_BLOCKS_MAX blocks, about a mean of 0. */
static uint32_t fill(struct change_try *t, const struct change_series *s,
	uint32_t lo, uint32_t hi, double *squares)
{
	uint64_t n = hi - lo;
	uint32_t blocks =
		n < CHANGE_BLOCKS_MAX ? (uint32_t)n : CHANGE_BLOCKS_MAX;
	double sum = 0, all = 0;

	for (uint32_t b = 0; b < blocks; b++) {
		t->value[b] = t->weight[b] = 0;
		for (uint64_t i = n * b / blocks; i < n * (b + 1) / blocks;
			i++) {
			t->value[b] += s->weight[lo + i] * s->value[lo + i];
			t->weight[b] += s->weight[lo + i];
		}
		sum += t->value[b];
		all += t->weight[b];
		t->value[b] /= t->weight[b];
	}
	*squares = 0;
	for (uint32_t b = 0; b < blocks; b++) {
		*squares += t->weight[b] * t->value[b] * t->value[b];
		t->value[b] -= sum / all;
	}
	return blocks;
}

static void add_up(struct change_try *t, uint32_t n)
{
	t->sum[0] = t->all[0] = 0;
	for (uint32_t i = 0; i < n; i++) {
		t->sum[i + 1] = t->sum[i] + t->weight[i] * t->value[i];
		t->all[i + 1] = t->all[i] + t->weight[i];
	}
}

/* The best cut of blocks lo to hi, if it is better than *best. */
static void part(const struct change_try *t, uint32_t lo, uint32_t hi,
	uint32_t least, struct best *best)
{
	double all = t->all[hi] - t->all[lo];
	double mean = (t->sum[hi] - t->sum[lo]) / all;

	for (uint32_t k = lo + least; k + least <= hi; k++) {
		double weight = t->all[k] - t->all[lo];
		double off = t->sum[k] - t->sum[lo] - mean * weight;
		double square = off * off * all / (weight * (all - weight));
		if (square > best->square)
			*best = (struct best){ square, k };
	}
}

/* Over the whole, and over halves, quarters … that overlap by half: after
 * Kovács and others, Seeded binary segmentation, 2020. */
static struct best scan(const struct change_try *t, uint32_t n, uint32_t least,
	bool within)
{
	struct best best = { 0, 0 };

	part(t, 0, n, least, &best);
	for (uint32_t parts = 3; within && 2 * n / (parts + 1) >= 4 * least;
		parts = 2 * parts + 1)
		for (uint32_t i = 0; i < parts; i++)
			part(t, (uint32_t)((uint64_t)n * i / (parts + 1)),
				(uint32_t)((uint64_t)n * (i + 2) / (parts + 1)),
				least, &best);
	return best;
}

static uint32_t least_of(const struct change_series *s, uint32_t groups,
	uint32_t blocks)
{
	uint32_t least =
		(uint32_t)(((uint64_t)s->least * blocks + groups - 1) / groups);
	return least ? least : 1;
}

static void shuffle(struct change_try *t, uint32_t n, struct xoshiro *x)
{
	for (uint32_t i = n - 1; i > 0; i--) {
		uint32_t k = xoshiro_below(x, i + 1);
		double value = t->value[i], weight = t->weight[i];
		t->value[i] = t->value[k];
		t->weight[i] = t->weight[k];
		t->value[k] = value;
		t->weight[k] = weight;
	}
}

uint32_t change_try_cut(struct change_try *t, const struct change_series *s,
	uint32_t lo, uint32_t hi, bool within)
{
	double squares;

	if (hi - lo < 2 * s->least)
		return lo;
	uint32_t n = fill(t, s, lo, hi, &squares);
	add_up(t, n);
	struct best b = scan(t, n, least_of(s, hi - lo, n), within);
	if (b.square <= NOTHING * squares)
		return lo;
	return lo + (uint32_t)((uint64_t)(hi - lo) * b.at / n);
}

double change_try_p(struct change_try *t, const struct change_series *s,
	uint32_t lo, uint32_t hi, bool within)
{
	double squares, enough = t->alpha * (t->permutations + 1.0);
	struct xoshiro x;

	uint32_t n = fill(t, s, lo, hi, &squares), as_good = 0, tried = 0;
	uint32_t least = least_of(s, hi - lo, n);
	add_up(t, n);
	double own = scan(t, n, least, within).square;
	if (own <= NOTHING * squares)
		return 1;
	xoshiro_init(&x, t->seed ^ (uint64_t)lo << 32 ^ hi);
	while (tried < t->permutations && as_good + 1 <= enough) {
		shuffle(t, n, &x);
		add_up(t, n);
		as_good += scan(t, n, least, within).square >= own * SAME;
		tried++;
	}
	return (as_good + 1.0) / (tried + 1.0);
}

uint32_t change_place(const struct change_series *s, uint32_t lo, uint32_t hi)
{
	double sum = 0, all = 0, below = 0, weight = 0, most = 0;
	uint32_t at = lo;

	for (uint32_t i = lo; i < hi; i++) {
		sum += s->weight[i] * s->value[i];
		all += s->weight[i];
	}
	for (uint32_t k = lo + 1; k + s->least <= hi; k++) {
		below += s->weight[k - 1] * s->value[k - 1];
		weight += s->weight[k - 1];
		double off = below - sum / all * weight;
		double square = off * off / (weight * (all - weight));
		if (k - lo >= s->least && square > most) {
			most = square;
			at = k;
		}
	}
	return at;
}
