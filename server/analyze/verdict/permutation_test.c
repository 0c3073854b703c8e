/* permutation_test.c - the distribution of the largest difference of any row
 * when blocks are permuted. */
#include "permutation_test.h"
#include "t_draw.h"
#include "xoshiro.h"
#include <math.h>
#include <stdlib.h>

/* Splits: all combinations in order, or the first steps of a shuffle. */

uint32_t permutation_test_ways(uint32_t n, uint32_t k)
{
	uint64_t ways = 1;
	for (uint32_t i = 1; i <= k && i <= n; i++) {
		ways = ways * (n - k + i) / i;
		if (ways >= UINT32_MAX)
			return UINT32_MAX;
	}
	return (uint32_t)ways;
}

static void permutation_test_all_ways(uint32_t n, uint32_t k, uint32_t ways,
	uint32_t *sets)
{
	for (uint32_t i = 0; i < k; i++)
		sets[i] = i;
	for (uint32_t w = 1; w < ways; w++) {
		const uint32_t *last = sets + (size_t)(w - 1) * k;
		uint32_t *next = sets + (size_t)w * k, i = k;
		/* Finds the last index that can be increased. */
		while (i-- > 0 && last[i] == n - k + i)
			;
		for (uint32_t m = 0; m < k; m++)
			next[m] = m < i ? last[m] : last[i] + 1 + (m - i);
	}
}

static void permutation_test_random_ways(uint32_t n, uint32_t k, uint32_t ways,
	uint32_t *deck, uint64_t seed, uint32_t *sets)
{
	struct xoshiro x;
	xoshiro_init(&x, seed);
	for (uint32_t i = 0; i < n; i++)
		deck[i] = i;
	for (uint32_t w = 0; w < ways; w++)
		for (uint32_t i = 0; i < k; i++) {
			uint32_t other = i + xoshiro_below(&x, n - i);
			uint32_t taken = deck[other];
			deck[other] = deck[i];
			deck[i] = taken;
			*sets++ = taken;
		}
}

bool permutation_test_splits(const struct blocks *b, uint32_t permutations,
	bool may_all, uint64_t seed, struct arena *a,
	struct permutation_splits *out)
{
	uint32_t n = b->base_n + b->head_n;
	bool base = b->base_n <= b->head_n;
	uint32_t k = base ? b->base_n : b->head_n,
		 ways = permutation_test_ways(n, k);
	uint32_t *deck = arena_array(a, uint32_t, n);
	uint32_t *own = arena_array(a, uint32_t, k);

	*out = (struct permutation_splits){ .chosen = k,
		.own = own,
		.exact = may_all && ways <= permutations };
	out->n = out->exact ? ways : permutations;
	uint32_t *sets = arena_array(a, uint32_t, (size_t)out->n * k);
	if (!deck || !own || !sets)
		return false;
	out->sets = sets;
	for (uint32_t i = 0; i < k; i++)
		own[i] = base ? i : b->base_n + i;
	if (out->exact)
		permutation_test_all_ways(n, k, ways, sets);
	else
		permutation_test_random_ways(n, k, out->n, deck, seed, sets);
	return true;
}

/* The test: sums over the chosen blocks, for 64 rows at a time. */

enum { TILE = 64, TABLES = 17 };
/* Statistics that differ only by rounding are treated as equal. */
#define SAME 0.9999F

/* 64 rows: the blocks' means, scaled to mean 0 and deviation 1, and the
 * variances of contrast.h on that scale. */
struct tile {
	float *z, *squares; /* [block][TILE] */
	float total[TILE]; /* Σ squares */
	float prior[TILE], prior_df[TILE], min_var[TILE];
	float run_var[TILE], run_sd[TILE];
	const struct t_draw *draw[TILE]; /* NULL: runs have no effect */
	bool counts[TILE];
};
struct permutation_test_sizes {
	uint32_t n;
	float chosen, rest,
		df; /* n as a float, the other blocks, blocks_df() */
	float widen; /* of variance */
	float delta; /* factor by which a difference is widened */
};

