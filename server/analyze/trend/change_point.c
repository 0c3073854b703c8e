/* change_point.c - cut, moved, tried again, told. */
#include "change_parts.h"
#include "dist.h"
#include "order_stat.h"
#include <assert.h>
#include <math.h>
#include <string.h>

struct cut {
	uint32_t at, lo,
		hi; /* groups; lo and hi as it was last tried between */
	double p, before, after;
};

struct cuts {
	const double *x;
	const struct change_options *o;
	struct change_series s;
	struct change_try t;
	struct cut *rows;
	uint32_t n, cap;
	double *scratch; /* [points] */
};

static bool cut_add(struct cuts *c, uint32_t at)
{
	if (c->n == c->cap) {
		c->cap = c->cap ? 2 * c->cap : 64;
		c->rows = arena_grow(c->t.a, c->rows, c->cap * sizeof *c->rows);
		if (!c->rows)
			return false;
	}
	uint32_t i = c->n++;
	for (; i && c->rows[i - 1].at > at; i--)
		c->rows[i] = c->rows[i - 1];
	c->rows[i] = (struct cut){ .at = at };
	return true;
}

static void cut_drop(struct cuts *c, uint32_t i)
{
	c->n--;
	memmove(&c->rows[i], &c->rows[i + 1], (c->n - i) * sizeof *c->rows);
}

/* Where blocks were cut, the groups around tell better. */
static uint32_t placed(const struct cuts *c, uint32_t lo, uint32_t hi,
	uint32_t at)
{
	uint32_t reach = 4 * ((hi - lo) / CHANGE_BLOCKS_MAX);
	uint32_t from = at - lo > reach ? at - reach : lo;
	uint32_t to = hi - at > reach ? at + reach : hi;
	uint32_t better = reach ? change_place(&c->s, from, to) : at;
	return better - lo < c->s.least || hi - better < c->s.least ? at
								    : better;
}

/* Cuts lo to hi, and what is left on both sides. The larger part waits. */
static bool split(struct cuts *c, uint32_t lo, uint32_t hi)
{
	while (hi - lo >= 2 * c->s.least) {
		uint32_t at = change_try_cut(&c->t, &c->s, lo, hi, true);
		if (at == lo ||
			change_try_p(&c->t, &c->s, lo, hi, true) > c->o->alpha)
			break;
		at = placed(c, lo, hi, at);
		if (!cut_add(c, at))
			return false;
		bool left = at - lo < hi - at;
		if (!split(c, left ? lo : at, left ? at : hi))
			return false;
		if (left)
			lo = at;
		else
			hi = at;
	}
	return true;
}

static uint32_t left_of(const struct cuts *c, uint32_t i)
{
	return i ? c->rows[i - 1].at : 0;
}

static uint32_t right_of(const struct cuts *c, uint32_t i)
{
	return i + 1 < c->n ? c->rows[i + 1].at : c->s.n;
}

/* Each to the best place between its neighbours, until none moves. */
static void settle(struct cuts *c)
{
	bool moved = true;
	for (int turn = 0; moved && turn < 8; turn++) {
		moved = false;
		for (uint32_t i = 0; i < c->n; i++) {
			uint32_t lo = left_of(c, i), hi = right_of(c, i);
			uint32_t at = change_place(&c->s, lo, hi);
			moved |= at != lo && at != c->rows[i].at;
			if (at != lo)
				c->rows[i].at = at;
		}
	}
}

static double median(struct cuts *c, uint32_t lo, uint32_t hi)
{
	uint32_t from = c->s.first[lo], n = c->s.first[hi] - from;
	memcpy(c->scratch, c->x + from, n * sizeof *c->scratch);
	return order_stat_median(c->scratch, n);
}

static void try_again(struct cuts *c, uint32_t i)
{
	struct cut *r = &c->rows[i];
	uint32_t lo = left_of(c, i), hi = right_of(c, i);
	if (r->p > 0 && r->lo == lo && r->hi == hi)
		return;
	r->lo = lo;
	r->hi = hi;
	r->p = change_try_p(&c->t, &c->s, lo, hi, false);
}

