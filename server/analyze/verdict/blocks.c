/* blocks.c - groups correlated iterations into blocks that can be exchanged. */
#include "blocks.h"
#include "contrast.h"
#include "order_stat.h"
#include <assert.h>
#include <math.h>

/* Autocorrelation, pooled over rows, and the block length that follows. */

/* A correlation below the first ends the sum. An inflation up to the second
 * is accepted, and corrected for, because fewer blocks would cost more power. */
#define BLOCKS_LAG_MIN_RHO 0.05
#define BLOCKS_MAX_INFLATION 1.25
enum {
	BLOCKS_LAG_ROWS_MAX = 64,
	BLOCKS_LAG_WORK = 1 << 20,
	BLOCKS_LAG_ITERATIONS_MIN = 6
};

/* Σ e_t e_(t+k) of one side into sums[k], e from the mean of each unit. */
static void blocks_lag_add(const struct verdict_side *side, const double *x,
	const double *factor, uint32_t lags, double *e, double *sums)
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

/* The longest rows; fewer if there are very many iterations. */
static uint32_t blocks_lag_rows(const struct verdict_input *in,
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
static void blocks_lag_settle(double *by_row, uint32_t rows, uint32_t lags,
	double iterations, struct blocks_lag *out)
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

static uint32_t blocks_longest_unit(const struct verdict_side *s)
{
	uint32_t most = 0;
	for (uint32_t u = 0; u < s->units; u++)
		most = s->iterations[u] > most ? s->iterations[u] : most;
	return most;
}

bool blocks_lag_from(const struct verdict_input *in, const struct change *means,
	const struct common_estimate *c, struct arena *a,
	struct blocks_lag *out)
{
	uint32_t units = in->base.units + in->head.units;
	uint32_t base = blocks_longest_unit(&in->base),
		 head = blocks_longest_unit(&in->head);
	double iterations = (double)(in->base.n + in->head.n) / units;
	uint32_t lags = (base < head ? base : head) / 3, filled = 0;
	double *e = arena_array(a, double, base > head ? base : head);
	double *scratch = arena_array(a, double, in->n + 1);
	uint32_t *rows = arena_array(a, uint32_t, in->n + 1);

	*out = (struct blocks_lag){ .rho = { 1 } };
	if (!e || !scratch || !rows)
		return false;
	lags = lags < BLOCKS_LAG_MAX ? lags : BLOCKS_LAG_MAX;
	uint32_t n = blocks_lag_rows(in, means, scratch, rows);
	double *by_row = arena_array(a, double, (size_t)(lags + 1) * (n + 1));
	if (!by_row)
		return false;
	if (iterations < BLOCKS_LAG_ITERATIONS_MIN)
		return true;
	for (uint32_t i = 0; i < n; i++) {
		const struct verdict_row *r = &in->rows[rows[i]];
		bool freed = verdict_freed(r) && c->known;
		double sums[BLOCKS_LAG_MAX + 1] = { 0 };
		blocks_lag_add(&in->base, r->base, freed ? c->free_base : NULL,
			lags, e, sums);
		blocks_lag_add(&in->head, r->head, freed ? c->free_head : NULL,
			lags, e, sums);
		for (uint32_t k = 0; sums[0] > 0 && k <= lags; k++)
			by_row[(size_t)k * n + filled] = sums[k] / sums[0];
		filled += sums[0] > 0;
	}
	/* Columns have room for n; only the first `filled` are filled. */
	for (uint32_t k = 1; k <= lags; k++)
		for (uint32_t i = 0; i < filled; i++)
			by_row[(size_t)k * filled + i] =
				by_row[(size_t)k * n + i];
	if (filled)
		blocks_lag_settle(by_row, filled, lags, iterations, out);
	return true;
}

static double blocks_lag_inflation(const struct blocks_lag *l, uint32_t length)
{
	double sum = 1;
	for (uint32_t k = 1; k <= l->n && k < length; k++)
		sum += 2 * (1 - (double)k / length) * l->rho[k];
	return sum;
}

double blocks_widen(const struct blocks_lag *l, uint32_t length)
{
	double all = 1;
	for (uint32_t k = 1; k <= l->n; k++)
		all += 2 * l->rho[k];
	return sqrt(fmax(1, all / blocks_lag_inflation(l, length)));
}

uint32_t blocks_length(const struct blocks_lag *l, uint32_t base_n,
	uint32_t head_n)
{
	uint32_t few = base_n < head_n ? base_n : head_n;
	uint32_t most = few / BLOCKS_MIN, length;

	length = (few + BLOCKS_MAX - 1) / BLOCKS_MAX;
	while (length < most &&
		blocks_widen(l, length) * blocks_widen(l, length) >
			BLOCKS_MAX_INFLATION)
		length++;
	return length ? length : 1;
}

/* Where blocks begin and end, and their means. */

static struct blocks_range *blocks_cut(const struct verdict_side *side,
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

bool blocks_from(const struct verdict_input *in, uint32_t length,
	struct arena *a, struct blocks *out)
{
	*out = (struct blocks){ .length = length, .widen = 1 };
	out->base = blocks_cut(&in->base, length, a, &out->base_n);
	out->head = blocks_cut(&in->head, length, a, &out->head_n);
	out->base_lost = length ? in->base.units - 1 : 0;
	out->head_lost = length ? in->head.units - 1 : 0;
	return out->base && out->head;
}

double blocks_df(const struct blocks *b)
{
	return (double)b->base_n + b->head_n - 2 - b->base_lost - b->head_lost;
}

static void blocks_side_means(const struct blocks_range *b, uint32_t n,
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
static void blocks_level_units(const struct blocks_range *b, uint32_t n,
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

void blocks_means(const struct blocks *b, const struct verdict_row *row,
	const double *base_factor, const double *head_factor, double *means)
{
	blocks_side_means(b->base, b->base_n, row->base, base_factor, means);
	blocks_side_means(b->head, b->head_n, row->head, head_factor,
		means + b->base_n);
	if (b->base_lost)
		blocks_level_units(b->base, b->base_n, b->base_lost, means);
	if (b->head_lost)
		blocks_level_units(b->head, b->head_n, b->head_lost,
			means + b->base_n);
}
