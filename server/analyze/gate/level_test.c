/* level_test.c - tests whether the level of the head is above that of the base. */
#include "level_test.h"
#include "change_point.h"
#include "dist.h"
#include "order_stat.h"
#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

/* Two variances: of a unit's value, and of a value that all units of a group
 * share in addition (0: none). The head is one group. The base is divided into
 * groups of the head's size. */
struct level_test_spread {
	double unit, group, df;
	uint32_t group_units;
};

#define UNDECIDED_MOST 0.2
enum { UNITS_MAX = 1000 };

/* The variance of the difference between a head of `head` units and a base of
 * `base` units; of the head alone if base is 0. */
static double level_test_variance(const struct level_test_spread *s,
	uint32_t head, uint32_t base)
{
	double var = s->unit / head + s->group;
	if (base)
		var += s->unit / base + s->group * s->group_units / base;
	return var;
}

static double level_test_normal(double x)
{
	return erfc(-x / sqrt(2)) / 2;
}

/* The total number of head units with which the test decides with a probability
 * of 0.8, if the head is now above the limit. Decided means shown to be higher,
 * or below the limit. It assumes that the level of additional units is close to
 * the present level. At least 2; -1 if a thousand units are too few. */
static int32_t level_test_runs_needed(const struct level_test_spread *s,
	uint32_t head, uint32_t base, double delta, double limit, double alpha)
{
	double t = dist_t_quantile(1 - alpha, fmax(1, s->df));
	double now = level_test_variance(s, head, base);

	for (uint32_t n = head + 1; n <= UNITS_MAX; n++) {
		double then = level_test_variance(s, n, base);
		double shown = t * sqrt(then), apart = sqrt(now - then);
		if (shown <= limit)
			return (int32_t)n;
		double undecided =
			apart > 0 ? level_test_normal((shown - delta) / apart) -
					    level_test_normal(
						    (limit - delta) / apart)
				  : 1;
		if (undecided <= UNDECIDED_MOST)
			return (int32_t)n;
	}
	return -1;
}

/* Huber's k: larger deviations from the mean are limited to this many standard
 * deviations. */
#define HUBER 1.5
/* For normal values, the variance of Huber's mean divided by that of the
 * mean. */
#define HUBER_VARIANCE 1.037
/* The variance of the head's units is limited to this multiple of the
 * base's. */
#define ODD 6.25
/* The variance that is predicted from single units for their groups has the
 * weight of this many observations, in addition to the measured variance of the
 * groups. There must be at least GROUPS_MIN groups. */
#define GROUPS_DF 8.0
/* If the logarithms of the two variances differ by this many standard
 * deviations, only the variance of the groups is used. */
#define GROUPS_DIFFER 2.33
enum { GROUPS_MIN = 6 };
/* By how much (sum of squares, in units of the variance) a rise before earlier
 * units must fit better than a rise before the head. If there are fewer such
 * units than the head has, they must fit even better. */
#define SINCE_BETTER 4.0
#define SINCE_BETTER_FEW 8.0
/* One or two unusual units are not a level if the head has more units. */
enum { SINCE_UNITS = 3 };

struct level {
	const struct level_test_input *q;
	const double *base, *head; /* logarithms, or shares of the scale */
	double *scratch, *groups;
	uint32_t base_n, head_n, from; /* of the base's newest stretch */
	double sd; /* between units */
	struct level_test_spread spread;
};

static double level_test_mean_of(const double *x, uint32_t n)
{
	double sum = 0;
	for (uint32_t i = 0; i < n; i++)
		sum += x[i];
	return sum / n;
}

/* Huber's mean; the plain mean of one or two values. */
static double level_test_huber(struct level *l, const double *x, uint32_t n)
{
	if (n < 3 || !(l->sd > 0))
		return level_test_mean_of(x, n);
	memcpy(l->scratch, x, n * sizeof *x);
	double at = order_stat_median(l->scratch, n), reach = HUBER * l->sd;
	for (int turn = 0; turn < 50; turn++) {
		double sum = 0;
		for (uint32_t i = 0; i < n; i++)
			sum += fmin(fmax(x[i] - at, -reach), reach);
		at += sum / n;
		if (fabs(sum / n) < 1e-9 * l->sd)
			break;
	}
	return at;
}

