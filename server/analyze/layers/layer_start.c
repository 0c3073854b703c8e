/* layer_start.c - kernels by a part of their name; the lane that has most. */
#include "layer_start.h"
#include <string.h>

static void find_lane(struct layer_starts *out, const struct layer_seq *s,
	uint32_t *on)
{
	for (uint32_t i = 0; i < s->n; i++)
		on[s->items[i].lane] += s->items[i].pass != LAYER_NONE &&
					out->begins[s->items[i].symbol];
	for (uint32_t i = 1; i < s->lanes; i++)
		if (on[i] > on[out->lane])
			out->lane = i;
}

static void find_most(struct layer_starts *out, const struct layer_seq *s,
	uint32_t *count)
{
	for (uint32_t i = 0; i < s->n; i++) {
		const struct layer_item *it = &s->items[i];
		if (it->pass == LAYER_NONE || it->lane != out->lane ||
			!out->begins[it->symbol])
			continue;
		count[it->symbol]++;
		if (out->most == LAYER_NONE ||
			count[it->symbol] > count[out->most])
			out->most = it->symbol;
	}
}

bool layer_starts_from(struct layer_starts *out, const struct layer_seq *s,
	const char *start, struct arena *a)
{
	size_t symbols = (size_t)s->symbols + 1;

	*out = (struct layer_starts){ .begins = arena_grow(a, NULL, symbols),
		.most = LAYER_NONE };
	uint32_t *on = arena_grow(a, NULL, ((size_t)s->lanes + 1) * sizeof *on);
	uint32_t *count = arena_grow(a, NULL, symbols * sizeof *count);
	if (!out->begins || !on || !count)
		return false;
	for (uint32_t i = 0; i < s->profile->kernels_n; i++)
		out->begins[i] =
			strstr(s->profile->kernels[i].name, start) != NULL;
	find_lane(out, s, on);
	find_most(out, s, count);
	return true;
}
