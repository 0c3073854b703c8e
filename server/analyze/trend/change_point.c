/* change_point.c - finds where a series changed its level. */
#include "change_point.h"
#include "dist.h"
#include "order_stat.h"
#include "xoshiro.h"
#include <assert.h>
#include <math.h>
#include <string.h>

/* If there are more groups than this, neighboring groups are joined before
 * they are permuted. */
enum { CHANGE_BLOCKS_MAX = 512 };

/* The autocorrelation is estimated from pairs of groups up to this far apart.
 * More pairs would contain more unknown changes of level, and gain little: with
 * 200 groups and AR 0.5, the deviation of the estimate is 0.12 with two lags,
 * 0.10 with three, 0.09 with five, 0.08 with eight (normal values). */
enum { LAGS = 5 };

struct change_point_series {
	double *value, *weight;
	uint32_t *first; /* point of each group; [n] is the number of points */
	uint32_t n;
	uint32_t min_groups; /* groups of a segment */
	/* apart[k][i] is the sum of the limited squared differences of the
	 * first i pairs of groups that are k + 1 apart. */
	double *apart[LAGS];
};

/* Buffers for one segment, reused for every test. */
struct change_point_try {
	struct arena *a;
	/* [CHANGE_BLOCKS_MAX + 1] */
	double *value, *weight, *sum, *all, *innovation;
	double alpha;
	uint32_t permutations;
	uint64_t seed;
};

/* Clipping: the series is divided into groups, and their values are clipped so
 * that a single outlier has little weight. The distance of a point from the
 * median of its group is limited to three deviations. So is the distance of a
 * group from the median of the five groups around it. A lasting change is not
 * clipped, because from its third group on, the median has the new level. */

enum { AROUND = 5, NEAREST = 2 };
#define REACH 3
/* The median of chi-square with one degree of freedom. */
#define MEDIAN_OF_SQUARES 0.4549

/* The deviation of one value, estimated from the differences of values that
 * are `lag` apart. */
static double change_point_deviation(const double *v, uint32_t n, uint32_t lag,
	double *scratch)
{
	double sum = 0;

	if (n <= lag)
		return 0;
	for (uint32_t i = 0; i + lag < n; i++) {
		double d = v[i + lag] - v[i];
		sum += scratch[i] = d * d / 2;
	}
	double median = order_stat_median(scratch, n - lag);
	return sqrt(median > 0 ? median / MEDIAN_OF_SQUARES : sum / (n - lag));
}

/* The median of the groups around one; near an end, of the nearest ones. */
static double change_point_around(const double *v, uint32_t n, uint32_t at)
{
	double near[AROUND];
	uint32_t most = n < AROUND ? n : AROUND;
	uint32_t from = at < NEAREST ? 0 : at - NEAREST;

	if (from > n - most)
		from = n - most;
	memcpy(near, v + from, most * sizeof *near);
	return order_stat_median(near, most);
}

static double change_point_clipped(double x, double centre, double reach)
{
	return fmin(fmax(x, centre - reach), centre + reach);
}

static uint32_t change_point_groups_of(const uint32_t *group, uint32_t n,
	uint32_t *first)
{
	uint32_t groups = 0;

	for (uint32_t i = 0; i < n; i++)
		if (!i || !group || group[i] != group[i - 1])
			first[groups++] = i;
	first[groups] = n;
	return groups;
}

/* The mean of the points of each group, clipped around the group's median. */
static void change_point_group_means(const double *x,
	struct change_point_series *s, double *scratch)
{
	double reach =
		REACH * change_point_deviation(x, s->first[s->n], 1, scratch);

	for (uint32_t i = 0; i < s->n; i++) {
		uint32_t points = s->first[i + 1] - s->first[i];
		double sum = 0;
		memcpy(scratch, x + s->first[i], points * sizeof *x);
		double centre = order_stat_median(scratch, points);
		for (uint32_t k = s->first[i]; k < s->first[i + 1]; k++)
			sum += change_point_clipped(x[k], centre, reach);
		s->value[i] = sum / points;
		/* Half the variance of a group is assumed to be common to its
		 * points. */
		s->weight[i] = 2.0 * points / (points + 1.0);
	}
}

