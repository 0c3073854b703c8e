/* verdict.c - decides which rows of two sides changed. */
#include "verdict.h"
#include "common_factor.h"
#include "dist.h"
#include "order_stat.h"
#include "permutation_test.h"
#include "sort.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Every row is tested twice: as measured, and divided by the factor that all
 * kernels share. The permutation test gives a family-wise p for the divided
 * times. A row with a small p must also differ as measured, with alpha divided
 * among all such rows. So after a change of clocks, neither the kernels that
 * follow the clocks nor those that do not are reported as changed. */

static bool verdict_all_equal(const double *x, uint32_t n, double to)
{
	for (uint32_t i = 0; i < n; i++)
		if (x[i] != to)
			return false;
	return true;
}

/* There are two random variances. The variance between iterations is measured
 * by blocks (`var`). The variance between runs is given by the noise floor
 * (`run_var`). Each has its own degrees of freedom. The variance between
 * iterations is moderated: a prior with the weight of `prior_df` blocks is
 * added, so that a few blocks that agree by chance are not evidence. */

/* The minimum variance, as a share of the blocks' variance, so that rounding
 * errors are not evidence. */
#define CONTRAST_MIN_VARIANCE 1e-5

static double verdict_contrast_variance(const double *v, uint32_t n,
	double mean)
{
	double sum = 0;
	for (uint32_t i = 0; i < n; i++)
		sum += (v[i] - mean) * (v[i] - mean);
	return n > 1 ? sum / (n - 1) : 0;
}

static double verdict_mean_of(const double *v, uint32_t n)
{
	double sum = 0;
	for (uint32_t i = 0; i < n; i++)
		sum += v[i];
	return sum / n;
}

/* Fills all but the moderated part from the blocks' means. */
static struct contrast verdict_contrast_of(const double *means,
	const struct blocks *b)
{
	const double *head = means + b->base_n;
	uint32_t all = b->base_n + b->head_n;
	struct contrast c = { .base = verdict_mean_of(means, b->base_n),
		.head = verdict_mean_of(head, b->head_n) };

	c.delta = c.head - c.base;
	c.mean = (c.head + c.base) / 2;
	c.sd = sqrt(verdict_contrast_variance(means, all,
		verdict_mean_of(means, all)));
	/* If all values are equal, this is only a rounding error. */
	if (c.sd <= 1e-12 * fabs(c.mean))
		c.sd = c.delta = 0;
	c.within = b->widen * b->widen *
		   (verdict_contrast_variance(means, b->base_n, c.base) /
				   b->base_n +
			   verdict_contrast_variance(head, b->head_n, c.head) /
				   b->head_n);
	return c;
}

/* Mixes the prior into the variance; prior, prior_df and min_var are set. */
static void verdict_contrast_moderate(struct contrast *c,
	const struct blocks *b)
{
	double df = blocks_df(b);
	double units = 1.0 / b->base_n + 1.0 / b->head_n;

	c->min_var =
		fmax(c->min_var, CONTRAST_MIN_VARIANCE * c->sd * c->sd * units);
	c->df = df + c->prior_df;
	c->var = fmax(c->min_var,
		(df * c->within + c->prior_df * c->prior) / c->df);
}

static double verdict_contrast_p_of(double delta, double var, double df)
{
	if (var > 0)
		return dist_t_p(delta / sqrt(var), df);
	return delta == 0 ? 1 : 0;
}

/* The p of the difference without a run effect: for these two processes
 * only. */
static double verdict_contrast_noise_p(const struct contrast *c)
{
	return verdict_contrast_p_of(c->delta, c->var, c->df);
}

/* Two-sided p of a difference as far from 0, by Student's t: at least the p of
 * iterations alone and at least that of runs alone. */
double verdict_contrast_p(const struct contrast *c)
{
	double all = c->var + c->run_var;
	if (!(all > 0) || c->run_var == 0)
		return verdict_contrast_noise_p(c);
	double df =
		all * all /
		(c->var * c->var / c->df + c->run_var * c->run_var / c->run_df);
	double p =
		verdict_contrast_p_of(c->delta, all, df > 0 ? df : c->run_df);
	p = fmax(p, verdict_contrast_noise_p(c));
	return fmax(p, verdict_contrast_p_of(c->delta, c->run_var, c->run_df));
}

static double verdict_contrast_noise_half(const struct contrast *c)
{
	return dist_t_quantile(0.975, c->df) * sqrt(c->var);
}

/* Half the width of the 95 % interval. `half` is that of chance between
 * iterations; verdict_contrast_noise_half() returns the one of Student's t. */
double verdict_contrast_half(const struct contrast *c, double half)
{
	if (c->run_var == 0)
		return half;
	double t = dist_t_quantile(0.975, fmax(1, c->run_df));
	return sqrt(half * half + t * t * c->run_var);
}

/* Iterations grouped into blocks that can be exchanged.
 *
 * Iterations of one process are correlated with their neighbors, so single
 * iterations cannot be exchanged. A block is a sequence of consecutive
 * iterations of one unit, so long that there is little correlation between
 * blocks. The lengths of blocks differ by at most one iteration. If units are
 * exchanged, each unit is one block.
 *
 * The length is computed from the autocorrelation of times per iteration. The
 * median over the rows with the most time is used, so that one unusual row does
 * not decide the length for all. The correlations of the lags are summed until
 * they are small. */

enum {
	BLOCKS_LAG_MAX = 64,
	BLOCKS_MIN = 5, /* per side, if it has enough iterations */
	BLOCKS_MAX = 40, /* of the smaller side: more would only cost time */
};

struct blocks_lag {
	uint32_t n; /* lags that count */
	double rho[BLOCKS_LAG_MAX + 1]; /* rho[0] is 1 */
};

/* The sum ends at the first correlation below BLOCKS_LAG_MIN_RHO. An inflation
 * up to the second limit is accepted and corrected, because fewer blocks would
 * reduce the power of the test more. */
