/* level_test.c - levels, what they may be off by, and where a rise lies. */
#include "level_test.h"
#include "change_point.h"
#include "dist.h"
#include "gate_needed.h"
#include "order_stat.h"
#include <assert.h>
#include <math.h>
#include <string.h>

/* Huber's k: a value further out counts as that many deviations. */
#define HUBER 1.5
/* Of normal values his mean varies by so much more than theirs. */
#define HUBER_VARIANCE 1.037
/* A head's units vary by no more than so many times what the base's do. */
#define ODD 6.25
/* What units tell of their groups counts as so many observations beside what the
 * groups do; and so many of these there must be. */
#define GROUPS_DF 8.0
/* Where they differ by so many deviations of their logarithm, groups alone count. */
#define GROUPS_SURE 2.33
enum { GROUPS_MIN = 6 };
/* Squares, in units of the variance, by which earlier units must explain a rise
 * better than the head does; fewer of them than the head has need more. */
#define SINCE_BETTER 4.0
#define SINCE_BETTER_FEW 8.0
/* An odd unit or two are no level, where the head has more. */
enum { SINCE_UNITS = 3 };

struct level {
	const struct gate_level_asked *q;
	const double *base, *head; /* logarithms, or shares of the scale */
	double *scratch, *groups;
	uint32_t base_n, head_n, from; /* of the base's newest stretch */
	double sd; /* between units */
	struct gate_spread spread;
};

static double mean_of(const double *x, uint32_t n)
{
	double sum = 0;
	for (uint32_t i = 0; i < n; i++)
		sum += x[i];
	return sum / n;
}

