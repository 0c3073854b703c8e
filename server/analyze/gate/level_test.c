/* level_test.c - tests whether the level of the head is above that of the base. */
#include "level_test.h"
#include "change_point.h"
#include "dist.h"
#include "noise_floor.h"
#include "order_stat.h"
#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

/* The variance of a run's value, and of a value that all runs of a commit share
 * in addition (0: none). */
struct level_test_spread {
	double unit, commit, df;
	double rho; /* between neighboring commits */
};

/* The variance of the difference between the levels of the head and the base is
 * unit / head runs + rest. */
struct level_test_gap {
	double unit, rest, df;
};

#define UNDECIDED_MOST 0.2
enum { UNITS_MAX = 1000 };

/* Huber's k: larger deviations from the mean are limited to this many standard
 * deviations. */
#define HUBER 1.5
/* For normal values, the variance of Huber's mean divided by that of the
 * mean. */
#define HUBER_VARIANCE 1.037
/* Squares of deviations are limited to this multiple of their variance, which is
 * estimated from the smallest four of five; and what of the variance of normal
 * values is left (successive_diff.c). */
#define ODD 6.25
#define ODD_LEFT 0.9775
#define SMALLEST 0.8
enum { ODD_MIN = 5 }; /* with fewer squares, four of five are not known */
/* The 75 % quantile of the normal distribution. The logarithm of a variance has
 * a variance of about 2 / df. */
#define POOL_Z 0.6745
/* Earlier units are not used if the variance of the base's commits is larger by more
 * than chance explains in 95 of 100 cases, or smaller in 999 of 1,000: too large
 * a variance only costs power. With lower limits than 0.05, more rises are found,
 * but noise that is new is noticed later. */
#define NOISIER_P 0.05
#define QUIETER_P 0.001
/* Below this many degrees of freedom, the default floor counts. */
#define DEFAULT_BELOW 8.0
/* The 95 % quantile of the normal distribution, and the fewest commits for an
 * autocorrelation. */
#define RHO_Z 1.645
#define RHO_MOST 0.95
enum { RHO_COMMITS = 8 };
/* By how much (sum of squares, in units of the variance) a rise before earlier
 * units must fit better than a rise before the head. If there are fewer such
 * units than the head has, they must fit even better. */
#define SINCE_BETTER 4.0
#define SINCE_BETTER_FEW 8.0
/* One or two unusual units are not a level if the head has more units. */
enum { SINCE_UNITS = 3 };

struct level_commit {
	uint32_t first, n; /* values of the side */
	double mean;
	double off; /* from the level of its segment */
};

/* Mean squares of some segments: of runs about their commit, and of commits about
 * their segment. */
struct level_squares {
	double within, within_df, between, between_df;
	double per_commit; /* the mean of 1 / n over the commits */
	uint32_t commits;
};

struct level {
	const struct level_test_input *q;
	/* Logarithms, or shares of the scale. The earlier units are first among
	 * those of the base. */
	double *base, *head;
	uint32_t *commit; /* of each unit of the base; NULL unknown */
	double *scratch, *sorted; /* for the values of both sides */
	uint32_t base_n, head_n;
	struct level_commit *commits; /* of the base, the oldest first */
	uint32_t commits_n, own; /* the first that is not earlier */
	uint32_t from, to; /* [from, to): of the reference segment */
	uint32_t *cuts; /* the first commit of each segment, and commits_n */
	uint32_t segments, earlier_segments;
	uint32_t used; /* the spread is that of the commits from here on */
	uint32_t compared_commits; /* level_test_result.commits */
	struct level_commit *head_commits; /* only first and n */
	uint32_t head_commits_n;
	struct level_test_spread spread;
};

static double level_test_normal(double x)
{
	return erfc(-x / sqrt(2)) / 2;
}

static double level_test_variance(const struct level_test_gap *g, uint32_t head)
{
	return g->unit / head + g->rest;
}

/* The total number of head units with which the test decides with a probability
 * of 0.8, if the head is now above the limit. Decided means shown to be higher,
 * or below the limit. It assumes that the level of additional units is close to
 * the present level. At least 2; -1 if a thousand units are too few. */
