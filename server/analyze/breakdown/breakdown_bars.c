/* breakdown_bars.c - what each layer of a pass spends on its blocks. */
#include "breakdown_work.h"
#include "exact.h"

/* Passes that have a layer of a number; 0 beyond those that are told. */
static uint32_t *passes_with(const struct breakdown_work *w)
{
	uint32_t *n = arena_grow(w->a, NULL,
		((size_t)BREAKDOWN_BAR_LAYERS + 1) * sizeof *n);

	for (uint32_t i = 0; n && i < w->l->instances_n; i++) {
		const struct layer_instance *in = &w->l->instances[i];
		if (w->l->sections[in->section].place == SECTION_LAYER &&
			in->number < BREAKDOWN_BAR_LAYERS)
			n[in->number]++;
	}
	return n;
}

/* Durations by layer and block. */
static void add_up(const struct breakdown_work *w, int64_t *sums)
{
	const struct breakdown *out = w->out;

	for (uint32_t i = 0; i < w->order_n; i++) {
		uint32_t item = w->order[i];
		const struct layer_instance *in =
			&w->l->instances[w->l->instance[item]];
		if (w->l->sections[in->section].place != SECTION_LAYER ||
			in->number >= BREAKDOWN_BAR_LAYERS)
			continue;
		uint32_t block = out->rows[breakdown_row_of(w, item)].block;
		sums[(size_t)in->number * out->blocks_n + block] +=
			w->s->items[item].dur_ns;
	}
}

/* Cells of as many whole layers as are told. */
static size_t within(const int64_t *sums, uint32_t blocks)
{
	size_t n = 0, layer = 0;

	for (; layer < BREAKDOWN_BAR_LAYERS; layer++) {
		for (uint32_t b = 0; b < blocks; b++)
			n += sums[layer * blocks + b] > 0;
		if (n > BREAKDOWN_BARS_MOST)
			break;
	}
	return layer * blocks;
}

bool breakdown_bars(struct breakdown_work *w)
{
	struct breakdown *out = w->out;
	size_t cells = (size_t)BREAKDOWN_BAR_LAYERS * out->blocks_n, n = 0;
	uint32_t *with = passes_with(w);
	int64_t *sums = arena_grow(w->a, NULL, (cells + 1) * sizeof *sums);

	if (!with || !sums)
		return false;
	add_up(w, sums);
	for (size_t i = 0; i < cells; i++)
		n += sums[i] > 0;
	out->bars = arena_array(w->keep, struct breakdown_bar, n + 1);
	if (!out->bars)
		return false;
	if (n > BREAKDOWN_BARS_MOST)
		cells = within(sums, out->blocks_n);
	for (size_t i = 0; i < cells; i++) {
		uint32_t layer = (uint32_t)(i / out->blocks_n);
		if (sums[i] > 0)
			out->bars[out->bars_n++] =
				(struct breakdown_bar){ layer,
					(uint32_t)(i % out->blocks_n),
					(double)exact_tenths((wide_t)sums[i],
						(wide_t)with[layer]) /
						10 };
	}
	arena_drop(w->a, with);
	arena_drop(w->a, sums);
	return true;
}