/* Fills s->apart. A difference is limited to three deviations of the
 * differences at its lag, so that a change of level that is not known yet
 * counts little. False if the arena is full. */
static bool change_point_apart_from(struct change_point_series *s,
	double *scratch, struct arena *a)
{
	for (uint32_t k = 0; k < LAGS; k++) {
		uint32_t lag = k + 1, pairs = s->n > lag ? s->n - lag : 0;
		double sum = 0;
		s->apart[k] = arena_array(a, double, pairs + 1);
		if (!s->apart[k])
			return false;
		double reach = REACH * change_point_deviation(s->value, s->n,
					       lag, scratch);
		for (uint32_t i = 0; i < pairs; i++) {
			double d = s->value[i + lag] - s->value[i];
			sum += fmin(d * d, 2 * reach * reach);
			s->apart[k][i + 1] = sum;
		}
	}
	return true;
}

/* Makes the groups and clips their values. False if the arena is full. */
static bool change_point_series_from(const double *x, const uint32_t *group,
	uint32_t n, uint32_t min_points, struct arena *a,
	struct change_point_series *out)
{
	double *raw = arena_array(a, double, n + 1);
	double *scratch = arena_array(a, double, n + 1);

	*out = (struct change_point_series){ arena_array(a, double, n + 1),
		arena_array(a, double, n + 1), arena_array(a, uint32_t, n + 1),
		.min_groups = 1 };
	if (!raw || !scratch || !out->value || !out->weight || !out->first)
		return false;
	if (!n)
		return true;
	out->n = change_point_groups_of(group, n, out->first);
	change_point_group_means(x, out, scratch);
	double reach =
		REACH * change_point_deviation(out->value, out->n, 1, scratch);
	memcpy(raw, out->value, out->n * sizeof *raw);
	for (uint32_t i = 0; i < out->n; i++)
		out->value[i] = change_point_clipped(raw[i],
			change_point_around(raw, out->n, i), reach);
	/* One group alone is never a level of its own. */
	uint64_t points = (uint64_t)min_points * out->n;
	out->min_groups = (uint32_t)((points + n - 1) / n);
	if (out->min_groups < 2)
		out->min_groups = out->n < n ? 2 : 1;
	return change_point_apart_from(out, scratch, a);
}

/* Testing a cut: the difference of the means on both sides is compared with
 * that of the best cut of every permutation. */

/* Statistics of permutations that differ only by rounding are treated as
 * equal. */
#define SAME 0.999999999
/* The share of the segment's squares about its mean below which a difference
 * is rounding. */
#define NOTHING 1e-20

struct best {
	double square;
	uint32_t at;
};

static bool change_point_try_init(struct change_point_try *t,
	const struct change_options *o, struct arena *a)
{
	uint32_t n = CHANGE_BLOCKS_MAX + 1;

	*t = (struct change_point_try){ a, arena_array(a, double, n),
		arena_array(a, double, n), arena_array(a, double, n),
		arena_array(a, double, n), arena_array(a, double, n), o->alpha,
		o->permutations, o->seed };
	return t->value && t->weight && t->sum && t->all && t->innovation;
}

/* Groups lo to hi as at most CHANGE_BLOCKS_MAX blocks, about a mean of 0. */
static uint32_t change_point_fill(struct change_point_try *t,
	const struct change_point_series *s, uint32_t lo, uint32_t hi,
	double *squares)
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

static void change_point_add_up(struct change_point_try *t, uint32_t n)
{
	t->sum[0] = t->all[0] = 0;
	for (uint32_t i = 0; i < n; i++) {
		t->sum[i + 1] = t->sum[i] + t->weight[i] * t->value[i];
		t->all[i + 1] = t->all[i] + t->weight[i];
	}
}

/* The best cut of blocks lo to hi, if it is better than *best. */
static void change_point_scan_part(const struct change_point_try *t,
	uint32_t lo, uint32_t hi, uint32_t min_groups, struct best *best)
{
	double all = t->all[hi] - t->all[lo];
	double mean = (t->sum[hi] - t->sum[lo]) / all;

	for (uint32_t k = lo + min_groups; k + min_groups <= hi; k++) {
		double weight = t->all[k] - t->all[lo];
		double off = t->sum[k] - t->sum[lo] - mean * weight;
		double square = off * off * all / (weight * (all - weight));
		if (square > best->square)
			*best = (struct best){ square, k };
	}
}