#define BLOCKS_LAG_MIN_RHO 0.05
#define BLOCKS_MAX_INFLATION 1.25
enum {
	BLOCKS_LAG_ROWS_MAX = 64,
	BLOCKS_LAG_WORK = 1 << 20,
	BLOCKS_LAG_ITERATIONS_MIN = 6
};

/* Σ e_t e_(t+k) of one side into sums[k], e from the mean of each unit. */
static void verdict_blocks_lag_add(const struct verdict_side *side,
	const double *x, const double *factor, uint32_t lags, double *e,
	double *sums)
{
	uint32_t at = 0;
	for (uint32_t u = 0; u < side->units; u++) {
		uint32_t n = side->iterations[u];
		double mean = 0;
		for (uint32_t i = 0; i < n; i++) {
			e[i] = factor ? x[at + i] / factor[at + i] : x[at + i];
			mean += e[i] / n;
		}
		for (uint32_t i = 0; i < n; i++)
			e[i] -= mean;
		for (uint32_t k = 0; k <= lags && k < n; k++)
			for (uint32_t i = 0; i + k < n; i++)
				sums[k] += e[i] * e[i + k];
		at += n;
	}
}

/* Selects the rows with the most time; fewer if there are very many
 * iterations. */
static uint32_t verdict_blocks_lag_rows(const struct verdict_input *in,
	const struct change *means, double *scratch, uint32_t *rows)
{
	uint32_t n = 0,
		 most = BLOCKS_LAG_WORK / (in->base.n + in->head.n + 1) + 8;
	double min_ns = 0;

	most = most < BLOCKS_LAG_ROWS_MAX ? most : BLOCKS_LAG_ROWS_MAX;
	for (uint32_t i = 0; i < in->n; i++)
		scratch[i] = means[i].base_ns + means[i].head_ns;
	if (in->n > most)
		min_ns = order_stat(scratch, in->n, in->n - most);
	for (uint32_t i = 0; i < in->n && n < most; i++)
		if (means[i].base_ns + means[i].head_ns >= min_ns)
			rows[n++] = i;
	return n;
}

/* Takes medians over rows. Estimating the mean lowers every correlation by
 * inflation / n; that is added back. */
static void verdict_blocks_lag_settle(double *by_row, uint32_t rows,
	uint32_t lags, double iterations, struct blocks_lag *out)
{
	double total = 1;
	double raw[BLOCKS_LAG_MAX + 1];
	for (uint32_t k = 1; k <= lags; k++)
		raw[k] = order_stat_median(by_row + (size_t)k * rows, rows);
	for (int turn = 0; turn < 3; turn++) {
		double back = fmin(0.5, total / iterations), sum = 1;
		out->n = 0;
		for (uint32_t k = 1; k <= lags; k++) {
			double rho = raw[k] * (1 - back) + back;
			if (rho < BLOCKS_LAG_MIN_RHO)
				break;
			out->rho[k] = fmin(rho, 0.99);
			out->n = k;
			sum += 2 * out->rho[k];
		}
		total = sum;
	}
}

static uint32_t verdict_blocks_longest_unit(const struct verdict_side *s)
{
	uint32_t most = 0;
	for (uint32_t u = 0; u < s->units; u++)
		most = s->iterations[u] > most ? s->iterations[u] : most;
	return most;
}

/* The autocorrelation of both sides. Kernels are divided by the common factor if
 * that was estimated. False if the arena is full. */
static bool verdict_blocks_lag_from(const struct verdict_input *in,
	const struct change *means, const struct common_estimate *c,
	struct arena *a, struct blocks_lag *out)
{
	uint32_t units = in->base.units + in->head.units;
	uint32_t base = verdict_blocks_longest_unit(&in->base),
		 head = verdict_blocks_longest_unit(&in->head);
	double iterations = (double)(in->base.n + in->head.n) / units;
	uint32_t lags = (base < head ? base : head) / 3, filled = 0;
	double *e = arena_array(a, double, base > head ? base : head);
	double *scratch = arena_array(a, double, in->n + 1);
	uint32_t *rows = arena_array(a, uint32_t, in->n + 1);

	*out = (struct blocks_lag){ .rho = { 1 } };
	if (!e || !scratch || !rows)
		return false;
	lags = lags < BLOCKS_LAG_MAX ? lags : BLOCKS_LAG_MAX;
	uint32_t n = verdict_blocks_lag_rows(in, means, scratch, rows);
	double *by_row = arena_array(a, double, (size_t)(lags + 1) * (n + 1));
	if (!by_row)
		return false;
	if (iterations < BLOCKS_LAG_ITERATIONS_MIN)
		return true;
	for (uint32_t i = 0; i < n; i++) {
		const struct verdict_row *r = &in->rows[rows[i]];
		bool freed = verdict_freed(r) && c->known;
		double sums[BLOCKS_LAG_MAX + 1] = { 0 };
		verdict_blocks_lag_add(&in->base, r->base,
			freed ? c->free_base : NULL, lags, e, sums);
		verdict_blocks_lag_add(&in->head, r->head,
			freed ? c->free_head : NULL, lags, e, sums);
		for (uint32_t k = 0; sums[0] > 0 && k <= lags; k++)
			by_row[(size_t)k * n + filled] = sums[k] / sums[0];
		filled += sums[0] > 0;
	}
	/* Each column has room for n values; only the first `filled` are
	 * set. */
	for (uint32_t k = 1; k <= lags; k++)
		for (uint32_t i = 0; i < filled; i++)
			by_row[(size_t)k * filled + i] =
				by_row[(size_t)k * n + i];
	if (filled)
		verdict_blocks_lag_settle(by_row, filled, lags, iterations,
			out);
	return true;
}

static double verdict_blocks_lag_inflation(const struct blocks_lag *l,
	uint32_t length)
{
	double sum = 1;
	for (uint32_t k = 1; k <= l->n && k < length; k++)
		sum += 2 * (1 - (double)k / length) * l->rho[k];
	return sum;
}