static int32_t level_test_runs_needed(const struct level_test_gap *g,
	uint32_t head, double delta, double limit, double alpha)
{
	double t = dist_t_quantile(1 - alpha, fmax(1, g->df));
	double now = level_test_variance(g, head);

	for (uint32_t n = head + 1; n <= UNITS_MAX; n++) {
		double then = level_test_variance(g, n);
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

static double level_test_mean_of(const double *x, uint32_t n)
{
	double sum = 0;
	for (uint32_t i = 0; i < n; i++)
		sum += x[i];
	return sum / n;
}

/* Huber's mean of runs whose standard deviation is sd; the plain mean of one or
 * two values. */
static double level_test_huber(struct level *l, const double *x, uint32_t n,
	double sd)
{
	if (n < 3 || !(sd > 0))
		return level_test_mean_of(x, n);
	memcpy(l->scratch, x, n * sizeof *x);
	double at = order_stat_median(l->scratch, n), reach = HUBER * sd;
	for (int turn = 0; turn < 50; turn++) {
		double sum = 0;
		for (uint32_t i = 0; i < n; i++)
			sum += fmin(fmax(x[i] - at, -reach), reach);
		at += sum / n;
		if (fabs(sum / n) < 1e-9 * sd)
			break;
	}
	return at;
}

/* The limit of n squares; INFINITY if there are too few to find it. Reorders
 * them. */
static double level_test_limit(double *squares, uint32_t n)
{
	if (n < ODD_MIN)
		return INFINITY;
	uint32_t at = (uint32_t)(SMALLEST * (n - 1));
	double p = (at + 0.625) / (n + 0.25);
	double z = dist_t_quantile((1 + p) / 2, INFINITY);
	return ODD * order_stat(squares, n, at) / (z * z);
}

/* The mean of n squares, of which each is limited. Reorders them. */
static double level_test_mean_square(double *squares, uint32_t n)
{
	double most = level_test_limit(squares, n), sum = 0;

	for (uint32_t i = 0; i < n; i++)
		sum += fmin(squares[i], most) / n;
	return isinf(most) ? sum : sum / ODD_LEFT;
}

/* The commits of the base, from labels; without labels by the size of the head,
 * from the end of each segment (values, n segments and the end). */
static void level_test_commits(struct level *l, const uint32_t *starts,
	uint32_t n)
{
	const uint32_t *of = l->commit;
	uint32_t segment = 0;

	for (uint32_t i = 0; i < l->base_n; i++) {
		segment += segment + 1 < n && i == starts[segment + 1];
		bool next =
			!i ||
			(of ? of[i] != of[i - 1]
			    : i == starts[segment] || (starts[segment + 1] -
							      i) % l->head_n ==
							      0);
		if (next)
			l->commits[l->commits_n++] =
				(struct level_commit){ .first = i };
		l->commits[l->commits_n - 1].n++;
	}
}

/* The squared distances of n runs of a commit from their median. The median of
 * an odd number is one of them, and is left out. Returns how many. */
static uint32_t level_test_squares(struct level *l, const double *x, uint32_t n,
	double *squares, double *median)
{
	uint32_t found = 0;
	bool skip = n % 2;

	memcpy(l->sorted, x, n * sizeof *x);
	*median = order_stat_median(l->sorted, n);
	for (uint32_t i = 0; i < n; i++) {
		double off = x[i] - *median;
		if (skip && off == 0)
			skip = false;
		else
			squares[found++] = off * off * (n == 2 ? 2 : 1);
	}
	return found;
}

/* The sum of squares of n runs about their mean, each run limited to a distance
 * from the median. */
static double level_test_clipped_squares(struct level *l, const double *x,
	uint32_t n, double median, double reach)
{
	double mean = 0, sum = 0;
	for (uint32_t i = 0; i < n; i++) {
		double off = fmin(fmax(x[i] - median, -reach), reach);
		l->sorted[i] = off;
		mean += off / n;
	}
	for (uint32_t i = 0; i < n; i++)
		sum += (l->sorted[i] - mean) * (l->sorted[i] - mean);
	return sum;
}

/* The i-th of some commits, which are those of [from, to), then those of the head.
 * Sets its values. */
static const struct level_commit *level_test_commit_at(const struct level *l,
	uint32_t i, uint32_t to, const double **x)
{
	const struct level_commit *c =
		i < to ? &l->commits[i] : &l->head_commits[i - to];
	*x = (i < to ? l->base : l->head) + c->first;
	return c;
}

/* The variance within the commits [from, to) and, if `head`, within the head; df 0:
 * no commit has two runs. */
static double level_test_within(struct level *l, uint32_t from, uint32_t to,
	bool head, double *df)
{
	uint32_t n = 0, runs = 0, end = to + (head ? l->head_commits_n : 0);
	double median, sum = 0;
	const double *x;

	for (uint32_t i = from; i < end; i++) {
		const struct level_commit *c =
			level_test_commit_at(l, i, to, &x);
		n += level_test_squares(l, x, c->n, l->scratch + n, &median);
		runs += c->n - 1;
	}
	*df = runs;
	if (!runs)
		return 0;
	double most = level_test_limit(l->scratch, n);
	for (uint32_t i = from; i < end; i++) {
		const struct level_commit *c =
			level_test_commit_at(l, i, to, &x);
		memcpy(l->sorted, x, c->n * sizeof *x);
		median = order_stat_median(l->sorted, c->n);
		/* The distance between two runs is twice that from their
		 * median. */
		double reach = sqrt(c->n == 2 ? most / 2 : most);
		sum += level_test_clipped_squares(l, x, c->n, median, reach);
	}
	return sum / runs / (isinf(most) ? 1 : ODD_LEFT);
}

/* The mean square of the commits of some segments about the median of their
 * segment. */
static double level_test_between(struct level *l, uint32_t first_segment,
	uint32_t end_segment, double *df)
{
	double *squares = l->scratch;
	uint32_t n = 0;

	*df = 0;
	for (uint32_t s = first_segment; s < end_segment; s++) {
		uint32_t from = l->cuts[s], k = l->cuts[s + 1] - from;
		for (uint32_t i = 0; i < k; i++)
			squares[n + i] = l->commits[from + i].mean;
		double mid = order_stat_median(squares + n, k);
		for (uint32_t i = 0; i < k; i++)
			l->commits[from + i].off =
				l->commits[from + i].mean - mid;
		for (uint32_t i = 0; k > 1 && i < k; i++) {
			double off = l->commits[from + i].off;
			squares[n++] = off * off * k / (k - 1);
		}
		*df += k - 1;
	}
	return n ? level_test_mean_square(squares, n) : 0;
}

/* Sets the means of the commits of some segments. */
static struct level_squares level_test_squares_of(struct level *l,
	uint32_t first_segment, uint32_t end_segment, bool head)
{
	uint32_t from = l->cuts[first_segment], to = l->cuts[end_segment];
	struct level_squares q = { .commits = to - from };

	q.within = level_test_within(l, from, to, head, &q.within_df);
	for (uint32_t i = from; i < to; i++) {
		struct level_commit *c = &l->commits[i];
		c->mean = level_test_huber(l, l->base + c->first, c->n,
			sqrt(q.within));
		q.per_commit += 1.0 / c->n / q.commits;
	}
	q.between = level_test_between(l, first_segment, end_segment,
		&q.between_df);
	return q;
}

static double level_test_pooled(double a, double a_df, double b, double b_df)
{
	return a_df + b_df > 0 ? (a * a_df + b * b_df) / (a_df + b_df) : 0;
}

/* Whether the commits of the base differ about as much as earlier ones. */
static bool level_test_as_noisy(const struct level_squares *own,
	const struct level_squares *earlier)
{
	if (!(own->between_df > 0 && earlier->between_df > 0))
		return true;
	double p = dist_f_p(own->between / earlier->between, own->between_df,
		earlier->between_df);
	return p >= NOISIER_P && p <= 1 - QUIETER_P;
}

/* The mean squares of the base and the head, with those of the earlier units if
 * these are as noisy. Sets l->used. */
static struct level_squares level_test_all_squares(struct level *l)
{
	struct level_squares q = level_test_squares_of(l, l->earlier_segments,
		l->segments, true);

	l->used = l->own;
	if (!l->earlier_segments)
		return q;
	const struct level_squares e =
		level_test_squares_of(l, 0, l->earlier_segments, false);
	if (!(e.within_df + e.between_df > 0) || !level_test_as_noisy(&q, &e))
		return q;
	l->used = 0;
	return (struct level_squares){ level_test_pooled(q.within, q.within_df,
					       e.within, e.within_df),
		q.within_df + e.within_df,
		level_test_pooled(q.between, q.between_df, e.between,
			e.between_df),
		q.between_df + e.between_df,
		level_test_pooled(q.per_commit, q.commits, e.per_commit,
			e.commits),
		q.commits + e.commits };
}

/* The sum of the autocorrelations of k values, 1 + 2 Σ (1 - j / k) ρ^j. */
static double level_test_tau(double rho, uint32_t k)
{
	double tau = 1, power = 1;
	for (uint32_t j = 1; j < k && rho > 0; j++) {
		power *= rho;
		tau += 2 * (1 - (double)j / k) * power;
	}
	return tau;
}

/* The autocorrelation of neighboring commits; 0 if it is not significant. All
 * segments are used if the caller found them or if there are earlier ones: they
 * are many, and the reference may be short. */
static double level_test_rho(const struct level *l, double between)
{
	bool all_of_them = l->q->starts || l->used < l->own;
	uint32_t first = all_of_them ? 0 : l->from, n = l->commits_n - first;
	const struct level_commit *c = l->commits + first;
	double most = sqrt(ODD * between), sum = 0, all = 0, mean = 0;

	if (n < RHO_COMMITS || !(between > 0))
		return 0;
	for (uint32_t i = 0; i < n; i++)
		mean += fmin(fmax(c[i].off, -most), most) / n;
	for (uint32_t i = 0; i < n; i++) {
		double x = fmin(fmax(c[i].off, -most), most) - mean;
		all += x * x;
		if (i)
			sum += x *
			       (fmin(fmax(c[i - 1].off, -most), most) - mean);
	}
	double r = all > 0 ? sum / all : 0;
	if (r < RHO_Z / sqrt(n) - 1.0 / n)
		return 0;
	return fmin((n * r + 1) / (n - 3.0), RHO_MOST);
}

/* By how much successive commits that are correlated make the mean square about
 * the level of a segment too small. */
static double level_test_shrunk(const struct level *l, double rho)
{
	double df = 0, left = 0;

	for (uint32_t s = 0; s < l->segments; s++) {
		uint32_t k = l->cuts[s + 1] - l->cuts[s];
		if (l->cuts[s] < l->used)
			continue;
		df += k - 1;
		left += fmax(k - level_test_tau(rho, k), 0);
	}
	return fmax(left, 1) / fmax(df, 1);
}

static bool level_test_given(const struct level *l)
{
	return !isnan(l->q->floor);
}

/* Whether commits differ by more than their runs explain. */
static bool level_test_commits_differ(const struct level_squares *q)
{
	double ratio = q->between / (q->within * q->per_commit);
	return !(q->between_df > 0 && q->within_df > 0) ||
	       log(ratio) > POOL_Z * sqrt(2 / q->between_df + 2 / q->within_df);
}

static struct level_test_spread level_test_split(const struct level_squares *q)
{
	double per = q->per_commit;

	if (!level_test_commits_differ(q)) {
		double unit = level_test_pooled(q->within, q->within_df,
			q->between / per, q->between_df);
		return (struct level_test_spread){ unit, 0,
			q->within_df + q->between_df, 0 };
	}
	if (!(q->between_df > 0))
		return (struct level_test_spread){ q->within, 0, q->within_df,
			0 };
	double unit = q->between / per;
	if (q->within_df > 0)
		unit = fmin(unit, q->within);
	return (struct level_test_spread){ unit,
		fmax(q->between - unit * per, 0), q->between_df, 0 };
}

/* Changes the spread if neighboring commits are correlated. Runs of a commit are
 * not independent of each other then either. */
static void level_test_correlate(struct level *l, const struct level_squares *q)
{
	struct level_test_spread *s = &l->spread;
	double rho = level_test_rho(l, q->between), per = q->per_commit;

	if (!(rho > 0))
		return;
	double more =
		fmax(q->between, s->unit * per) / level_test_shrunk(l, rho);
	s->unit = fmin(s->unit, more / per);
	s->commit = fmax(more - s->unit * per, 0);
	s->rho = rho;
	s->df = fmax(1,
		fmin(s->df,
			q->commits * (1 - rho * rho) / (1 + rho * rho) - 1));
}

static void level_test_spread_from(struct level *l)
{
	const double by_default =
		NOISE_FLOOR_DEFAULT_SD * NOISE_FLOOR_DEFAULT_SD;
	struct level_squares q = level_test_all_squares(l);

	l->compared_commits = (uint32_t)q.between_df + 1;
	if (level_test_given(l)) {
		l->used = l->own;
		l->spread =
			(struct level_test_spread){ l->q->floor * l->q->floor,
				0, INFINITY, 0 };
		return;
	}
	/* A large variance within the head may be its only outlier. */
	if (q.within_df == l->head_n - l->head_commits_n && q.between_df > 0)
		q.within = fmin(q.within, ODD * q.between / q.per_commit);
	double df = DEFAULT_BELOW - q.within_df - q.between_df;
	df = fmin(fmax(df, 0), NOISE_FLOOR_DEFAULT_DF);
	q.within = level_test_pooled(q.within, q.within_df, by_default, df);
	q.within_df += df;
	l->spread = level_test_split(&q);
	level_test_correlate(l, &q);
}

static double level_test_commit_variance(const struct level *l, uint32_t runs)
{
	return l->spread.unit / runs + l->spread.commit;
}

/* The level of the reference segment's commits from `from` on: Huber's mean of
 * their runs; if commits differ, of commits, weighted by precision. *variance is
 * that of the level. */
static double level_test_base(struct level *l, uint32_t from, double *variance)
{
	const struct level_commit *c = l->commits + from;
	uint32_t k = l->to - from;
	uint32_t end =
		l->to < l->commits_n ? l->commits[l->to].first : l->base_n;
	uint32_t runs = end - c->first;
	double weights = 0;

	if (!(l->spread.commit > 0) && !(l->spread.rho > 0)) {
		*variance =
			l->spread.unit / runs * (runs > 2 ? HUBER_VARIANCE : 1);
		return level_test_huber(l, l->base + c->first, runs,
			sqrt(l->spread.unit));
	}
	for (uint32_t i = 0; i < k; i++) {
		l->scratch[i] = c[i].mean;
		weights += 1 / level_test_commit_variance(l, c[i].n);
	}
	*variance = 1 / weights;
	double sd = sqrt(*variance), at = order_stat_median(l->scratch, k);
	for (int turn = 0; turn < 50; turn++) {
		double sum = 0;
		for (uint32_t i = 0; i < k; i++) {
			double var = level_test_commit_variance(l, c[i].n);
			double reach = k < 3 ? INFINITY : HUBER * sqrt(var);
			sum += fmin(fmax(c[i].mean - at, -reach), reach) / var;
		}
		at += sum / weights;
		if (fabs(sum / weights) < 1e-9 * sd)
			break;
	}
	if (k >= 3)
		*variance *= HUBER_VARIANCE;
	return at;
}

/* The variance of the head's level if each commit has a variance of 1: the sum of
 * squares of the commits' shares of the head's runs. */
static double level_test_head_share(const struct level *l)
{
	const uint32_t *of = l->q->head_commit;
	uint32_t pairs = 0; /* of runs of one commit */

	for (uint32_t i = 0; i < l->head_n; i++)
		for (uint32_t k = 0; k < l->head_n; k++)
			pairs += !of || of[i] == of[k];
	return (double)pairs / ((double)l->head_n * l->head_n);
}

static struct level_test_gap level_test_gap_of(const struct level *l,
	uint32_t commits, double base_variance)
{
	double rho = l->spread.rho, tau = level_test_tau(rho, commits),
	       shared = rho > 0 ? rho * (1 - pow(rho, commits)) / (1 - rho) : 0;

	/* What the head has in common with the newest commits, which other
	 * segments are not. */
	if (l->q->starts)
		shared = 0;
	double base = base_variance * fmax(tau - 2 * shared, 0);
	return (struct level_test_gap){
		l->spread.unit * (l->head_n > 2 ? HUBER_VARIANCE : 1),
		l->spread.commit * level_test_head_share(l) + base, l->spread.df
	};
}

static double level_test_head(struct level *l)
{
	return level_test_huber(l, l->head, l->head_n, sqrt(l->spread.unit));
}

/* The sum of squares and the sum of n values, each limited to [low, high]. */
struct level_sums {
	double weight, sum, squares;
};

static void level_test_sums_add(struct level_sums *s, double x, double weight)
{
	s->weight += weight;
	s->sum += weight * x;
	s->squares += weight * x * x;
}

static double level_test_about_mean(const struct level_sums *a, double sign,
	const struct level_sums *b)
{
	double weight = a->weight + sign * b->weight,
	       sum = a->sum + sign * b->sum;
	return a->squares + sign * b->squares - sum * sum / weight;
}

/* How many of the base's newest commits belong to the head's level rather than
 * to the commits before them; 0 none. */
static uint32_t level_test_since(struct level *l, double base, double head)
{
	uint32_t n = l->commits_n - l->from, best = 0, runs = 0;
	uint32_t fewest = l->head_n < SINCE_UNITS ? l->head_n : SINCE_UNITS;
	struct level_sums head_sums = { 0 }, old = { 0 }, moved = { 0 };
	const struct level_commit *c = l->commits + l->from;
	double most = 0;

	for (uint32_t i = 0; i < n; i++) {
		double var = level_test_commit_variance(l, c[i].n);
		double reach = HUBER * sqrt(var);
		level_test_sums_add(&old,
			fmin(fmax(c[i].mean, base - reach), head + reach),
			1 / var);
	}
	level_test_sums_add(&head_sums, head,
		1 / (l->spread.unit / l->head_n +
			    l->spread.commit * level_test_head_share(l)));
	struct level_sums none = { 0 };
	double apart = level_test_about_mean(&old, 1, &none);
	for (uint32_t k = 1; k < n; k++) {
		const struct level_commit *at = &c[n - k];
		double var = level_test_commit_variance(l, at->n);
		double reach = HUBER * sqrt(var);
		level_test_sums_add(&moved,
			fmin(fmax(at->mean, base - reach), head + reach),
			1 / var);
		runs += at->n;
		double fit = level_test_about_mean(&head_sums, 1, &moved) +
			     level_test_about_mean(&old, -1, &moved);
		double better = apart - fit;
		double needed =
			runs < l->head_n ? SINCE_BETTER_FEW : SINCE_BETTER;
		if (runs >= fewest && better > fmax(most, needed)) {
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

/* Whether more units of the head can decide the test. */
static bool level_test_may_decide(const struct level *l)
{
	return level_test_given(l) || l->q->v.base_n > 1 || l->used < l->own;
}

static bool level_test_decidable(const struct level *l)
{
	if (l->head_n < 2 && !level_test_given(l))
		return l->commits_n - l->own >= LEVEL_TEST_ONE_RUN_COMMITS;
	return level_test_may_decide(l);
}

/* The probability of a run so far above the base's level, from the runs whose
 * spread is used. */
static double level_test_tail(const struct level *l, double delta)
{
	double most = 0, above = 0, k = l->commits_n - l->used;

	for (uint32_t i = l->used; i < l->commits_n; i++) {
		const struct level_commit *c = &l->commits[i];
		for (uint32_t r = 0; r < c->n; r++) {
			double off = l->base[c->first + r] - c->mean + c->off;
			above += off >= delta ? 1.0 / c->n : 0;
			most = fmax(most, off);
		}
	}
	double beyond = above > 0 ? above + 1 : pow(most / delta, 3);
	return fmin(1, beyond / (k + 1));
}

/* Compares the head with the base's newest commits from `from` on. */
static void level_test_compare(struct level *l, uint32_t from,
	struct level_test_result *out)
{
	double variance, base = level_test_base(l, from, &variance);
	double head = level_test_head(l), delta = head - base;
	double limit = l->q->scale > 0 ? l->q->limit : log1p(l->q->limit);
	struct level_test_gap g = level_test_gap_of(l, l->to - from, variance);
	double sd = sqrt(level_test_variance(&g, l->head_n));
	double t = sd > 0 ? delta / sd : delta > 0 ? INFINITY : 0;
	double p = dist_t_p(t, g.df) / 2;
	double half = sd * dist_t_quantile(0.975, fmax(1, g.df));

	p = delta > 0 ? p : 1 - p;
	if (l->head_n == 1 && delta > 0 && !level_test_given(l))
		p = fmax(p, level_test_tail(l, delta));
	*out = (struct level_test_result){ level_test_to_value(l, base),
		level_test_to_value(l, head), level_test_to_change(l, delta),
		level_test_to_change(l, delta - half),
		level_test_to_change(l, delta + half), p,
		sqrt(level_test_commit_variance(l, l->head_n) * l->head_n),
		g.df, .above = delta >= limit && delta > 0,
		.since = LEVEL_TEST_SINCE_NONE };
	out->shown =
		out->above && out->p <= l->q->alpha && level_test_decidable(l);
	if (out->above && !out->shown)
		out->needed =
			level_test_may_decide(l)
				? level_test_runs_needed(&g, l->head_n, delta,
					  limit, l->q->repeat_alpha)
				: -1;
}

/* Adds the first value of each segment of n values to l->cuts. `offset` is the
 * position of the first value among those of the base. */
static bool level_test_cut(struct level *l, const double *v,
	const uint32_t *commit, uint32_t n, uint32_t offset, double alpha,
	struct arena *a)
{
	struct change_options o = CHANGE_OPTIONS;
	struct change_point *points = NULL;
	uint32_t points_n = 0;

	o.seed = l->q->seed;
	o.alpha = alpha;
	if (!change_points_from(v, commit, n, &o, a, &points, &points_n))
		return false;
	l->cuts[l->segments++] = offset;
	for (uint32_t i = 0; i < points_n; i++)
		l->cuts[l->segments++] = offset + points[i].at;
	return true;
}

/* The first value of each segment, and base_n at the end. */
static bool level_test_cuts(struct level *l, struct arena *a)
{
	const struct level_test_input *q = l->q;
	const struct level_earlier *e = &q->earlier;

	for (uint32_t i = 0; q->starts && i < q->starts_n; i++)
		l->cuts[l->segments++] = q->starts[i];
	if (e->n && !level_test_cut(l, e->v, l->commit, e->n, 0,
			    LEVEL_TEST_EARLIER_CUT_ALPHA, a))
		return false;
	l->earlier_segments = q->starts ? 0 : l->segments;
	if (!q->starts && !level_test_cut(l, q->v.base,
				  l->commit ? l->commit + e->n : NULL,
				  q->v.base_n, e->n, LEVEL_TEST_CUT_ALPHA, a))
		return false;
	l->cuts[l->segments] = l->base_n;
	return true;
}

/* Finds the segments of the base, then its commits. False if the arena is full. */
static bool level_test_segments(struct level *l, struct arena *a)
{
	if (!level_test_cuts(l, a))
		return false;
	level_test_commits(l, l->cuts, l->segments);
	for (uint32_t s = 0, c = 0; s < l->segments; s++) {
		while (l->commits[c].first < l->cuts[s])
			c++;
		l->cuts[s] = c;
	}
	l->cuts[l->segments] = l->commits_n;
	uint32_t at = l->q->starts ? l->q->reference : l->segments - 1;
	l->own = l->cuts[l->earlier_segments];
	l->from = l->cuts[at];
	l->to = l->cuts[at + 1];
	return true;
}

/* The unit of the base at which a commit starts. */
static uint32_t level_test_unit(const struct level *l, uint32_t commit)
{
	return l->commits[commit].first - l->q->earlier.n;
}

static void level_test_decide(struct level *l, struct level_test_result *out)
{
	struct level_test_result old, newest;
	double variance;

	level_test_compare(l, l->from, out);
	if (l->q->starts)
		return;
	if (out->shown) {
		uint32_t k = level_test_since(l,
			level_test_base(l, l->from, &variance),
			level_test_head(l));
		if (k)
			level_test_compare(l, l->commits_n - k, &newest);
		/* If the head is slower than these units, too, it has a rise of
		 * its own. */
		if (k && !newest.shown) {
			*out = newest;
			out->since = level_test_unit(l, l->commits_n - k);
		}
	} else if (l->from > l->own) {
		level_test_compare(l, l->own, &old);
		if (old.above && !out->above)
			out->since = level_test_unit(l, l->from);
	}
}

static void level_test_transform(double *x, const double *v, uint32_t n,
	double scale)
{
	for (uint32_t i = 0; i < n; i++)
		x[i] = scale > 0 ? v[i] / scale : log(v[i]);
}

/* Sorts the values of the head by their commits. */
static void level_test_head_by_commit(struct level *l)
{
	const uint32_t *of = l->q->head_commit;
	uint32_t sorted = 0;

	memcpy(l->sorted, l->head, l->head_n * sizeof *l->head);
	for (uint32_t i = 0; i < l->head_n; i++) {
		uint32_t k = 0;
		while (of ? of[k] != of[i] : k)
			k++;
		if (k < i)
			continue; /* of a commit that is sorted */
		struct level_commit *c = &l->head_commits[l->head_commits_n++];
		c->first = sorted;
		for (; k < l->head_n; k++)
			if (!of || of[k] == of[i])
				l->head[sorted++] = l->sorted[k];
		c->n = sorted - c->first;
	}
}

/* Numbers the commits of the earlier units and of the base. */
static bool level_test_number(struct level *l, struct arena *a)
{
	const struct level_test_input *q = l->q;
	uint32_t n = q->earlier.n,
		 first = n && q->earlier.commit ? q->earlier.commit[n - 1] + 1
						: 0;

	if (!q->base_commit)
		return true;
	l->commit = arena_array(a, uint32_t, l->base_n);
	for (uint32_t i = 0; l->commit && i < l->base_n; i++)
		l->commit[i] = i < n ? q->earlier.commit[i]
				     : first + q->base_commit[i - n];
	return l->commit;
}

bool level_test(const struct level_test_input *q, struct arena *a,
	struct level_test_result *out)
{
	const struct gate_values *v = &q->v;
	uint32_t earlier = q->earlier.n, base_n = earlier + v->base_n;
	size_t all = (size_t)base_n + v->head_n;
	struct level l = { .q = q,
		.base = arena_array(a, double, base_n),
		.head = arena_array(a, double, v->head_n),
		.scratch = arena_array(a, double, all),
		.sorted = arena_array(a, double, all),
		.commits = arena_array(a, struct level_commit, base_n),
		.cuts = arena_array(a, uint32_t, (size_t)base_n + 2),
		.head_commits = arena_array(a, struct level_commit, v->head_n),
		.base_n = base_n,
		.head_n = v->head_n };

	assert(v->base_n && v->head_n);
	assert(!q->starts ||
		(q->starts_n && q->reference < q->starts_n && !earlier));
	assert(!earlier || !q->base_commit || q->earlier.commit);
	if (!l.base || !l.head || !l.scratch || !l.sorted || !l.commits ||
		!l.cuts || !l.head_commits || !level_test_number(&l, a) ||
		!level_test_segments(&l, a))
		return false;
	level_test_transform(l.base, q->earlier.v, earlier, q->scale);
	level_test_transform(l.base + earlier, v->base, v->base_n, q->scale);
	level_test_transform(l.head, v->head, v->head_n, q->scale);
	level_test_head_by_commit(&l);
	level_test_spread_from(&l);
	level_test_decide(&l, out);
	out->earlier = l.used < l.own ? earlier : 0;
	out->commits = level_test_given(&l) ? 0 : l.compared_commits;
	return true;
}