/* Searches the whole segment, and its halves, quarters and so on, which overlap
 * by half. After Kovács and others, Seeded binary segmentation, 2020. */
static struct best change_point_scan(const struct change_point_try *t,
	uint32_t n, uint32_t min_groups, bool within)
{
	struct best best = { 0, 0 };

	change_point_scan_part(t, 0, n, min_groups, &best);
	for (uint32_t parts = 3;
		within && 2 * n / (parts + 1) >= 4 * min_groups;
		parts = 2 * parts + 1)
		for (uint32_t i = 0; i < parts; i++)
			change_point_scan_part(t,
				(uint32_t)((uint64_t)n * i / (parts + 1)),
				(uint32_t)((uint64_t)n * (i + 2) / (parts + 1)),
				min_groups, &best);
	return best;
}

static uint32_t change_point_min_blocks(const struct change_point_series *s,
	uint32_t groups, uint32_t blocks)
{
	assert(groups > 0);
	uint32_t min_groups =
		(uint32_t)(((uint64_t)s->min_groups * blocks + groups - 1) /
			   groups);
	return min_groups ? min_groups : 1;
}

/* Autocorrelation. Neighbors in time are often similar (the machine is warm,
 * the same noise lasts for several runs), so their values cannot be exchanged.
 * The values are taken as an AR(1) process, v_i = rho v_(i-1) + e_i, whose
 * innovations e can be exchanged. A permutation of the innovations gives values
 * with the same autocorrelation and without a change of level. */

/* Smaller correlations are not distinguished from 0; rho near 1 would mean
 * that no number of values shows a level. */
#define CORRELATION_MIN 0.05
#define CORRELATION_MAX 0.95
enum { ROUNDS_MAX = 8 };

/* The factor by which correlation increases the variance of the mean of n
 * values. */
static double change_point_inflation(double rho, double n)
{
	double all = 1, power = rho;
	for (double k = 1; k < n && power > 1e-6; k++, power *= rho)
		all += 2 * (1 - k / n) * power;
	return all;
}

/* The correlation of neighboring blocks of `length` groups, so that a mean of
 * many blocks has the variance that it has with correlated groups. */
static double change_point_block_correlation(double rho, double length)
{
	double left =
		(1 + rho) / (1 - rho) / change_point_inflation(rho, length);
	return length > 1 ? (left - 1) / (left + 1) : rho;
}

static void change_point_innovations(struct change_point_try *t, uint32_t n,
	double rho)
{
	t->innovation[0] = t->value[0] * sqrt(1 - rho * rho);
	for (uint32_t i = 1; i < n; i++)
		t->innovation[i] = t->value[i] - rho * t->value[i - 1];
}

static void change_point_shuffle(struct change_point_try *t, uint32_t n,
	double rho, struct xoshiro *x)
{
	for (uint32_t i = n - 1; i > 0; i--) {
		uint32_t k = xoshiro_below(x, i + 1);
		double e = t->innovation[i], weight = t->weight[i];
		t->innovation[i] = t->innovation[k];
		t->weight[i] = t->weight[k];
		t->innovation[k] = e;
		t->weight[k] = weight;
	}
	t->value[0] = t->innovation[0] / sqrt(1 - rho * rho);
	for (uint32_t i = 1; i < n; i++)
		t->value[i] = rho * t->value[i - 1] + t->innovation[i];
}

/* The group at which to cut the groups lo to hi; lo if there is none. `within`
 * also searches parts of the segment, which finds a change of level that ended
 * again. */
static uint32_t change_point_try_cut(struct change_point_try *t,
	const struct change_point_series *s, uint32_t lo, uint32_t hi,
	bool within)
{
	double squares;

	if (hi - lo < 2 * s->min_groups)
		return lo;
	uint32_t n = change_point_fill(t, s, lo, hi, &squares);
	change_point_add_up(t, n);
	struct best b = change_point_scan(t, n,
		change_point_min_blocks(s, hi - lo, n), within);
	if (b.square <= NOTHING * squares)
		return lo;
	return lo + (uint32_t)((uint64_t)(hi - lo) * b.at / n);
}