/* The factor (at least 1) by which the correlation between blocks of `length`
 * increases standard deviations. */
static double verdict_blocks_widen(const struct blocks_lag *l, uint32_t length)
{
	double all = 1;
	for (uint32_t k = 1; k <= l->n; k++)
		all += 2 * l->rho[k];
	return sqrt(fmax(1, all / verdict_blocks_lag_inflation(l, length)));
}

/* Iterations per block: enough that little correlation is left between blocks. */
static uint32_t verdict_blocks_length(const struct blocks_lag *l,
	uint32_t base_n, uint32_t head_n)
{
	uint32_t few = base_n < head_n ? base_n : head_n;
	uint32_t most = few / BLOCKS_MIN, length;

	length = (few + BLOCKS_MAX - 1) / BLOCKS_MAX;
	while (length < most &&
		verdict_blocks_widen(l, length) *
				verdict_blocks_widen(l, length) >
			BLOCKS_MAX_INFLATION)
		length++;
	return length ? length : 1;
}

static struct blocks_range *verdict_blocks_cut(const struct verdict_side *side,
	uint32_t length, struct arena *a, uint32_t *n)
{
	uint32_t at = 0;
	*n = 0;
	for (uint32_t u = 0; u < side->units; u++)
		*n += length && side->iterations[u] > length
			      ? side->iterations[u] / length
			      : 1;
	struct blocks_range *blocks = arena_array(a, struct blocks_range, *n),
			    *b = blocks;
	for (uint32_t u = 0; b && u < side->units; u++) {
		uint64_t iterations = side->iterations[u];
		uint64_t parts =
			length && iterations > length ? iterations / length : 1;
		for (uint64_t k = 0; k < parts; k++)
			*b++ = (struct blocks_range){
				at + (uint32_t)(iterations * k / parts),
				at + (uint32_t)(iterations * (k + 1) / parts), u
			};
		at += side->iterations[u];
	}
	assert(!blocks || at == side->n);
	return blocks;
}

/* `length` 0: each unit is one block. False if the arena is full. */
static bool verdict_blocks_from(const struct verdict_input *in, uint32_t length,
	struct arena *a, struct blocks *out)
{
	*out = (struct blocks){ .length = length, .widen = 1 };
	out->base = verdict_blocks_cut(&in->base, length, a, &out->base_n);
	out->head = verdict_blocks_cut(&in->head, length, a, &out->head_n);
	out->base_lost = length ? in->base.units - 1 : 0;
	out->head_lost = length ? in->head.units - 1 : 0;
	return out->base && out->head;
}

static void verdict_blocks_side_means(const struct blocks_range *b, uint32_t n,
	const double *x, const double *factor, double *means)
{
	for (uint32_t i = 0; i < n; i++) {
		double sum = 0;
		for (uint32_t c = b[i].from; c < b[i].to; c++)
			sum += factor ? x[c] / factor[c] : x[c];
		means[i] = sum / (b[i].to - b[i].from);
	}
}

/* Moves the blocks of each unit to the mean of all blocks of the side. */
static void verdict_blocks_level_units(const struct blocks_range *b, uint32_t n,
	uint32_t lost, double *means)
{
	double left = (double)n - 1 - lost, all = 0;
	double widen = left > 0 ? sqrt((n - 1) / left) : 1;
	for (uint32_t i = 0; i < n; i++)
		all += means[i] / n;
	for (uint32_t i = 0, end; i < n; i = end) {
		double sum = 0;
		for (end = i; end < n && b[end].unit == b[i].unit; end++)
			sum += means[end];
		double unit = sum / (end - i);
		for (uint32_t k = i; k < end; k++)
			means[k] = all + (means[k] - unit) * widen;
	}
}

/* The mean of x / factor in each block, first the base's blocks, then the
 * head's. `factor` NULL means 1. If blocks are not units, the differences
 * between units of a side are removed. The remaining deviations are widened, so
 * that their variance is still that of blocks. */
static void verdict_blocks_means(const struct blocks *b,
	const struct verdict_row *row, const double *base_factor,
	const double *head_factor, double *means)
{
	verdict_blocks_side_means(b->base, b->base_n, row->base, base_factor,
		means);
	verdict_blocks_side_means(b->head, b->head_n, row->head, head_factor,
		means + b->base_n);
	if (b->base_lost)
		verdict_blocks_level_units(b->base, b->base_n, b->base_lost,
			means);
	if (b->head_lost)
		verdict_blocks_level_units(b->head, b->head_n, b->head_lost,
			means + b->base_n);
}

/* One unusual run among many must not hide what the others show. In each side, the
 * run that is farthest from the side's median is moved towards it, to at most
 * OUTLIER_DEVIATIONS robust deviations. Only one run is: two of eight are no
 * accident. With fewer runs a side the deviation is too uncertain. The limit is
 * so high that normal noise is hardly ever changed. */
#define OUTLIER_DEVIATIONS 4
enum { OUTLIER_RUNS_MIN = 6 };

static double verdict_outlier_median(const double *v, uint32_t n,
	double *scratch)
{
	memcpy(scratch, v, n * sizeof *v);
	return order_stat_median(scratch, n);
}

static bool verdict_outlier_side(double *means, uint32_t n, double center,
	double most)
{
	uint32_t far = 0;
	for (uint32_t i = 1; i < n; i++)
		if (fabs(means[i] - center) > fabs(means[far] - center))
			far = i;
	if (fabs(means[far] - center) <= most)
		return false;
	means[far] = center + copysign(most, means[far] - center);
	return true;
}