static void permutation_test_sum_chosen(const float *restrict z,
	const uint32_t *restrict chosen, uint32_t n, float *restrict out)
{
	for (int i = 0; i < TILE; i++)
		out[i] = 0;
	for (uint32_t k = 0; k < n; k++) {
		const float *restrict block = z + (size_t)chosen[k] * TILE;
		for (int i = 0; i < TILE; i++)
			out[i] += block[i];
	}
}

/* The squared statistics of one split. Means are about 0, so the sum of the
 * other blocks is the negative of that of the chosen ones. */
static void permutation_test_statistics(const struct tile *t,
	const float *restrict draws, const uint32_t *chosen,
	struct permutation_test_sizes s, float *restrict out)
{
	float sum[TILE], squares[TILE];
	permutation_test_sum_chosen(t->z, chosen, s.n, sum);
	permutation_test_sum_chosen(t->squares, chosen, s.n, squares);
	for (int i = 0; i < TILE; i++) {
		float in = sum[i] * sum[i];
		float of_chosen = (squares[i] - in / s.chosen) /
				  ((s.chosen - 1) * s.chosen);
		float of_rest = (t->total[i] - squares[i] - in / s.rest) /
				((s.rest - 1) * s.rest);
		float within = (of_chosen + of_rest) * s.widen * s.widen;
		float var = (s.df * within + t->prior_df[i] * t->prior[i]) /
			    (s.df + t->prior_df[i]);
		var = var > t->min_var[i] ? var : t->min_var[i];
		float delta = sum[i] / s.chosen + sum[i] / s.rest;
		float by = s.delta * delta + draws[i] * t->run_sd[i];
		out[i] = by * by / (var + t->run_var[i]);
	}
}

static void permutation_test_fill(struct tile *t, uint32_t i,
	const double *means, uint32_t n, const struct contrast *c)
{
	double scale = c->sd > 0 ? 1 / c->sd : 0, centre = 0;
	double var = scale * scale;
	for (uint32_t b = 0; b < n; b++)
		centre += means[b] / n;
	t->total[i] = 0;
	for (uint32_t b = 0; b < n; b++) {
		float z = (float)((means[b] - centre) * scale);
		t->z[(size_t)b * TILE + i] = z;
		t->squares[(size_t)b * TILE + i] = z * z;
		t->total[i] += z * z;
	}
	/* A row without variance: its statistic becomes 0 / 1 and not 0 / 0. */
	t->min_var[i] = scale > 0 ? (float)(c->min_var * var) : 1;
	t->prior[i] = (float)(c->prior * var);
	t->prior_df[i] = (float)c->prior_df;
	t->run_var[i] = (float)(c->run_var * var);
	t->run_sd[i] = sqrtf(t->run_var[i]);
}

struct permuting {
	const struct blocks *b;
	struct permutation_row *rows;
	uint32_t n;
	permutation_means *means;
	void *of;
	const struct permutation_splits *splits;
	uint64_t seed;
	struct t_draw *tables;
	uint32_t tables_n;
	double *scratch; /* a row's blocks */
	float *largest; /* by split, squared */
	float *own; /* by row, squared */
};

static const struct t_draw *permutation_test_table_of(struct permuting *w,
	double df)
{
	double down = t_draw_df(df);
	for (uint32_t i = 0; i < w->tables_n; i++)
		if (w->tables[i].df == down)
			return &w->tables[i];
	t_draw_init(&w->tables[w->tables_n], down);
	return &w->tables[w->tables_n++];
}

static void permutation_test_tile_fill(struct permuting *w, uint32_t from,
	struct tile *t)
{
	uint32_t blocks = w->b->base_n + w->b->head_n;
	static const struct contrast none;
	for (uint32_t i = 0; i < TILE; i++) {
		bool is = from + i < w->n;
		const struct contrast *c =
			is ? w->rows[from + i].contrast : &none;
		if (is)
			w->means(w->of, from + i, w->scratch);
		permutation_test_fill(t, i, w->scratch, blocks, c);
		t->counts[i] = is && w->rows[from + i].counts;
		t->draw[i] = c->run_var > 0
				     ? permutation_test_table_of(w, c->run_df)
				     : NULL;
	}
}