/* The p-value of the best cut: the share of permutations with as good a cut.
 * Permuting stops once p exceeds alpha, so larger values are not exact. */
static double change_point_try_p(struct change_point_try *t,
	const struct change_point_series *s, uint32_t lo, uint32_t hi,
	bool within, double rho)
{
	double squares, enough = t->alpha * (t->permutations + 1.0);
	struct xoshiro x;

	uint32_t n = change_point_fill(t, s, lo, hi, &squares), as_good = 0,
		 tried = 0;
	uint32_t min_groups = change_point_min_blocks(s, hi - lo, n);
	change_point_add_up(t, n);
	double own = change_point_scan(t, n, min_groups, within).square;
	if (own <= NOTHING * squares)
		return 1;
	rho = change_point_block_correlation(rho, (double)(hi - lo) / n);
	change_point_innovations(t, n, rho);
	xoshiro_init(&x, t->seed ^ (uint64_t)lo << 32 ^ hi);
	while (tried < t->permutations && as_good + 1 <= enough) {
		change_point_shuffle(t, n, rho, &x);
		change_point_add_up(t, n);
		as_good += change_point_scan(t, n, min_groups, within).square >=
			   own * SAME;
		tried++;
	}
	return (as_good + 1.0) / (tried + 1.0);
}

/* The best place of a cut among the groups lo to hi, one by one. */
static uint32_t change_point_place(const struct change_point_series *s,
	uint32_t lo, uint32_t hi)
{
	double sum = 0, all = 0, below = 0, weight = 0, most = 0;
	uint32_t at = lo;

	for (uint32_t i = lo; i < hi; i++) {
		sum += s->weight[i] * s->value[i];
		all += s->weight[i];
	}
	for (uint32_t k = lo + 1; k + s->min_groups <= hi; k++) {
		below += s->weight[k - 1] * s->value[k - 1];
		weight += s->weight[k - 1];
		double off = below - sum / all * weight;
		double square = off * off / (weight * (all - weight));
		if (k - lo >= s->min_groups && square > most) {
			most = square;
			at = k;
		}
	}
	return at;
}

/* The steps: cut, move each cut to its best place, test it again, report it. */

struct cut {
	uint32_t at, lo, hi; /* groups; the segment lo to hi of the last test */
	double p, before, after;
};

struct cuts {
	const double *x;
	const struct change_options *o;
	struct change_point_series s;
	struct change_point_try t;
	struct cut *rows;
	uint32_t n, cap;
	double rho; /* correlation of neighboring groups within segments */
	double *scratch; /* [points] */
};

static bool change_point_cut_add(struct cuts *c, uint32_t at)
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

static void change_point_cut_drop(struct cuts *c, uint32_t i)
{
	c->n--;
	memmove(&c->rows[i], &c->rows[i + 1], (c->n - i) * sizeof *c->rows);
}

/* If the cut is between blocks of several groups, finds the best cut among the
 * groups near it. */
static uint32_t change_point_refine(const struct cuts *c, uint32_t lo,
	uint32_t hi, uint32_t at)
{
	uint32_t reach = 4 * ((hi - lo) / CHANGE_BLOCKS_MAX);
	uint32_t from = at - lo > reach ? at - reach : lo;
	uint32_t to = hi - at > reach ? at + reach : hi;
	uint32_t better = reach ? change_point_place(&c->s, from, to) : at;
	return better - lo < c->s.min_groups || hi - better < c->s.min_groups
		       ? at
		       : better;
}

/* The autocorrelation of neighboring groups, from pairs that no cut separates.
 *
 * The expected squared difference at lag k is (1 + rho + ... + rho^(k-1)) times
 * that at lag 1. The sums over all lags give rho. A change of level affects
 * only the pairs across it, unlike the correlation about a mean. After Chakar
 * and others, A robust approach for estimating change-points in the mean of an
 * AR(1) process, 2017. */