/* Whether a run was moved. */
static bool verdict_outliers_move(const struct blocks *b, double *means,
	double *scratch)
{
	double *head = means + b->base_n;
	uint32_t n = b->base_n + b->head_n;

	if (b->base_n < OUTLIER_RUNS_MIN || b->head_n < OUTLIER_RUNS_MIN)
		return false;
	double base_at = verdict_outlier_median(means, b->base_n, scratch);
	double head_at = verdict_outlier_median(head, b->head_n, scratch);
	for (uint32_t i = 0; i < n; i++)
		scratch[i] =
			fabs(means[i] - (i < b->base_n ? base_at : head_at));
	/* 1.4826: of a normal distribution. */
	double most =
		OUTLIER_DEVIATIONS * 1.4826 * order_stat_median(scratch, n);
	if (!(most > 0))
		return false;
	bool base = verdict_outlier_side(means, b->base_n, base_at, most);
	return verdict_outlier_side(head, b->head_n, head_at, most) || base;
}

/* The minimum number of iterations (or blocks) per side for a test. Each unit
 * after the first requires one more, because the differences between units use
 * one degree of freedom each. */
enum { VERDICT_ITERATIONS_MIN = 3 };

static int verdict_by_p(const void *a, const void *b)
{
	const struct change *x = *(struct change *const *)a;
	const struct change *y = *(struct change *const *)b;
	if (x->p != y->p)
		return x->p < y->p ? -1 : 1;
	return (x > y) - (x < y);
}

/* Fills q from p after Benjamini and Hochberg, 1995: p · n / rank, at most
 * that of the next rank. False if the arena is full. */
static bool verdict_q_fill(struct change *changes, uint32_t n, struct arena *a)
{
	struct change **order = arena_array(a, struct change *, n + 1);
	double min_q = 1;

	if (!order)
		return false;
	for (uint32_t i = 0; i < n; i++)
		order[i] = &changes[i];
	qsort(order, n, sizeof *order, verdict_by_p);
	for (uint32_t i = n; i-- > 0;) {
		min_q = fmin(min_q, order[i]->p * n / (i + 1));
		order[i]->q = min_q;
	}
	return true;
}

/* Rows below this share of the iteration are not tested, because their times
 * are not worth a reader's attention. Presence is tested in all rows with at
 * least CLASSIFY_MIN_PRESENT of the iteration: whether a function ran does not
 * depend on its time. */
#define CLASSIFY_MIN_SHARE 0.001
#define CLASSIFY_MIN_PRESENT 0.00001

/* A proven change is reported as regressed or improved if it is worth acting on.
 * There are two ways to be so:
 *
 *  - The function changed by at least half the margin, so that a change of the
 *    margin is found although it is measured with an error, and by the first
 *    limit, as a share of the iteration.
 *  - The iteration changed by at least the margin / CLASSIFY_MARGIN_STAKES. With
 *    the default margin of 5 % this is 1 % of the iteration, from which on a
 *    gate lets a function fail (share_pct in gate_policy.def).
 *
 * Any other proven change is within the margin. */
#define CLASSIFY_MIN_DELTA 0.0001
#define CLASSIFY_MARGIN_STAKES 5

/* 99 % of a normal distribution are within this many deviations. */
#define CLASSIFY_BEYOND 2.58

struct classify_input {
	const struct change *change; /* all but its class */
	const struct contrast *raw, *freed;
	bool identical; /* both sides have the same values */
	bool base_zero, head_zero; /* in every iteration */
	bool present; /* always on one side, never on the other */
	bool outlier; /* one run was moved */
	/* All kernels share a factor, and this is a kernel, or changes with
	 * them. */
	bool kernel_common, common;
	double rows; /* of the family */
};

/* The longer mean iteration of the two sides; 0 unknown. */
static double verdict_classify_iteration_ns(const struct verdict_input *in)
{
	double most = fmax(in->base_iteration_ns, in->head_iteration_ns);
	return most > 0 ? most : 0;
}

/* The difference of two times of the given sum whose logarithms differ by
 * log(1 + margin). It is the same for both directions of a comparison: for times
 * x and (1 + margin) x it is margin · x, where x is the shorter one. */
static double verdict_classify_margin_ns(double sum, double margin)
{
	return sum * margin / (2 + margin);
}

/* Whether the row takes enough time to be tested, whatever its change. */
static bool verdict_classify_eligible(const struct verdict_input *in,
	const struct change *c)
{
	double most = fmax(c->base_ns, c->head_ns);
	double share = c->base_ns > 0 && c->head_ns > 0 ? CLASSIFY_MIN_SHARE
							: CLASSIFY_MIN_PRESENT;
	return most > 0 && most >= share * verdict_classify_iteration_ns(in);
}

double verdict_min_change_ns(double margin, double sum_ns, double iteration_ns)
{
	double half = verdict_classify_margin_ns(sum_ns, sqrt(1 + margin) - 1);
	double stake = margin / CLASSIFY_MARGIN_STAKES * iteration_ns;

	return iteration_ns > 0 ? fmax(CLASSIFY_MIN_DELTA * iteration_ns,
					  fmin(half, stake))
				: half;
}

/* Whether a change by delta is worth acting on. `sum` is the time of both
 * sides. */
static bool verdict_classify_actionable(const struct verdict_input *in,
	double sum, double delta)
{
	return fabs(delta) >= verdict_min_change_ns(in->margin, sum,
				      verdict_classify_iteration_ns(in));
}

/* Whether a change by delta is large enough to be reported. */
static bool verdict_classify_relevant(const struct verdict_input *in,
	const struct change *c, double delta)
{
	double most = fmax(c->base_ns, c->head_ns);
	return most >= CLASSIFY_MIN_SHARE * verdict_classify_iteration_ns(in) &&
	       delta != 0 &&
	       verdict_classify_actionable(in, c->base_ns + c->head_ns, delta);
}

static bool verdict_classify_agree(const struct classify_input *j)
{
	return j->raw->delta * j->freed->delta > 0;
}

static bool verdict_classify_proven(const struct verdict_input *in,
	const struct classify_input *j)
{
	const struct change *c = j->change;
	return c->p_family <= in->alpha && c->p <= 0.05 &&
	       (c->delta_ns > 0 ? c->low_ns > 0 : c->high_ns < 0);
}

