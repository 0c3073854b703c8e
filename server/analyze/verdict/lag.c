/* lag.c - autocorrelation, pooled over rows, and the blocks it asks for. */
#include "lag.h"
#include "order_stat.h"
#include <math.h>

/* A correlation below this ends the sum; inflation left over that is accepted
 * (and corrected for) rather than have fewer blocks. */
#define LAG_LITTLE 0.05
#define LAG_LEFT 1.25
enum { LAG_ROWS_MAX = 64, LAG_WORK = 1 << 20, LAG_CYCLES_MIN = 6 };

/* Σ e_t e_(t+k) of one side into sums[k], e from the mean of each unit. */
static void add_side(const struct verdict_side *side, const double *x,
	const double *factor, uint32_t lags, double *e, double *sums)
{
	uint32_t at = 0;
	for (uint32_t u = 0; u < side->units; u++) {
		uint32_t n = side->cycles[u];
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

/* Rows to ask: the longest, fewer where there are very many cycles. */
static uint32_t rows_of(const struct verdict_input *in,
	const struct change *means, double *scratch, uint32_t *rows)
{
	uint32_t n = 0, most = LAG_WORK / (in->base.n + in->head.n + 1) + 8;
	double least = 0;

	most = most < LAG_ROWS_MAX ? most : LAG_ROWS_MAX;
	for (uint32_t i = 0; i < in->n; i++)
		scratch[i] = means[i].base_ns + means[i].head_ns;
	if (in->n > most)
		least = order_stat(scratch, in->n, in->n - most);
	for (uint32_t i = 0; i < in->n && n < most; i++)
		if (means[i].base_ns + means[i].head_ns >= least)
			rows[n++] = i;
	return n;
}

/* Medians are taken over rows; what a mean that was estimated takes from every
 * correlation, inflation / n of each, is given back. */
static void settle(double *by_row, uint32_t rows, uint32_t lags, double cycles,
	struct lag *out)
{
	double total = 1;
	double raw[LAG_MAX + 1];
	for (uint32_t k = 1; k <= lags; k++)
		raw[k] = order_stat_median(by_row + (size_t)k * rows, rows);
	for (int turn = 0; turn < 3; turn++) {
		double back = fmin(0.5, total / cycles), sum = 1;
		out->n = 0;
		for (uint32_t k = 1; k <= lags; k++) {
			double rho = raw[k] * (1 - back) + back;
			if (rho < LAG_LITTLE)
				break;
			out->rho[k] = fmin(rho, 0.99);
			out->n = k;
			sum += 2 * out->rho[k];
		}
		total = sum;
	}
}

static uint32_t longest(const struct verdict_side *s)
{
	uint32_t most = 0;
	for (uint32_t u = 0; u < s->units; u++)
		most = s->cycles[u] > most ? s->cycles[u] : most;
	return most;
}

bool lag_from(const struct verdict_input *in, const struct change *means,
	const struct common *c, struct arena *a, struct lag *out)
{
	uint32_t units = in->base.units + in->head.units;
	uint32_t base = longest(&in->base), head = longest(&in->head);
	double cycles = (double)(in->base.n + in->head.n) / units;
	uint32_t lags = (base < head ? base : head) / 3, asked = 0;
	double *e = arena_array(a, double, base > head ? base : head);
	double *scratch = arena_array(a, double, in->n + 1);
	uint32_t *rows = arena_array(a, uint32_t, in->n + 1);

	*out = (struct lag){ .rho = { 1 } };
	if (!e || !scratch || !rows)
		return false;
	lags = lags < LAG_MAX ? lags : LAG_MAX;
	uint32_t n = rows_of(in, means, scratch, rows);
	double *by_row = arena_array(a, double, (size_t)(lags + 1) * (n + 1));
	if (!by_row)
		return false;
	if (cycles < LAG_CYCLES_MIN)
		return true;
	for (uint32_t i = 0; i < n; i++) {
		const struct verdict_row *r = &in->rows[rows[i]];
		bool freed = verdict_freed(r) && c->known;
		double sums[LAG_MAX + 1] = { 0 };
		add_side(&in->base, r->base, freed ? c->free_base : NULL, lags,
			e, sums);
		add_side(&in->head, r->head, freed ? c->free_head : NULL, lags,
			e, sums);
		for (uint32_t k = 0; sums[0] > 0 && k <= lags; k++)
			by_row[(size_t)k * n + asked] = sums[k] / sums[0];
		asked += sums[0] > 0;
	}
	/* Columns of `n`, of which the first `asked` are filled. */
	for (uint32_t k = 1; k <= lags; k++)
		for (uint32_t i = 0; i < asked; i++)
			by_row[(size_t)k * asked + i] =
				by_row[(size_t)k * n + i];
	if (asked)
		settle(by_row, asked, lags, cycles, out);
	return true;
}

double lag_inflation(const struct lag *l, uint32_t length)
{
	double sum = 1;
	for (uint32_t k = 1; k <= l->n && k < length; k++)
		sum += 2 * (1 - (double)k / length) * l->rho[k];
	return sum;
}

double lag_widen(const struct lag *l, uint32_t length)
{
	double all = 1;
	for (uint32_t k = 1; k <= l->n; k++)
		all += 2 * l->rho[k];
	return sqrt(fmax(1, all / lag_inflation(l, length)));
}

uint32_t lag_block(const struct lag *l, uint32_t base_n, uint32_t head_n)
{
	uint32_t few = base_n < head_n ? base_n : head_n;
	uint32_t most = few / LAG_BLOCKS_MIN, length;

	length = (few + LAG_BLOCKS_MAX - 1) / LAG_BLOCKS_MAX;
	while (length < most &&
		lag_widen(l, length) * lag_widen(l, length) > LAG_LEFT)
		length++;
	return length ? length : 1;
}