static double change_point_correlation(const struct cuts *c)
{
	double squares[LAGS] = { 0 }, pairs[LAGS] = { 0 }, all = 0;
	double low = 0, high = CORRELATION_MAX;

	for (uint32_t i = 0, from = 0, to; i <= c->n; i++, from = to) {
		to = i < c->n ? c->rows[i].at : c->s.n;
		for (uint32_t k = 0; k < LAGS && to - from > k + 1; k++) {
			squares[k] +=
				c->s.apart[k][to - k - 1] - c->s.apart[k][from];
			pairs[k] += to - from - k - 1;
		}
	}
	for (uint32_t k = 1; k < LAGS; k++)
		all += squares[k];
	if (!(squares[0] > 0))
		return 0;
	while (high - low > 1e-4) {
		double rho = (low + high) / 2, sum = 1, power = 1, expected = 0;
		for (uint32_t k = 1; k < LAGS; k++) {
			power *= rho;
			sum += power;
			expected += pairs[k] * sum;
		}
		*(expected * squares[0] < all * pairs[0] ? &low : &high) = rho;
	}
	return low < CORRELATION_MIN ? 0 : low;
}

/* Cuts lo to hi, then both parts: the smaller one by recursion. */
static bool change_point_split(struct cuts *c, uint32_t lo, uint32_t hi)
{
	while (hi - lo >= 2 * c->s.min_groups) {
		uint32_t at = change_point_try_cut(&c->t, &c->s, lo, hi, true);
		if (at == lo)
			break;
		if (change_point_try_p(&c->t, &c->s, lo, hi, true, c->rho) >
			c->o->alpha)
			break;
		at = change_point_refine(c, lo, hi, at);
		if (!change_point_cut_add(c, at))
			return false;
		bool left = at - lo < hi - at;
		if (!change_point_split(c, left ? lo : at, left ? at : hi))
			return false;
		if (left)
			lo = at;
		else
			hi = at;
	}
	return true;
}

static uint32_t change_point_left_of(const struct cuts *c, uint32_t i)
{
	return i ? c->rows[i - 1].at : 0;
}

static uint32_t change_point_right_of(const struct cuts *c, uint32_t i)
{
	return i + 1 < c->n ? c->rows[i + 1].at : c->s.n;
}

/* Moves each cut to the best place between its neighbors, until none moves. */
static void change_point_settle(struct cuts *c)
{
	bool moved = true;
	for (int turn = 0; moved && turn < 8; turn++) {
		moved = false;
		for (uint32_t i = 0; i < c->n; i++) {
			uint32_t lo = change_point_left_of(c, i),
				 hi = change_point_right_of(c, i);
			uint32_t at = change_point_place(&c->s, lo, hi);
			moved |= at != lo && at != c->rows[i].at;
			if (at != lo)
				c->rows[i].at = at;
		}
	}
}

static double change_point_median(struct cuts *c, uint32_t lo, uint32_t hi)
{
	uint32_t from = c->s.first[lo], n = c->s.first[hi] - from;
	memcpy(c->scratch, c->x + from, n * sizeof *c->scratch);
	return order_stat_median(c->scratch, n);
}

static void change_point_test_again(struct cuts *c, uint32_t i)
{
	struct cut *r = &c->rows[i];
	uint32_t lo = change_point_left_of(c, i),
		 hi = change_point_right_of(c, i);
	if (r->p > 0 && r->lo == lo && r->hi == hi)
		return;
	r->lo = lo;
	r->hi = hi;
	r->p = change_point_try_p(&c->t, &c->s, lo, hi, false, c->rho);
}

static bool change_point_too_small(const struct cuts *c, const struct cut *r)
{
	return fabs(r->after - r->before) < c->o->min_change * fabs(r->before);
}

/* The weakest cut that fails its test; c->n if none fails. */
static uint32_t change_point_weakest(struct cuts *c)
{
	uint32_t worst = c->n;
	for (uint32_t i = 0; i < c->n; i++) {
		struct cut *r = &c->rows[i];
		change_point_test_again(c, i);
		r->before = change_point_median(c, r->lo, r->at);
		r->after = change_point_median(c, r->at, r->hi);
		if (r->p <= c->o->alpha && !change_point_too_small(c, r))
			continue;
		if (worst == c->n || r->p > c->rows[worst].p)
			worst = i;
	}
	return worst;
}

/* The same factor for the median of n values, relative to the variance of the
 * mean of independent ones. It is pi / 2 if rho is 0: the values are normal, so
 * the signs of two of them have the correlation asin(r) / asin(1) if theirs is
 * r. */
