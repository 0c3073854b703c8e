/* blocks.c - where blocks begin and end, and their means. */
#include "blocks.h"
#include <assert.h>
#include <math.h>

static struct block *cut(const struct verdict_side *side, uint32_t length,
	struct arena *a, uint32_t *n)
{
	uint32_t at = 0;
	*n = 0;
	for (uint32_t u = 0; u < side->units; u++)
		*n += length && side->cycles[u] > length
			      ? side->cycles[u] / length
			      : 1;
	struct block *blocks = arena_array(a, struct block, *n), *b = blocks;
	for (uint32_t u = 0; b && u < side->units; u++) {
		uint64_t cycles = side->cycles[u];
		uint64_t parts =
			length && cycles > length ? cycles / length : 1;
		for (uint64_t k = 0; k < parts; k++)
			*b++ = (struct block){ at + (uint32_t)(cycles * k /
							       parts),
				at + (uint32_t)(cycles * (k + 1) / parts), u };
		at += side->cycles[u];
	}
	assert(!blocks || at == side->n);
	return blocks;
}

bool blocks_from(const struct verdict_input *in, uint32_t length,
	struct arena *a, struct blocks *out)
{
	*out = (struct blocks){ .length = length, .widen = 1 };
	out->base = cut(&in->base, length, a, &out->base_n);
	out->head = cut(&in->head, length, a, &out->head_n);
	out->base_lost = length ? in->base.units - 1 : 0;
	out->head_lost = length ? in->head.units - 1 : 0;
	return out->base && out->head;
}

double blocks_df(const struct blocks *b)
{
	return (double)b->base_n + b->head_n - 2 - b->base_lost - b->head_lost;
}

static void means_of(const struct block *b, uint32_t n, const double *x,
	const double *factor, double *means)
{
	for (uint32_t i = 0; i < n; i++) {
		double sum = 0;
		for (uint32_t c = b[i].from; c < b[i].to; c++)
			sum += factor ? x[c] / factor[c] : x[c];
		means[i] = sum / (b[i].to - b[i].from);
	}
}

/* Each unit's blocks are moved to the mean of all blocks of the side. */
static void level(const struct block *b, uint32_t n, uint32_t lost,
	double *means)
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
	means_of(b->base, b->base_n, row->base, base_factor, means);
	means_of(b->head, b->head_n, row->head, head_factor, means + b->base_n);
	if (b->base_lost)
		level(b->base, b->base_n, b->base_lost, means);
	if (b->head_lost)
		level(b->head, b->head_n, b->head_lost, means + b->base_n);
}