static void permutation_test_draw(const struct tile *t, struct xoshiro *x,
	float *draws)
{
	for (int i = 0; i < TILE; i += 2) {
		uint64_t bits = xoshiro_next(x);
		draws[i] = t->draw[i] ? t_draw_next(t->draw[i], (uint32_t)bits)
				      : 0;
		draws[i + 1] = t->draw[i + 1] ? t_draw_next(t->draw[i + 1],
							(uint32_t)(bits >> 32))
					      : 0;
	}
}

static void permutation_test_keep_largest(const struct tile *t, const float *of,
	float *largest)
{
	for (int i = 0; i < TILE; i++)
		if (t->counts[i] && of[i] > *largest)
			*largest = of[i];
}

static void permutation_test_tile_run(struct permuting *w, uint32_t from,
	struct tile *t)
{
	const struct permutation_splits *p = w->splits;
	uint32_t all = w->b->base_n + w->b->head_n;
	struct permutation_test_sizes s = { p->chosen, (float)p->chosen,
		(float)(all - p->chosen), (float)blocks_df(w->b),
		(float)w->b->widen, (float)w->b->widen };
	float draws[TILE] = { 0 }, of[TILE];
	struct permutation_test_sizes own = s;
	struct xoshiro x;

	/* Only differences of random splits are widened, not the observed
	 * one. */
	own.delta = 1;
	permutation_test_tile_fill(w, from, t);
	permutation_test_statistics(t, draws, p->own, own, of);
	for (uint32_t i = 0; i < TILE && from + i < w->n; i++)
		w->own[from + i] = of[i];
	xoshiro_init(&x, w->seed ^ (uint64_t)(from + 1) << 32);
	for (uint32_t k = 0; k < p->n; k++) {
		permutation_test_draw(t, &x, draws);
		permutation_test_statistics(t, draws,
			p->sets + (size_t)k * p->chosen, s, of);
		permutation_test_keep_largest(t, of, &w->largest[k]);
	}
}

static int permutation_test_by_size(const void *a, const void *b)
{
	float x = *(const float *)a, y = *(const float *)b;
	return (x > y) - (x < y);
}

/* The share of splits whose largest statistic is at least `own`. */
static double permutation_test_p_of(const struct permutation_splits *p,
	const float *largest, float own)
{
	uint32_t lo = 0, hi = p->n;
	while (lo < hi) {
		uint32_t mid = (lo + hi) / 2;
		if (largest[mid] < own * SAME)
			lo = mid + 1;
		else
			hi = mid;
	}
	double as_large = p->n - lo;
	if (!p->exact)
		return (as_large + 1) / (p->n + 1.0);
	return (as_large > 0 ? as_large : 1) / p->n;
}

bool permutation_test(const struct blocks *b, struct permutation_row *rows,
	uint32_t n, permutation_means *means, void *of, uint32_t permutations,
	uint64_t seed, struct arena *a)
{
	struct permutation_splits splits;
	struct tile *t = arena_new(a, struct tile);
	struct permuting w = { .b = b,
		.rows = rows,
		.n = n,
		.means = means,
		.of = of,
		.splits = &splits,
		.seed = seed };
	uint32_t blocks = b->base_n + b->head_n;
	bool drawn = false;

	for (uint32_t i = 0; i < n; i++)
		drawn = drawn || rows[i].contrast->run_var > 0;
	w.tables = arena_array(a, struct t_draw, TABLES);
	w.scratch = arena_array(a, double, blocks);
	w.own = arena_array(a, float, n + 1);
	if (!t || !w.tables || !w.scratch || !w.own ||
		!permutation_test_splits(b, permutations, !drawn, seed, a,
			&splits))
		return false;
	w.largest = arena_array(a, float, splits.n);
	t->z = arena_array(a, float, (size_t)blocks *TILE);
	t->squares = arena_array(a, float, (size_t)blocks *TILE);
	if (!w.largest || !t->z || !t->squares)
		return false;
	for (uint32_t from = 0; from < n; from += TILE)
		permutation_test_tile_run(&w, from, t);
	qsort(w.largest, splits.n, sizeof *w.largest, permutation_test_by_size);
	for (uint32_t i = 0; i < n; i++)
		rows[i].p = permutation_test_p_of(&splits, w.largest, w.own[i]);
	return true;
}