static double change_point_median_inflation(double rho, double n)
{
	double all = asin(1), power = rho;
	for (double k = 1; k < n && power > 1e-6; k++, power *= rho)
		all += 2 * (1 - k / n) * asin(power);
	return all;
}

struct change_point_moments {
	double var, df; /* var: of the median */
};

/* The variance of n correlated values about their mean is too small by the
 * share that the mean has taken. */
static struct change_point_moments change_point_moments_of(const struct cuts *c,
	uint32_t lo, uint32_t hi, bool logs)
{
	double n = hi - lo, sum = 0, squares = 0;
	for (uint32_t i = lo; i < hi; i++)
		sum += logs ? log(c->s.value[i]) : c->s.value[i];
	for (uint32_t i = lo; i < hi; i++) {
		double v = logs ? log(c->s.value[i]) : c->s.value[i];
		squares += (v - sum / n) * (v - sum / n);
	}
	double inflation = change_point_inflation(c->rho, n);
	return (struct change_point_moments){
		n > 1 ? squares / (n - inflation) / n *
				change_point_median_inflation(c->rho, n)
		      : 0,
		n / inflation - 1
	};
}

static bool change_point_all_positive(const struct cuts *c, uint32_t lo,
	uint32_t hi)
{
	for (uint32_t i = lo; i < hi; i++)
		if (!(c->s.value[i] > 0))
			return false;
	return true;
}

/* Welch's interval, of logarithms if all values are positive. */
static void change_point_interval(const struct cuts *c, const struct cut *r,
	struct change_point *out)
{
	bool logs = change_point_all_positive(c, r->lo, r->hi);
	struct change_point_moments b =
		change_point_moments_of(c, r->lo, r->at, logs);
	struct change_point_moments f =
		change_point_moments_of(c, r->at, r->hi, logs);
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

/* Cuts the series into segments, as if neighboring groups had the correlation
 * c->rho. */
static bool change_point_cut_all(struct cuts *c)
{
	c->n = 0;
	if (!change_point_split(c, 0, c->s.n))
		return false;
	change_point_settle(c);
	for (uint32_t i; (i = change_point_weakest(c)) < c->n;
		change_point_settle(c))
		change_point_cut_drop(c, i);
	return true;
}

/* The first round takes the groups as independent. It has all changes, so none
 * of them is mistaken for correlation, and with correlated groups too many. The
 * correlation within its segments is used by the next round, and so on until
 * it no longer rises; the limit only bounds the time. (Measured with n = 200
 * and AR 0.5: an estimate before any cut finds 91 % of the ends of a level of
 * ten groups that is 5 % higher, this one 98 %, with equal false points. An
 * estimate before any cut also finds none of many levels of ten groups.) */
static bool change_point_find(struct cuts *c)
{
	for (int round = 0; round < ROUNDS_MAX; round++) {
		if (!change_point_cut_all(c))
			return false;
		double rho = change_point_correlation(c);
		if (!c->n || rho <= c->rho)
			break;
		c->rho = rho;
	}
	return true;
}

bool change_points_from(const double *x, const uint32_t *group, uint32_t n,
	const struct change_options *o, struct arena *a,
	struct change_point **out, uint32_t *out_n)
{
	struct arena scratch = arena_scratch(a);
	struct cuts c = { .x = x, .o = o };
	bool ok = change_point_series_from(x, group, n, o->min_points, &scratch,
			  &c.s) &&
		  change_point_try_init(&c.t, o, &scratch);

	c.scratch = arena_array(&scratch, double, n + 1);
	ok = ok && c.scratch && change_point_find(&c);
	*out_n = ok ? c.n : 0;
	*out = arena_array(a, struct change_point, *out_n + 1);
	ok = ok && *out;
	for (uint32_t i = 0; ok && i < c.n; i++) {
		const struct cut *r = &c.rows[i];
		(*out)[i] = (struct change_point){ .at = c.s.first[r->at],
			.before = r->before,
			.after = r->after,
			.p = r->p };
		change_point_interval(&c, r, &(*out)[i]);
	}
	arena_scratch_release(&scratch, a);
	return ok;
}
