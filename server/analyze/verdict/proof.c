/* proof.c - contrasts, their priors, permutations, and a class for each row. */
#include "proof.h"
#include "discovery.h"
#include "classify.h"
#include "lag.h"
#include "order_stat.h"
#include "permutation_test.h"
#include "shift.h"
#include <math.h>

/* What the typical row's blocks vary by counts as so many blocks of every row. */
#define PRIOR_DF 4.0

struct proof {
	const struct verdict_input *in;
	enum evidence by;
	const struct common *common;
	struct arena *a;
	struct change *changes;
	struct blocks blocks;
	struct contrast *raw, *freed;
	struct permute_row *rows;
	double *means, *pairs; /* of one row's blocks; for its shift */
	uint32_t family; /* rows that could be accused */
};

static void row_means(struct proof *v, uint32_t i, bool freed, double *means)
{
	const struct verdict_row *r = &v->in->rows[i];
	freed = freed && verdict_freed(r) && v->common->known;
	blocks_means(&v->blocks, r, freed ? v->common->free_base : NULL,
		freed ? v->common->free_head : NULL, means);
}

static void freed_means(void *of, uint32_t row, double *means)
{
	row_means(of, row, true, means);
}

/* The typical row's variance of a block, relative to its mean. */
static double typical(const struct proof *v, const struct contrast *of,
	double *scratch)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < v->in->n; i++)
		if (v->rows[i].counts && of[i].base > 0 && of[i].head > 0)
			scratch[n++] = of[i].within / of[i].mean / of[i].mean;
	return order_stat_median(scratch, n);
}

/* Runs that are permuted tell what runs differ by, and the floor only supports
 * them; cycles do not, and the floor stands for it. */
static void moderate(struct proof *v, struct contrast *of, double *scratch)
{
	const struct verdict_input *in = v->in;
	double units = 1.0 / in->base.units + 1.0 / in->head.units;
	double prior = v->by == EVIDENCE_RUNS ? 0 : typical(v, of, scratch);

	for (uint32_t i = 0; i < in->n; i++) {
		const struct verdict_row *r = &in->rows[i];
		double mean = of[i].mean * of[i].mean;
		double runs = r->floor * r->floor * mean * units;
		bool known = isinf(r->floor_df);
		if (v->by == EVIDENCE_CYCLES) {
			of[i].prior = prior * mean;
			of[i].prior_df = PRIOR_DF;
			of[i].run_var = runs;
			of[i].run_df = fmax(1, r->floor_df);
		} else {
			of[i].prior = known ? 0 : runs;
			of[i].prior_df = known ? 0 : r->floor_df;
			of[i].least = known ? runs : 0;
		}
		contrast_moderate(&of[i], &v->blocks);
	}
}

static void shift_fill(struct proof *v, uint32_t i)
{
	struct change *m = &v->changes[i];
	const struct contrast *c = &v->raw[i];
	double half = contrast_noise_half(c);

	row_means(v, i, false, v->means);
	struct shift s = shift_of(v->means, v->blocks.base_n,
		v->means + v->blocks.base_n, v->blocks.head_n, v->pairs);
	double below = isnan(s.below) ? half : s.below * v->blocks.widen;
	double above = isnan(s.above) ? half : s.above * v->blocks.widen;
	m->shift_ns = s.at;
	m->low_ns = s.at - contrast_half(c, below);
	m->high_ns = s.at + contrast_half(c, above);
}

static bool contrasts(struct proof *v)
{
	const struct verdict_input *in = v->in;
	uint32_t blocks = v->blocks.base_n + v->blocks.head_n;
	double *scratch = arena_array(v->a, double, in->n + 1);

	v->raw = arena_array(v->a, struct contrast, in->n + 1);
	v->freed = arena_array(v->a, struct contrast, in->n + 1);
	v->rows = arena_array(v->a, struct permute_row, in->n + 1);
	v->means = arena_array(v->a, double, blocks);
	v->pairs = arena_array(v->a, double, SHIFT_PAIRS);
	if (!scratch || !v->raw || !v->freed || !v->rows || !v->means ||
		!v->pairs)
		return false;
	for (uint32_t i = 0; i < in->n; i++) {
		v->rows[i] = (struct permute_row){ &v->freed[i],
			judge_counts(in, &v->changes[i]), 1 };
		v->family += v->rows[i].counts;
		row_means(v, i, false, v->means);
		v->raw[i] = contrast_of(v->means, &v->blocks);
		row_means(v, i, true, v->means);
		v->freed[i] = contrast_of(v->means, &v->blocks);
	}
	moderate(v, v->raw, scratch);
	moderate(v, v->freed, scratch);
	for (uint32_t i = 0; i < in->n; i++)
		shift_fill(v, i);
	return true;
}

/* How many rows were found among the freed. */
static double found(const struct proof *v)
{
	double n = 0;
	for (uint32_t i = 0; i < v->in->n; i++)
		n += v->rows[i].counts && v->rows[i].p <= v->in->alpha;
	return fmax(1, n);
}

static void p_fill(struct proof *v)
{
	double share = found(v);
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

static bool never(const double *x, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (x[i] != 0)
			return false;
	return true;
}

static void judge_all(struct proof *v, bool common)
{
	const struct verdict_input *in = v->in;
	for (uint32_t i = 0; i < in->n; i++) {
		const struct verdict_row *r = &in->rows[i];
		struct change *m = &v->changes[i];
		struct judged j = { m, &v->raw[i], &v->freed[i],
			m->is == CHANGE_UNCHANGED, never(r->base, in->base.n),
			never(r->head, in->head.n), common && verdict_freed(r),
			v->family };
		m->is = judge(in, &j);
	}
}

/* The variance of the difference of the sides' factors. */
static double factor_noise(struct proof *v)
{
	const struct verdict_row f = { .base = v->common->base,
		.head = v->common->head };
	if (!v->common->known)
		return 0;
	blocks_means(&v->blocks, &f, NULL, NULL, v->means);
	return contrast_of(v->means, &v->blocks).within;
}

/* Short runs have few blocks each; some must be left to tell how they vary. */
static bool vary(const struct blocks *b)
{
	return b->base_n >= b->base_lost + PROOF_CYCLES_MIN &&
	       b->head_n >= b->head_lost + PROOF_CYCLES_MIN;
}

static bool cut(struct proof *v, uint32_t *block)
{
	const struct verdict_input *in = v->in;
	struct lag lag;

	*block = 0;
	if (v->by == EVIDENCE_RUNS)
		return blocks_from(in, 0, v->a, &v->blocks);
	if (!lag_from(in, v->changes, v->common, v->a, &lag))
		return false;
	*block = lag_block(&lag, in->base.n, in->head.n);
	for (;; *block = (*block + 1) / 2) {
		if (!blocks_from(in, *block, v->a, &v->blocks))
			return false;
		if (*block == 1 || vary(&v->blocks))
			break;
	}
	v->blocks.widen = lag_widen(&lag, *block);
	return true;
}

bool proof_from(const struct verdict_input *in, enum evidence by,
	const struct common *c, struct arena *a, struct change *changes,
	struct common_factor *told, uint32_t *block)
{
	struct proof v = { in, by, c, a, .changes = changes };

	if (!cut(&v, block) || !contrasts(&v) ||
		!permute_from(&v.blocks, v.rows, in->n, freed_means, &v,
			in->permutations, in->seed, a))
		return false;
	*told = common_told(in, c, changes, factor_noise(&v),
		by == EVIDENCE_CYCLES);
	p_fill(&v);
	if (!discovery_fill(changes, in->n, a))
		return false;
	judge_all(&v, told->there);
	return true;
}