/* Whether these two processes differ with certainty, and by more than the runs
 * of one side differ. */
static bool verdict_classify_beyond(const struct contrast *c, double alpha)
{
	return verdict_contrast_noise_p(c) <= alpha &&
	       fabs(c->delta) > CLASSIFY_BEYOND * sqrt(c->run_var);
}

static bool verdict_classify_likely(const struct verdict_input *in,
	const struct classify_input *j)
{
	if (j->change->evidence == EVIDENCE_RUNS)
		return j->change->q <= in->alpha;
	double alpha = in->alpha / fmax(1, j->rows);
	return verdict_classify_beyond(j->raw, alpha) &&
	       verdict_classify_beyond(j->freed, alpha);
}

static bool verdict_classify_within(double low, double high, double most)
{
	return low >= -most && high <= most;
}

static bool verdict_classify_unchanged(const struct verdict_input *in,
	const struct classify_input *j)
{
	const struct change *c = j->change;
	const struct contrast *f = j->freed;
	double stake = CLASSIFY_MIN_SHARE * verdict_classify_iteration_ns(in);

	if (j->identical || fmax(c->base_ns, c->head_ns) <= stake)
		return true;
	/* The shift of a function that ran in few iterations is 0. If it never
	 * ran on the other side, that does not show that nothing changed. */
	if (j->base_zero || j->head_zero)
		return false;
	/* One run that is so far off that the mean is beyond the margin is no
	 * proof, but not nothing either. */
	double most =
		verdict_classify_margin_ns(c->base_ns + c->head_ns, in->margin);
	if (j->outlier && fabs(c->delta_ns) > fmax(most, stake))
		return false;
	if (verdict_classify_within(c->low_ns, c->high_ns, stake))
		return true;
	if (verdict_classify_within(c->low_ns, c->high_ns, most))
		return true;
	if (!j->common)
		return false;
	double half = verdict_contrast_half(f, verdict_contrast_noise_half(f));
	return verdict_classify_within(f->delta - half, f->delta + half,
		verdict_classify_margin_ns(f->base + f->head, in->margin));
}

static enum change_class verdict_classify(const struct verdict_input *in,
	const struct classify_input *j)
{
	const struct change *c = j->change;
	bool proven = !j->identical && verdict_classify_agree(j) &&
		      verdict_classify_eligible(in, c) &&
		      verdict_classify_proven(in, j);
	/* The shift is not affected by an outlier. */
	double size = j->outlier ? c->shift_ns : c->delta_ns;
	bool relevant = !j->identical &&
			verdict_classify_relevant(in, c, size) &&
			verdict_classify_agree(j);

	if (j->present || proven) {
		if (j->base_zero)
			return CHANGE_APPEARED;
		if (j->head_zero)
			return CHANGE_VANISHED;
	}
	/* After a change of clocks, the part of a change beyond it counts. */
	if (proven && relevant && j->kernel_common)
		relevant = verdict_classify_actionable(in,
			j->freed->base + j->freed->head, j->freed->delta);
	if (proven && relevant)
		return c->delta_ns > 0 ? CHANGE_REGRESSED : CHANGE_IMPROVED;
	if (proven)
		return CHANGE_WITHIN_MARGIN;
	if (relevant && verdict_classify_likely(in, j))
		return CHANGE_LIKELY;
	return verdict_classify_unchanged(in, j) ? CHANGE_UNCHANGED
						 : CHANGE_UNDECIDED;
}

/* In the variance of every row, the variance of a typical row has the weight of
 * this many blocks. */
#define PRIOR_DF 4.0

struct verdict_proof {
	const struct verdict_input *in;
	enum evidence by;
	const struct common_estimate *common;
	struct arena *a;
	struct change *changes;
	struct blocks blocks;
	struct contrast *raw, *freed;
	struct permutation_row *rows;
	double *means, *pairs; /* of one row's blocks; for its shift */
	double *scratch; /* as many as means */
	bool *outlier; /* by row: whether one run was moved */
	uint32_t family; /* rows that can be reported as changed */
	bool *present; /* by row: in every block of one side, never on the
		other */
	uint32_t separable; /* rows of the family that another split makes so */
};

/* Whether a run was moved because it is an outlier. */
static bool verdict_row_means(struct verdict_proof *v, uint32_t i, bool freed,
	double *means)
{
	const struct verdict_row *r = &v->in->rows[i];
	freed = freed && verdict_freed(r) && v->common->known;
	verdict_blocks_means(&v->blocks, r, freed ? v->common->free_base : NULL,
		freed ? v->common->free_head : NULL, means);
	return v->by == EVIDENCE_RUNS &&
	       verdict_outliers_move(&v->blocks, means, v->scratch);
}

static void verdict_freed_means(void *of, uint32_t row, double *means)
{
	verdict_row_means(of, row, true, means);
}

/* Presence: whether a function ran does not depend on its time, so it is compared
 * as it is. A function that ran in every block of one side and in none of the
 * other is on one side only. */

static uint32_t verdict_presence_absent(const struct blocks_range *b,
	uint32_t n, const double *x)
{
	uint32_t absent = 0;
	for (uint32_t i = 0; i < n; i++)
		absent += verdict_all_equal(x + b[i].from, b[i].to - b[i].from,
			0);
	return absent;
}

static void verdict_presence_fill(struct verdict_proof *v, uint32_t i)
{
	const struct verdict_row *r = &v->in->rows[i];
	const struct blocks *b = &v->blocks;
	uint32_t base = verdict_presence_absent(b->base, b->base_n, r->base);
	uint32_t head = verdict_presence_absent(b->head, b->head_n, r->head);

	if (!v->rows[i].counts)
		return;
	v->present[i] =
		(base == b->base_n && !head) || (head == b->head_n && !base);
	v->separable += !v->present[i] &&
			(base + head == b->base_n || base + head == b->head_n);
}