static bool too_small(const struct cuts *c, const struct cut *r)
{
	return fabs(r->after - r->before) < c->o->least * fabs(r->before);
}

/* The cut that holds least, if one does not; c->n: all do. */
static uint32_t weakest(struct cuts *c)
{
	uint32_t worst = c->n;
	for (uint32_t i = 0; i < c->n; i++) {
		struct cut *r = &c->rows[i];
		try_again(c, i);
		r->before = median(c, r->lo, r->at);
		r->after = median(c, r->at, r->hi);
		if (r->p <= c->o->alpha && !too_small(c, r))
			continue;
		if (worst == c->n || r->p > c->rows[worst].p)
			worst = i;
	}
	return worst;
}

struct moments {
	double mean, var, df; /* var: of the mean */
};

static struct moments moments_of(const struct cuts *c, uint32_t lo, uint32_t hi,
	bool logs)
{
	double n = hi - lo, sum = 0, squares = 0;
	for (uint32_t i = lo; i < hi; i++)
		sum += logs ? log(c->s.value[i]) : c->s.value[i];
	for (uint32_t i = lo; i < hi; i++) {
		double v = logs ? log(c->s.value[i]) : c->s.value[i];
		squares += (v - sum / n) * (v - sum / n);
	}
	return (struct moments){ sum / n, n > 1 ? squares / (n - 1) / n : 0,
		n - 1 };
}

static bool all_positive(const struct cuts *c, uint32_t lo, uint32_t hi)
{
	for (uint32_t i = lo; i < hi; i++)
		if (!(c->s.value[i] > 0))
			return false;
	return true;
}

/* Welch's, of logarithms where there are such. */
static void interval(const struct cuts *c, const struct cut *r,
	struct change_point *out)
{
	bool logs = all_positive(c, r->lo, r->hi);
	struct moments b = moments_of(c, r->lo, r->at, logs);
	struct moments f = moments_of(c, r->at, r->hi, logs);
	double var = b.var + f.var;
	double parts = (b.df > 0 ? b.var * b.var / b.df : 0) +
		       (f.df > 0 ? f.var * f.var / f.df : 0);
	double df = parts > 0 ? var * var / parts : 1;
	double half = dist_t_quantile(0.975, fmax(1, df)) * sqrt(var);

	out->ratio = r->before != 0 ? r->after / r->before : NAN;
	out->low = logs		    ? out->ratio * exp(-half)
		   : r->before != 0 ? out->ratio - half / fabs(r->before)
				    : NAN;
	out->high = logs	     ? out->ratio * exp(half)
		    : r->before != 0 ? out->ratio + half / fabs(r->before)
				     : NAN;
}

bool change_points_from(const double *x, const uint32_t *group, uint32_t n,
	const struct change_options *o, struct arena *a,
	struct change_point **out, uint32_t *out_n)
{
	struct arena scratch = arena_scratch(a);
	struct cuts c = { .x = x, .o = o };
	bool ok = change_series_from(x, group, n, o->least_points, &scratch,
			  &c.s) &&
		  change_try_init(&c.t, o, &scratch);

	c.scratch = arena_array(&scratch, double, n + 1);
	ok = ok && c.scratch && split(&c, 0, c.s.n);
	if (ok)
		settle(&c);
	for (uint32_t i; ok && (i = weakest(&c)) < c.n; settle(&c))
		cut_drop(&c, i);
	*out_n = ok ? c.n : 0;
	*out = arena_array(a, struct change_point, *out_n + 1);
	ok = ok && *out;
	for (uint32_t i = 0; ok && i < c.n; i++) {
		const struct cut *r = &c.rows[i];
		(*out)[i] = (struct change_point){ .at = c.s.first[r->at],
			.before = r->before,
			.after = r->after,
			.p = r->p };
		interval(&c, r, &(*out)[i]);
	}
	arena_scratch_release(&scratch, a);
	return ok;
}