/* The variance of groups of the base that are as large as the head, formed from
 * the newest unit backwards. */
static struct successive_diff level_test_groups(struct level *l)
{
	uint32_t n = l->base_n / l->head_n;

	for (uint32_t i = 0; i < n; i++)
		l->groups[n - 1 - i] = level_test_huber(l,
			l->base + l->base_n - (i + 1) * l->head_n, l->head_n);
	return successive_diff_from(l->groups, n);
}

static void level_test_spread_from(struct level *l)
{
	struct noise_floor f = l->q->floor;
	struct successive_diff own[2] = { successive_diff_from(l->base,
						  l->base_n),
		successive_diff_from(l->head, l->head_n) };

	noise_floor_update(&f, &own[0]);
	/* With two or three head units, it is unknown which one is unusual. */
	own[1].variance = fmin(own[1].variance, ODD * f.sd * f.sd);
	noise_floor_update(&f, &own[1]);
	l->sd = f.sd;
	l->spread = (struct level_test_spread){ .unit = f.sd * f.sd *
							HUBER_VARIANCE,
		.df = fmin(f.df, 1e9) };
	if (f.from == FLOOR_GIVEN || l->head_n < 2 ||
		l->base_n / l->head_n < GROUPS_MIN)
		return;
	struct successive_diff g = level_test_groups(l);
	double predicted = l->spread.unit / l->head_n, df = GROUPS_DF + g.df;
	double var = (GROUPS_DF * predicted + g.df * g.variance) / df;
	if (g.variance >
		predicted * exp(GROUPS_DIFFER *
				    sqrt(2 / g.df + 2 / l->spread.df))) {
		var = g.variance;
		df = g.df;
	}
	if (var > predicted)
		l->spread.group = var - predicted;
	else
		l->spread.unit = var * l->head_n;
	l->spread.group_units = l->head_n;
	l->spread.df = fmin(l->spread.df, df);
}

/* The sum of squares and the sum of n values, each limited to [low, high]. */
static double level_test_squares(const double *x, uint32_t n, double low,
	double high, double *sum)
{
	double all = 0;
	for (uint32_t i = 0; i < n; i++) {
		double v = fmin(fmax(x[i], low), high);
		all += v * v;
		*sum += v;
	}
	return all;
}

static double level_test_about_mean(double all, double sum, uint32_t n)
{
	return all - sum * sum / n;
}

/* How many of the base's newest units belong to the head's level rather than
 * to the units before them; 0 none. */
static uint32_t level_test_since(struct level *l, double base, double head)
{
	const double *x = l->base + l->from;
	uint32_t n = l->base_n - l->from, best = 0;
	double low = base - HUBER * l->sd, high = head + HUBER * l->sd;
	double head_sum = 0, old_sum = 0, sum = 0, most = 0;
	double head_all =
		level_test_squares(l->head, l->head_n, low, high, &head_sum);
	double old_all = level_test_squares(x, n, low, high, &old_sum);
	double apart = level_test_about_mean(old_all, old_sum, n) +
		       level_test_about_mean(head_all, head_sum, l->head_n);
	double var = level_test_variance(&l->spread, l->head_n, 0) * l->head_n;

	uint32_t fewest = l->head_n < SINCE_UNITS ? l->head_n : SINCE_UNITS;
	for (uint32_t k = 1; k < n; k++) {
		double more = level_test_squares(x + n - k, 1, low, high, &sum);
		head_all += more;
		old_all -= more;
		double fit =
			level_test_about_mean(head_all, head_sum + sum,
				l->head_n + k) +
			level_test_about_mean(old_all, old_sum - sum, n - k);
		double better = (apart - fit) / var;
		double needed = k < l->head_n ? SINCE_BETTER_FEW : SINCE_BETTER;
		if (k >= fewest && better > fmax(most, needed)) {
			most = better;
			best = k;
		}
	}
	return best;
}

static double level_test_to_value(const struct level *l, double x)
{
	return l->q->scale > 0 ? x * l->q->scale : exp(x);
}

static double level_test_to_change(const struct level *l, double x)
{
	return l->q->scale > 0 ? x : expm1(x);
}