/* The family-wise p of presence. A row is on one side only in one split, and in
 * its mirror image if both sides have equally many blocks. */
static double verdict_presence_p(const struct verdict_proof *v)
{
	uint32_t base = v->blocks.base_n, head = v->blocks.head_n;
	double ways =
		permutation_test_ways(base + head, base < head ? base : head);
	return fmin(1, (1.0 + v->separable) * (base == head ? 2 : 1) / ways);
}

/* The typical row's variance of a block, relative to its mean. */
static double verdict_typical(const struct verdict_proof *v,
	const struct contrast *of, double *scratch)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < v->in->n; i++)
		if (v->rows[i].counts && of[i].base > 0 && of[i].head > 0)
			scratch[n++] = of[i].within / of[i].mean / of[i].mean;
	return order_stat_median(scratch, n);
}

/* If runs are permuted, the permutation measures how much runs differ, so the
 * noise floor is only a prior. If iterations are permuted, the noise floor is
 * the variance between runs. */
static void verdict_moderate(struct verdict_proof *v, struct contrast *of,
	double *scratch)
{
	const struct verdict_input *in = v->in;
	double units = 1.0 / in->base.units + 1.0 / in->head.units;
	double prior =
		v->by == EVIDENCE_RUNS ? 0 : verdict_typical(v, of, scratch);

	for (uint32_t i = 0; i < in->n; i++) {
		const struct verdict_row *r = &in->rows[i];
		double mean = of[i].mean * of[i].mean;
		double runs = r->floor * r->floor * mean * units;
		bool known = isinf(r->floor_df);
		if (v->by == EVIDENCE_ITERATIONS) {
			of[i].prior = prior * mean;
			of[i].prior_df = PRIOR_DF;
			of[i].run_var = runs;
			of[i].run_df = fmax(1, r->floor_df);
		} else {
			of[i].prior = known ? 0 : runs;
			of[i].prior_df = known ? 0 : r->floor_df;
			of[i].min_var = known ? runs : 0;
		}
		verdict_contrast_moderate(&of[i], &v->blocks);
	}
}

static void verdict_shift_fill(struct verdict_proof *v, uint32_t i)
{
	struct change *m = &v->changes[i];
	const struct contrast *c = &v->raw[i];
	double half = verdict_contrast_noise_half(c);

	verdict_row_means(v, i, false, v->means);
	struct order_shift s = order_stat_shift(v->means, v->blocks.base_n,
		v->means + v->blocks.base_n, v->blocks.head_n, v->pairs);
	double below = isnan(s.below) ? half : s.below * v->blocks.widen;
	double above = isnan(s.above) ? half : s.above * v->blocks.widen;
	m->shift_ns = s.at;
	m->low_ns = s.at - verdict_contrast_half(c, below);
	m->high_ns = s.at + verdict_contrast_half(c, above);
}

static bool verdict_contrasts(struct verdict_proof *v)
{
	const struct verdict_input *in = v->in;
	uint32_t blocks = v->blocks.base_n + v->blocks.head_n;
	double *scratch = arena_array(v->a, double, in->n + 1);

	v->raw = arena_array(v->a, struct contrast, in->n + 1);
	v->freed = arena_array(v->a, struct contrast, in->n + 1);
	v->rows = arena_array(v->a, struct permutation_row, in->n + 1);
	v->means = arena_array(v->a, double, blocks);
	v->pairs = arena_array(v->a, double, ORDER_SHIFT_PAIRS);
	v->scratch = arena_array(v->a, double, blocks);
	v->outlier = arena_array(v->a, bool, in->n + 1);
	v->present = arena_array(v->a, bool, in->n + 1);
	if (!scratch || !v->raw || !v->freed || !v->rows || !v->means ||
		!v->pairs || !v->scratch || !v->outlier || !v->present)
		return false;
	for (uint32_t i = 0; i < in->n; i++) {
		v->rows[i] = (struct permutation_row){ &v->freed[i],
			i < in->n - in->context_n &&
				verdict_classify_eligible(in, &v->changes[i]),
			1 };
		v->family += v->rows[i].counts;
		verdict_presence_fill(v, i);
		v->outlier[i] = verdict_row_means(v, i, false, v->means);
		v->raw[i] = verdict_contrast_of(v->means, &v->blocks);
		verdict_row_means(v, i, true, v->means);
		v->freed[i] = verdict_contrast_of(v->means, &v->blocks);
	}
	verdict_moderate(v, v->raw, scratch);
	verdict_moderate(v, v->freed, scratch);
	for (uint32_t i = 0; i < in->n; i++)
		verdict_shift_fill(v, i);
	return true;
}

/* How many rows differ after division by the common factor. */
static double verdict_found(const struct verdict_proof *v)
{
	double n = 0;
	for (uint32_t i = 0; i < v->in->n; i++)
		n += v->rows[i].counts && v->rows[i].p <= v->in->alpha;
	return fmax(1, n);
}

static void verdict_p_fill(struct verdict_proof *v)
{
	double share = verdict_found(v);
	for (uint32_t i = 0; i < v->in->n; i++) {
		struct change *m = &v->changes[i];
		const struct contrast *raw = &v->raw[i], *freed = &v->freed[i];
		bool kernel =
			verdict_freed(&v->in->rows[i]) && v->common->known;
		m->evidence = v->by;
		m->p_family = v->rows[i].p;
		m->p = verdict_contrast_p(freed);
		if (kernel) {
			double p = verdict_contrast_p(raw);
			m->p = fmax(m->p, p);
			m->p_family = fmax(m->p_family, fmin(1, p * share));
		}
		if (m->is == CHANGE_UNCHANGED || raw->sd == 0 ||
			raw->delta * freed->delta <= 0)
			m->p = m->p_family = 1;
		if (v->present[i])
			m->p_family = fmin(m->p_family, verdict_presence_p(v));
		m->p = fmin(m->p, m->p_family);
	}
}

