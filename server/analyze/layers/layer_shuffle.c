/* layer_shuffle.c - the same launches in an order drawn by chance. */
#include "layer_shuffle.h"
#include "xoshiro.h"
#include <stdlib.h>

enum { STRETCH = 50000 }; /* launches */

/* Passes of a stretch get their numbers in `to`; of a pass that is too long by
 * itself what is before *skip is left out. */
static uint32_t choose(const struct layer_seq *s, uint32_t *to, uint32_t *count,
	uint32_t *skip)
{
	uint32_t left = STRETCH, passes = 0;

	*skip = 0;
	for (uint32_t i = 0; i < s->n; i++)
		if (s->items[i].pass != LAYER_NONE)
			count[s->items[i].pass]++;
	for (uint32_t i = 0; i < s->passes_n; i++)
		to[i] = LAYER_NONE;
	for (uint32_t i = 0; i < s->passes_n; i++) {
		uint32_t p = (i + 1) % s->passes_n, n = count[p];
		if (n > left && left < STRETCH)
			break;
		if (n > left)
			*skip = (n - left) / 2;
		left -= n < left ? n : left;
		to[p] = 0;
		if (!left)
			break;
	}
	for (uint32_t i = 0; i < s->passes_n; i++)
		if (to[i] != LAYER_NONE)
			to[i] = passes++;
	return passes;
}

/* A copy of some passes of a sequence, at most STRETCH launches of them. */
static bool stretch(const struct layer_seq *s, struct layer_seq *out,
	struct arena *a)
{
	size_t passes = (size_t)s->passes_n + 1;
	size_t room = s->n < STRETCH ? s->n : STRETCH;
	uint32_t *to = arena_array(a, uint32_t, passes), skip;
	uint32_t *count = arena_array(a, uint32_t, passes);

	*out = *s;
	out->arena = a;
	out->n = 0;
	out->items = arena_array(a, struct layer_item, room + 1);
	out->passes = arena_array(a, struct layer_pass, passes);
	if (!to || !count || !out->items || !out->passes)
		return false;
	out->passes_n = choose(s, to, count, &skip);
	for (uint32_t i = 0; i < s->passes_n; i++)
		if (to[i] != LAYER_NONE)
			out->passes[to[i]] = s->passes[i];
	for (uint32_t i = 0; i < s->n && out->n < STRETCH; i++) {
		uint32_t pass = s->items[i].pass;
		if (pass == LAYER_NONE || to[pass] == LAYER_NONE)
			continue;
		if (skip) {
			skip--;
			continue;
		}
		out->items[out->n] = s->items[i];
		out->items[out->n++].pass = to[pass];
	}
	return true;
}

struct place_in {
	uint64_t lane_pass;
	uint32_t item;
};

static int place_cmp(const void *a, const void *b)
{
	const struct place_in *p = a, *q = b;

	if (p->lane_pass != q->lane_pass)
		return p->lane_pass < q->lane_pass ? -1 : 1;
	return p->item < q->item ? -1 : p->item > q->item;
}

/* What each launch is goes to another of its lane and pass; when it ran stays. */
static void swap(struct layer_item *p, struct layer_item *q)
{
	struct layer_item was = *p;

	*p = *q;
	p->start_ns = was.start_ns;
	p->dur_ns = was.dur_ns;
	was.start_ns = q->start_ns;
	was.dur_ns = q->dur_ns;
	*q = was;
}

static bool shuffle(struct layer_seq *s, uint64_t seed, struct arena *a)
{
	struct place_in *at = arena_array(a, struct place_in, (size_t)s->n + 1);
	struct xoshiro random;

	if (!at)
		return false;
	xoshiro_init(&random, seed);
	for (uint32_t i = 0; i < s->n; i++)
		at[i] = (struct place_in){
			(uint64_t)s->items[i].lane << 32 | s->items[i].pass, i
		};
	qsort(at, s->n, sizeof *at, place_cmp);
	for (uint32_t i = 1, from = 0; i < s->n; i++) {
		if (at[i].lane_pass != at[from].lane_pass)
			from = i;
		uint32_t k = from + xoshiro_below(&random, i - from + 1);
		if (k != i)
			swap(&s->items[at[i].item], &s->items[at[k].item]);
	}
	return true;
}

bool layer_shuffle(const struct layer_seq *s, uint64_t seed,
	struct layer_seq *out, struct arena *a)
{
	return stretch(s, out, a) && shuffle(out, seed, a);
}