/* Of one or two values their mean. */
static double huber(struct level *l, const double *x, uint32_t n)
{
	if (n < 3 || !(l->sd > 0))
		return mean_of(x, n);
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

/* What groups of the base as large as the head vary by, the newest backwards. */
static struct near groups(struct level *l)
{
	uint32_t n = l->base_n / l->head_n;

	for (uint32_t i = 0; i < n; i++)
		l->groups[n - 1 - i] = huber(l,
			l->base + l->base_n - (i + 1) * l->head_n, l->head_n);
	return near_from(l->groups, n);
}

static void spread_from(struct level *l)
{
	struct run_floor f = l->q->floor;
	struct near own[2] = { near_from(l->base, l->base_n),
		near_from(l->head, l->head_n) };

	floor_hear(&f, &own[0]);
	/* Two or three units of a head tell no odd one from the others. */
	own[1].variance = fmin(own[1].variance, ODD * f.sd * f.sd);
	floor_hear(&f, &own[1]);
	l->sd = f.sd;
	l->spread = (struct gate_spread){ .unit = f.sd * f.sd * HUBER_VARIANCE,
		.df = fmin(f.df, 1e9) };
	if (f.from == FLOOR_GIVEN || l->head_n < 2 ||
		l->base_n / l->head_n < GROUPS_MIN)
		return;
	struct near g = groups(l);
	double told = l->spread.unit / l->head_n, df = GROUPS_DF + g.df;
	double var = (GROUPS_DF * told + g.df * g.variance) / df;
	if (g.variance >
		told * exp(GROUPS_SURE * sqrt(2 / g.df + 2 / l->spread.df))) {
		var = g.variance;
		df = g.df;
	}
	if (var > told)
		l->spread.group = var - told;
	else
		l->spread.unit = var * l->head_n;
	l->spread.group_units = l->head_n;
	l->spread.df = fmin(l->spread.df, df);
}

/* Squares about the level that n values have. */
static double squares(const double *x, uint32_t n, double low, double high,
	double *sum)
{
	double all = 0;
	for (uint32_t i = 0; i < n; i++) {
		double v = fmin(fmax(x[i], low), high);
		all += v * v;
		*sum += v;
	}
	return all;
}

static double about(double all, double sum, uint32_t n)
{
	return all - sum * sum / n;
}

/* How many of the newest units go with the head rather than with those before
 * them; 0 none. */
static uint32_t alike(struct level *l, double base, double head)
{
	const double *x = l->base + l->from;
	uint32_t n = l->base_n - l->from, best = 0;
	double low = base - HUBER * l->sd, high = head + HUBER * l->sd;
	double head_sum = 0, old_sum = 0, sum = 0, most = 0;
	double head_all = squares(l->head, l->head_n, low, high, &head_sum);
	double old_all = squares(x, n, low, high, &old_sum);
	double apart = about(old_all, old_sum, n) +
		       about(head_all, head_sum, l->head_n);
	double var = gate_spread_of(&l->spread, l->head_n, 0) * l->head_n;

	uint32_t fewest = l->head_n < SINCE_UNITS ? l->head_n : SINCE_UNITS;
	for (uint32_t k = 1; k < n; k++) {
		double more = squares(x + n - k, 1, low, high, &sum);
		head_all += more;
		old_all -= more;
		double fit = about(head_all, head_sum + sum, l->head_n + k) +
			     about(old_all, old_sum - sum, n - k);
		double better = (apart - fit) / var;
		double least = k < l->head_n ? SINCE_BETTER_FEW : SINCE_BETTER;
		if (k >= fewest && better > fmax(most, least)) {
			most = better;
			best = k;
		}
	}
	return best;
}

static double level_to(const struct level *l, double x)
{
	return l->q->scale > 0 ? x * l->q->scale : exp(x);
}

static double change_to(const struct level *l, double x)
{
	return l->q->scale > 0 ? x : expm1(x);
}

static bool known(const struct level *l)
{
	return isinf(l->q->floor.df) || (l->base_n > 1 && l->head_n > 1) ||
	       (l->head_n > 1 && l->q->floor.from == FLOOR_LEARNT);
}

/* Could more units of the head ever tell? */
static bool tellable(const struct level *l)
{
	return isinf(l->q->floor.df) || l->base_n > 1 ||
	       l->q->floor.from == FLOOR_LEARNT;
}

/* The head against the base's newest n units. */
static void held(struct level *l, uint32_t n, struct gate_level *out)
{
	double base = huber(l, l->base + l->base_n - n, n);
	double head = huber(l, l->head, l->head_n), delta = head - base;
	double limit = l->q->scale > 0 ? l->q->limit : log1p(l->q->limit);
	double sd = sqrt(gate_spread_of(&l->spread, l->head_n, n));
	double t = sd > 0 ? delta / sd : delta > 0 ? INFINITY : 0;
	double p = dist_t_p(t, l->spread.df) / 2;
	double half = sd * dist_t_quantile(0.975, fmax(1, l->spread.df));

	*out = (struct gate_level){ level_to(l, base), level_to(l, head),
		change_to(l, delta), change_to(l, delta - half),
		change_to(l, delta + half), delta > 0 ? p : 1 - p,
		sqrt(gate_spread_of(&l->spread, l->head_n, 0) * l->head_n),
		l->spread.df, .above = delta >= limit && delta > 0,
		.since = GATE_SINCE_NONE };
	out->shown = out->above && out->p <= l->q->alpha && known(l);
	if (out->above && !out->shown)
		out->needed = tellable(l)
				      ? gate_needed(&l->spread, l->head_n, n,
						delta, limit, l->q->alpha)
				      : -1;
}

/* Where the base's newest stretch begins. */
static bool stretch(struct level *l, struct arena *a)
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

static void judge(struct level *l, struct gate_level *out)
{
	struct gate_level old, newest;

	held(l, l->base_n - l->from, out);
	if (out->shown) {
		double base = huber(l, l->base + l->from, l->base_n - l->from);
		uint32_t k = alike(l, base, huber(l, l->head, l->head_n));
		if (k)
			held(l, k, &newest);
		/* What is slower than those, too, is the head's all the same. */
		if (k && !newest.shown) {
			*out = newest;
			out->since = l->base_n - k;
		}
	} else if (l->from) {
		held(l, l->base_n, &old);
		if (old.above && !out->above)
			out->since = l->from;
	}
}

bool gate_level_from(const struct gate_level_asked *q, struct arena *a,
	struct gate_level *out)
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
	if (!base || !head || !l.scratch || !l.groups || !stretch(&l, a))
		return false;
	for (uint32_t i = 0; i < v->base_n; i++)
		base[i] =
			q->scale > 0 ? v->base[i] / q->scale : log(v->base[i]);
	for (uint32_t i = 0; i < v->head_n; i++)
		head[i] =
			q->scale > 0 ? v->head[i] / q->scale : log(v->head[i]);
	spread_from(&l);
	judge(&l, out);
	return true;
}