static void verdict_classify_rows(struct verdict_proof *v, bool common)
{
	const struct verdict_input *in = v->in;
	for (uint32_t i = 0; i < in->n; i++) {
		const struct verdict_row *r = &in->rows[i];
		struct change *m = &v->changes[i];
		struct classify_input j = { m, &v->raw[i], &v->freed[i],
			m->is == CHANGE_UNCHANGED,
			verdict_all_equal(r->base, in->base.n, 0),
			verdict_all_equal(r->head, in->head.n, 0),
			v->present[i], v->outlier[i],
			common && (r->kernel || r->sum),
			common && verdict_freed(r), v->family };
		m->is = verdict_classify(in, &j);
	}
}

/* The variance of the difference between the sides' factors. */
static double verdict_factor_noise(struct verdict_proof *v)
{
	const struct verdict_row f = { .base = v->common->base,
		.head = v->common->head };
	if (!v->common->known)
		return 0;
	verdict_blocks_means(&v->blocks, &f, NULL, NULL, v->means);
	return verdict_contrast_of(v->means, &v->blocks).within;
}

/* Whether there are enough blocks to measure their variance. Short runs have
 * few blocks. */
static bool verdict_blocks_vary(const struct blocks *b)
{
	return b->base_n >= b->base_lost + VERDICT_ITERATIONS_MIN &&
	       b->head_n >= b->head_lost + VERDICT_ITERATIONS_MIN;
}

static bool verdict_blocks(struct verdict_proof *v, uint32_t *block)
{
	const struct verdict_input *in = v->in;
	struct blocks_lag lag;

	*block = 0;
	if (v->by == EVIDENCE_RUNS)
		return verdict_blocks_from(in, 0, v->a, &v->blocks);
	if (!verdict_blocks_lag_from(in, v->changes, v->common, v->a, &lag))
		return false;
	*block = verdict_blocks_length(&lag, in->base.n, in->head.n);
	for (;; *block = (*block + 1) / 2) {
		if (!verdict_blocks_from(in, *block, v->a, &v->blocks))
			return false;
		if (*block == 1 || verdict_blocks_vary(&v->blocks))
			break;
	}
	v->blocks.widen = verdict_blocks_widen(&lag, *block);
	return true;
}

/* `changes`: base_ns to ratio are filled, and so is the class of rows that
 * are identical on both sides. False if the arena is full. */
static bool verdict_permuted(const struct verdict_input *in, enum evidence by,
	const struct common_estimate *c, struct arena *a,
	struct change *changes, struct common_factor *report, uint32_t *block)
{
	struct verdict_proof v = { in, by, c, a, .changes = changes };

	if (!verdict_blocks(&v, block) || !verdict_contrasts(&v) ||
		!permutation_test(&v.blocks, v.rows, in->n - in->context_n,
			verdict_freed_means, &v, in->permutations, in->seed, a))
		return false;
	*report = common_factor_report(in, c, changes, verdict_factor_noise(&v),
		by == EVIDENCE_ITERATIONS);
	verdict_p_fill(&v);
	if (!verdict_q_fill(changes, in->n - in->context_n, a))
		return false;
	verdict_classify_rows(&v, report->there);
	return true;
}

/* The verdict if there are too few iterations to permute: did all launches
 * change?
 *
 * A row is *likely* changed if the mean of its launches changed by more than
 * runs differ, and one of these conditions is true:
 *
 *  - There are at least four launches per side. Sorted by length, every launch
 *    of one side took longer than the launch of the other side at its position.
 *    If positions are unknown, it took longer than every launch of the other
 *    side.
 *  - The time differs by more than almost any two runs do.
 *
 * A row appeared or vanished if the function never ran on one side and ran in
 * every iteration of the other. Nothing is permuted: p, p_family and q are
 * NaN. */

static bool verdict_few_always(const double *x, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (!(x[i] > 0))
			return false;
	return true;
}

/* Whether all launches moved. Sorted by length, launches of one side are
 * compared with the launches of the other side at their positions, because
 * launches may have several sizes. */
static bool verdict_few_spread_moved(const struct verdict_spread *s)
{
	bool up = true, down = true;
	for (int i = 0; i < PATTERN_SPREAD; i++) {
		up &= s->head_low[i] > s->base_high[i];
		down &= s->head_high[i] < s->base_low[i];
	}
	return up || down;
}

/* The minimum number of launches: if fewer launches all moved, it is no
 * evidence. */
enum { LAUNCHED_MIN = 4 };

static bool verdict_few_all_moved(const struct verdict_row *r)
{
	if (fmin(r->base_launches, r->head_launches) < LAUNCHED_MIN)
		return false;
	if (r->spread.base_low)
		return verdict_few_spread_moved(&r->spread);
	return r->head_min_ns > r->base_max_ns ||
	       r->base_min_ns > r->head_max_ns;
}

/* Whether the function's time differs so much that only one in ten thousand
 * runs of the same work would. Some launches moved that far, even if not all
 * did. */
static bool verdict_few_far(const struct verdict_input *in,
	const struct common_estimate *c, const struct verdict_row *r,
	const struct change *m)
{
	double t = dist_t_quantile(0.9999, fmax(1, r->floor_df));
	double runs = t * r->floor *
		      sqrt(1.0 / in->base.units + 1.0 / in->head.units);
	double total = log(m->ratio);

	if (verdict_freed(r) && c->known)
		total -= c->log_ratio;
	return total * common_factor_log_ratio(in, r, m) > 0 &&
	       fabs(total) > runs;
}

/* Whether the mean duration of a launch changed by more than runs differ, both
 * as measured and divided by the common factor. */
static bool verdict_few_beyond(const struct verdict_input *in,
	const struct common_estimate *c, const struct verdict_row *r,
	const struct change *m)
{
	double raw = common_factor_log_ratio(in, r, m);
	double freed = raw;
	double runs = CLASSIFY_BEYOND * r->floor *
		      sqrt(1.0 / in->base.units + 1.0 / in->head.units);

	if (verdict_freed(r) && c->known)
		freed -= c->log_ratio;
	return raw * freed > 0 && fabs(raw) > runs && fabs(freed) > runs;
}