static bool level_test_decidable(const struct level *l)
{
	return isinf(l->q->floor.df) || (l->base_n > 1 && l->head_n > 1) ||
	       (l->head_n > 1 && l->q->floor.from == FLOOR_LEARNED);
}

/* Whether more units of the head can decide the test. */
static bool level_test_may_decide(const struct level *l)
{
	return isinf(l->q->floor.df) || l->base_n > 1 ||
	       l->q->floor.from == FLOOR_LEARNED;
}

/* Compares the head with the base's newest n units. */
static void level_test_compare(struct level *l, uint32_t n,
	struct level_test_result *out)
{
	double base = level_test_huber(l, l->base + l->base_n - n, n);
	double head = level_test_huber(l, l->head, l->head_n),
	       delta = head - base;
	double limit = l->q->scale > 0 ? l->q->limit : log1p(l->q->limit);
	double sd = sqrt(level_test_variance(&l->spread, l->head_n, n));
	double t = sd > 0 ? delta / sd : delta > 0 ? INFINITY : 0;
	double p = dist_t_p(t, l->spread.df) / 2;
	double half = sd * dist_t_quantile(0.975, fmax(1, l->spread.df));

	*out = (struct level_test_result){ level_test_to_value(l, base),
		level_test_to_value(l, head), level_test_to_change(l, delta),
		level_test_to_change(l, delta - half),
		level_test_to_change(l, delta + half), delta > 0 ? p : 1 - p,
		sqrt(level_test_variance(&l->spread, l->head_n, 0) * l->head_n),
		l->spread.df, .above = delta >= limit && delta > 0,
		.since = LEVEL_TEST_SINCE_NONE };
	out->shown =
		out->above && out->p <= l->q->alpha && level_test_decidable(l);
	if (out->above && !out->shown)
		out->needed =
			level_test_may_decide(l)
				? level_test_runs_needed(&l->spread, l->head_n,
					  n, delta, limit, l->q->alpha)
				: -1;
}

/* Where the base's newest stretch begins. */
static bool level_test_newest_stretch(struct level *l, struct arena *a)
{
	struct change_options o = CHANGE_OPTIONS;
	struct change_point *cuts;
	uint32_t n;

	o.seed = l->q->seed;
	if (!change_points_from(l->q->v.base, NULL, l->base_n, &o, a, &cuts,
		    &n))
		return false;
	l->from = n ? cuts[n - 1].at : 0;
	return true;
}

static void level_test_decide(struct level *l, struct level_test_result *out)
{
	struct level_test_result old, newest;

	level_test_compare(l, l->base_n - l->from, out);
	if (out->shown) {
		double base = level_test_huber(l, l->base + l->from,
			l->base_n - l->from);
		uint32_t k = level_test_since(l, base,
			level_test_huber(l, l->head, l->head_n));
		if (k)
			level_test_compare(l, k, &newest);
		/* If the head is slower than these units, too, it has a rise of
		 * its own. */
		if (k && !newest.shown) {
			*out = newest;
			out->since = l->base_n - k;
		}
	} else if (l->from) {
		level_test_compare(l, l->base_n, &old);
		if (old.above && !out->above)
			out->since = l->from;
	}
}

bool level_test(const struct level_test_input *q, struct arena *a,
	struct level_test_result *out)
{
	const struct gate_values *v = &q->v;
	uint32_t most = v->base_n > v->head_n ? v->base_n : v->head_n;
	double *base = arena_array(a, double, v->base_n);
	double *head = arena_array(a, double, v->head_n);
	struct level l = { .q = q,
		.base = base,
		.head = head,
		.scratch = arena_array(a, double, most),
		.groups = arena_array(a, double, most),
		.base_n = v->base_n,
		.head_n = v->head_n };

	assert(v->base_n && v->head_n);
	if (!base || !head || !l.scratch || !l.groups ||
		!level_test_newest_stretch(&l, a))
		return false;
	for (uint32_t i = 0; i < v->base_n; i++)
		base[i] =
			q->scale > 0 ? v->base[i] / q->scale : log(v->base[i]);
	for (uint32_t i = 0; i < v->head_n; i++)
		head[i] =
			q->scale > 0 ? v->head[i] / q->scale : log(v->head[i]);
	level_test_spread_from(&l);
	level_test_decide(&l, out);
	return true;
}
