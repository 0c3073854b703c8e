/* verdict.c - decides which rows of two sides changed. */
#include "verdict.h"
#include "classify.h"
#include "common_factor.h"
#include "contrast.h"
#include "few_iterations_test.h"
#include "order_stat.h"
#include "permutation_test.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Every row is tested twice: as measured, and divided by the factor that all
 * kernels share. The permutation test gives a family-wise p for the second. A
 * row that it finds must also differ as measured, at a level shared among all
 * rows found. So a change of clocks accuses neither the kernels that follow
 * it nor those that do not. */

/* The smallest number of iterations of a side, or of blocks of them, that prove
 * anything. One more is needed per unit after the first: the differences
 * between units cost a degree of freedom each. */
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

/* The variance of the typical row's blocks counts as so many blocks of every
 * row. */
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
	uint32_t family; /* rows that could be accused */
};

static void verdict_row_means(struct verdict_proof *v, uint32_t i, bool freed,
	double *means)
{
	const struct verdict_row *r = &v->in->rows[i];
	freed = freed && verdict_freed(r) && v->common->known;
	blocks_means(&v->blocks, r, freed ? v->common->free_base : NULL,
		freed ? v->common->free_head : NULL, means);
}

static void verdict_freed_means(void *of, uint32_t row, double *means)
{
	verdict_row_means(of, row, true, means);
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

/* Permuted runs measure how much runs differ, so the noise floor is only a
 * prior. Iterations do not measure it, so the noise floor is the variance
 * between runs. */
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
		contrast_moderate(&of[i], &v->blocks);
	}
}

static void verdict_shift_fill(struct verdict_proof *v, uint32_t i)
{
	struct change *m = &v->changes[i];
	const struct contrast *c = &v->raw[i];
	double half = contrast_noise_half(c);

	verdict_row_means(v, i, false, v->means);
	struct contrast_shift s = contrast_shift_of(v->means, v->blocks.base_n,
		v->means + v->blocks.base_n, v->blocks.head_n, v->pairs);
	double below = isnan(s.below) ? half : s.below * v->blocks.widen;
	double above = isnan(s.above) ? half : s.above * v->blocks.widen;
	m->shift_ns = s.at;
	m->low_ns = s.at - contrast_half(c, below);
	m->high_ns = s.at + contrast_half(c, above);
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
	v->pairs = arena_array(v->a, double, CONTRAST_PAIRS);
	if (!scratch || !v->raw || !v->freed || !v->rows || !v->means ||
		!v->pairs)
		return false;
	for (uint32_t i = 0; i < in->n; i++) {
		v->rows[i] = (struct permutation_row){ &v->freed[i],
			classify_eligible(in, &v->changes[i]), 1 };
		v->family += v->rows[i].counts;
		verdict_row_means(v, i, false, v->means);
		v->raw[i] = contrast_of(v->means, &v->blocks);
		verdict_row_means(v, i, true, v->means);
		v->freed[i] = contrast_of(v->means, &v->blocks);
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
		m->p = contrast_p(freed);
		if (kernel) {
			double p = contrast_p(raw);
			m->p = fmax(m->p, p);
			m->p_family = fmax(m->p_family, fmin(1, p * share));
		}
		if (m->is == CHANGE_UNCHANGED || raw->sd == 0 ||
			raw->delta * freed->delta <= 0)
			m->p = m->p_family = 1;
		m->p = fmin(m->p, m->p_family);
	}
}

static bool verdict_never(const double *x, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (x[i] != 0)
			return false;
	return true;
}

static void verdict_classify_rows(struct verdict_proof *v, bool common)
{
	const struct verdict_input *in = v->in;
	for (uint32_t i = 0; i < in->n; i++) {
		const struct verdict_row *r = &in->rows[i];
		struct change *m = &v->changes[i];
		struct classify_input j = { m, &v->raw[i], &v->freed[i],
			m->is == CHANGE_UNCHANGED,
			verdict_never(r->base, in->base.n),
			verdict_never(r->head, in->head.n),
			common && verdict_freed(r), v->family };
		m->is = classify(in, &j);
	}
}

/* The variance of the difference between the sides' factors. */
static double verdict_factor_noise(struct verdict_proof *v)
{
	const struct verdict_row f = { .base = v->common->base,
		.head = v->common->head };
	if (!v->common->known)
		return 0;
	blocks_means(&v->blocks, &f, NULL, NULL, v->means);
	return contrast_of(v->means, &v->blocks).within;
}

/* Short runs have few blocks each; enough must remain to measure their
 * variance. */
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
		return blocks_from(in, 0, v->a, &v->blocks);
	if (!blocks_lag_from(in, v->changes, v->common, v->a, &lag))
		return false;
	*block = blocks_length(&lag, in->base.n, in->head.n);
	for (;; *block = (*block + 1) / 2) {
		if (!blocks_from(in, *block, v->a, &v->blocks))
			return false;
		if (*block == 1 || verdict_blocks_vary(&v->blocks))
			break;
	}
	v->blocks.widen = blocks_widen(&lag, *block);
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
		!permutation_test(&v.blocks, v.rows, in->n, verdict_freed_means,
			&v, in->permutations, in->seed, a))
		return false;
	*report = common_factor_report(in, c, changes, verdict_factor_noise(&v),
		by == EVIDENCE_ITERATIONS);
	verdict_p_fill(&v);
	if (!verdict_q_fill(changes, in->n, a))
		return false;
	verdict_classify_rows(&v, report->there);
	return true;
}

static double verdict_mean_of(const double *x, uint32_t n)
{
	double sum = 0;
	for (uint32_t i = 0; i < n; i++) {
		assert(isfinite(x[i]));
		sum += x[i];
	}
	return sum / n;
}

static bool verdict_all_equal(const double *x, uint32_t n, double to)
{
	for (uint32_t i = 0; i < n; i++)
		if (x[i] != to)
			return false;
	return true;
}

/* The same numbers in every iteration, or one number that never varies. */
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

/* Iterations prove something only if the best split of them would. */
static enum evidence verdict_evidence(const struct verdict_input *in)
{
	/* The noise floor covers the differences between units; each costs
	 * one iteration. */
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
	few_iterations_test(in, &c, changes);
	return true;
}