static enum change_class verdict_few_class_of(const struct verdict_input *in,
	const struct common_estimate *c, const struct verdict_row *r,
	const struct change *m)
{
	double most = fmax(m->base_ns, m->head_ns),
	       iteration = verdict_classify_iteration_ns(in);
	double stake = CLASSIFY_MIN_SHARE * iteration;

	/* Appeared and vanished are decided by whether the function ran, not by
	 * how long. */
	if (most >= CLASSIFY_MIN_PRESENT * iteration) {
		if (verdict_all_equal(r->base, in->base.n, 0) &&
			verdict_few_always(r->head, in->head.n))
			return CHANGE_APPEARED;
		if (verdict_all_equal(r->head, in->head.n, 0) &&
			verdict_few_always(r->base, in->base.n))
			return CHANGE_VANISHED;
	}
	if (verdict_classify_relevant(in, m, m->delta_ns) &&
		(verdict_few_all_moved(r) || verdict_few_far(in, c, r, m)) &&
		verdict_few_beyond(in, c, r, m))
		return CHANGE_LIKELY;
	return most <= stake ? CHANGE_UNCHANGED : CHANGE_UNDECIDED;
}

/* `changes`: base_ns to ratio are filled, and so is the class of rows that
 * are identical on both sides. */
static void verdict_few(const struct verdict_input *in,
	const struct common_estimate *c, struct change *changes)
{
	double units = 1.0 / in->base.units + 1.0 / in->head.units;

	for (uint32_t i = 0; i < in->n; i++) {
		const struct verdict_row *r = &in->rows[i];
		struct change *m = &changes[i];
		double t = dist_t_quantile(0.975, fmax(1, r->floor_df));
		double half = t * r->floor * (m->base_ns + m->head_ns) / 2 *
			      sqrt(units);
		m->evidence = EVIDENCE_LAUNCHES;
		m->p = m->p_family = m->q = NAN;
		m->shift_ns = m->delta_ns;
		m->low_ns = m->delta_ns - half;
		m->high_ns = m->delta_ns + half;
		if (m->is !=
			CHANGE_UNCHANGED) /* set if both sides are identical */
			m->is = verdict_few_class_of(in, c, r, m);
	}
}

/* Whether both sides have equal values: iteration by iteration, or one constant
 * value in all. */
static bool verdict_identical(const struct verdict_input *in,
	const struct verdict_row *r)
{
	if (in->base.n == in->head.n &&
		!memcmp(r->base, r->head, in->base.n * sizeof *r->base))
		return true;
	return verdict_all_equal(r->base, in->base.n, r->base[0]) &&
	       verdict_all_equal(r->head, in->head.n, r->base[0]);
}

static void verdict_means_fill(const struct verdict_input *in,
	struct change *changes)
{
	for (uint32_t i = 0; i < in->n; i++) {
		const struct verdict_row *r = &in->rows[i];
		double base = verdict_mean_of(r->base, in->base.n);
		double head = verdict_mean_of(r->head, in->head.n);
		assert(isfinite(base) && isfinite(head));
		changes[i] = (struct change){ .base_ns = base,
			.head_ns = head,
			.delta_ns = head - base,
			.ratio = base > 0 ? head / base : NAN,
			.is = verdict_identical(in, r) ? CHANGE_UNCHANGED
						       : CHANGE_UNDECIDED,
			.floor = r->floor,
			.floor_from = r->floor_from,
			.floor_df = r->floor_df };
	}
}

enum { RUNS_MIN = 4 };

bool verdict_by_runs(uint32_t base, uint32_t head, double alpha)
{
	uint32_t few = base < head ? base : head;
	double best = (base == head ? 2.0 : 1.0) /
		      permutation_test_ways(base + head, few);
	return few >= RUNS_MIN && best <= alpha;
}

/* The kind of evidence. Iterations are used only if their best possible split
 * would be significant. */
static enum evidence verdict_evidence(const struct verdict_input *in)
{
	/* The noise floor contains the differences between units; each of them
	 * uses one iteration. */
	uint32_t base = in->base.n - (in->base.units - 1);
	uint32_t head = in->head.n - (in->head.units - 1);
	uint32_t few = base < head ? base : head;

	if (verdict_by_runs(in->base.units, in->head.units, in->alpha))
		return EVIDENCE_RUNS;
	double best = (base == head ? 2.0 : 1.0) /
		      permutation_test_ways(base + head, few);
	return few >= VERDICT_ITERATIONS_MIN && best <= in->alpha
		       ? EVIDENCE_ITERATIONS
		       : EVIDENCE_LAUNCHES;
}

static void verdict_side_assert(const struct verdict_side *s)
{
	uint32_t n = 0;
	for (uint32_t u = 0; u < s->units; u++)
		n += s->iterations[u];
	assert(s->units > 0 && n == s->n && n > 0);
}

bool verdict_from(const struct verdict_input *in, struct arena *a,
	struct change *changes, struct common_factor *common, uint32_t *block,
	struct err *e)
{
	struct common_estimate c;
	enum evidence by = verdict_evidence(in);

	verdict_side_assert(&in->base);
	verdict_side_assert(&in->head);
	assert(in->permutations > 0 && in->alpha > 0 && in->margin >= 0);
	*block = 0;
	verdict_means_fill(in, changes);
	if (!common_factor_estimate(in, changes, a, &c))
		return arena_err(a, e);
	if (by != EVIDENCE_LAUNCHES)
		return verdict_permuted(in, by, &c, a, changes, common,
			       block) ||
		       arena_err(a, e);
	*common = common_factor_report(in, &c, changes, 0, true);
	verdict_few(in, &c, changes);
	return true;
}
