/* layer_null_test.c - tests whether layers found by period could be found by
 * chance. */
#include "layer_null_test.h"
#include "layer_line.h"
#include "layer_seq.h"
#include "xoshiro.h"
#include <stdlib.h>

/* Shuffling: puts the launches in a random order. */

/* Launches that are shuffled. More do not change the decision: with 50,000 it
 * was the same for 60 made-up sequences, periodic with noise or random, and for
 * all recorded traces that were at hand. */
enum { STRETCH = 2048 };

/* Chooses the passes to shuffle, and numbers them in `to`. If a single pass is
 * too long, its launches before *skip are left out. */
static uint32_t layer_null_test_shuffle_choose(const struct layer_seq *s,
	uint32_t *to, uint32_t *count, uint32_t *skip)
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

/* Copies some passes of a sequence, with at most STRETCH launches. */
static bool layer_null_test_shuffle_stretch(const struct layer_seq *s,
	struct layer_seq *out, struct arena *a)
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
	out->passes_n = layer_null_test_shuffle_choose(s, to, count, &skip);
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

static int layer_null_test_shuffle_place_cmp(const void *a, const void *b)
{
	const struct place_in *p = a, *q = b;

	if (p->lane_pass != q->lane_pass)
		return p->lane_pass < q->lane_pass ? -1 : 1;
	return p->item < q->item ? -1 : p->item > q->item;
}

/* Exchanges all fields of two launches except start and duration. */
static void layer_null_test_shuffle_swap(struct layer_item *p,
	struct layer_item *q)
{
	struct layer_item was = *p;

	*p = *q;
	p->start_ns = was.start_ns;
	p->dur_ns = was.dur_ns;
	was.start_ns = q->start_ns;
	was.dur_ns = q->dur_ns;
	*q = was;
}

static bool layer_null_test_shuffle_shuffle(struct layer_seq *s, uint64_t seed,
	struct arena *a)
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
	qsort(at, s->n, sizeof *at, layer_null_test_shuffle_place_cmp);
	for (uint32_t i = 1, from = 0; i < s->n; i++) {
		if (at[i].lane_pass != at[from].lane_pass)
			from = i;
		uint32_t k = from + xoshiro_below(&random, i - from + 1);
		if (k != i)
			layer_null_test_shuffle_swap(&s->items[at[i].item],
				&s->items[at[k].item]);
	}
	return true;
}

/* Copies a sequence and shuffles it. Of a long sequence, some passes or the
 * middle of one are copied, at most 50,000 launches. Launches are shuffled
 * within each stream and pass; starts and durations do not move. The same seed
 * gives the same result. Allocates items and passes in `a`. Returns false if it
 * is full. */
static bool layer_null_test_shuffle(const struct layer_seq *s, uint64_t seed,
	struct layer_seq *out, struct arena *a)
{
	return layer_null_test_shuffle_stretch(s, out, a) &&
	       layer_null_test_shuffle_shuffle(out, seed, a);
}

/* The tests of layers by period. */

enum {
	SHUFFLES = 3,
	KINDS_FEW = 4,
	SAME_LAYERS =
		4, /* least layers of each kind to accept without shuffling, */
	SAME_NAMES = 4 /* and least different names in each layer */
};

static const char *const come_once =
	"most of what would be layers comes only once, so nothing repeats";
static const char *const many_kinds =
	"what repeats is of more than four kinds and nothing in it attends, so "
	"it is no stack of layers";
static const char *const by_chance =
	"what repeats is not more than the same kernels would in any order";

/* ---- kinds */

struct layer_null_test_kinds {
	uint32_t *of; /* by section: its number of instances */
	uint32_t n, layers,
		again; /* number of layers of kinds that occur at least twice */
};

static bool layer_null_test_kinds_from(struct layer_null_test_kinds *k,
	const struct layering *l, struct arena *a)
{
	*k = (struct layer_null_test_kinds){
		.of = arena_array(a, uint32_t, (size_t)l->sections_n + 1)
	};
	if (!k->of)
		return false;
	for (uint32_t i = 0; i < l->instances_n; i++)
		k->of[l->instances[i].section]++;
	for (uint32_t i = 0; i < l->sections_n; i++) {
		if (l->sections[i].place != SECTION_LAYER)
			continue;
		k->n += k->of[i] > 0;
		k->layers += k->of[i];
		k->again += k->of[i] > 1 ? k->of[i] : 0;
	}
	return true;
}

static bool layer_null_test_come_again(const struct layer_null_test_kinds *k)
{
	return k->again && k->again >= k->layers - k->again;
}

static bool layer_null_test_attends(const struct layer_seq *s,
	const struct layering *l, struct arena *a, bool *does)
{
	struct layer_line line;

	if (!layer_line_from(&line, s, a))
		return false;
	*does = false;
	for (uint32_t i = 0; i < line.n && !*does; i++) {
		uint32_t at = l->instance[line.item[i]];
		*does = at != LAYER_NONE && layer_act_mixes(line.act[i]) &&
			l->sections[l->instances[at].section].place ==
				SECTION_LAYER;
	}
	return true;
}

/* ---- instances with the same sequence */

/* Items by instance, in order. */
struct layer_null_test_sorted {
	uint32_t *item, *from; /* `from`: by instance, and the end */
};

static bool layer_null_test_sort(struct layer_null_test_sorted *x,
	const struct layer_seq *s, const struct layering *l, struct arena *a)
{
	x->item = arena_array(a, uint32_t, (size_t)s->n + 1);
	uint32_t *from = arena_array(a, uint32_t, (size_t)l->instances_n + 2);
	if (!x->item || !from)
		return false;
	x->from = from;
	for (uint32_t i = 0; i < s->n; i++)
		if (l->instance[i] != LAYER_NONE)
			from[l->instance[i] + 2]++;
	for (uint32_t i = 2; i < l->instances_n + 2; i++)
		from[i] += from[i - 1];
	for (uint32_t i = 0; i < s->n; i++)
		if (l->instance[i] != LAYER_NONE)
			x->item[from[l->instance[i] + 1]++] = i;
	return true;
}

static bool layer_null_test_equal(const struct layer_seq *s,
	const struct layer_null_test_sorted *x, uint32_t one, uint32_t other)
{
	uint32_t n = x->from[one + 1] - x->from[one];

	if (x->from[other + 1] - x->from[other] != n)
		return false;
	for (uint32_t i = 0; i < n; i++) {
		const struct layer_item *p =
			&s->items[x->item[x->from[one] + i]];
		const struct layer_item *q =
			&s->items[x->item[x->from[other] + i]];
		if (p->symbol != q->symbol || p->lane != q->lane)
			return false;
	}
	return true;
}

static bool layer_null_test_enough_names(const struct layer_seq *s,
	const struct layer_null_test_sorted *x, uint32_t instance)
{
	uint32_t names[SAME_NAMES], n = 0;

	for (uint32_t i = x->from[instance];
		i < x->from[instance + 1] && n < SAME_NAMES; i++) {
		uint32_t symbol = s->items[x->item[i]].symbol, k = 0;
		while (k < n && names[k] != symbol)
			k++;
		if (k == n)
			names[n++] = symbol;
	}
	return n == SAME_NAMES;
}

/* Sets *same to whether shuffling can be skipped: all instances of each kind
 * are equal. Returns false if the arena is full. */
static bool layer_null_test_all_same(const struct layer_seq *s,
	const struct layering *l, const struct layer_null_test_kinds *k,
	struct arena *a, bool *same)
{
	uint32_t *first = arena_array(a, uint32_t, (size_t)l->sections_n + 1);
	struct layer_null_test_sorted x;

	if (!first || !layer_null_test_sort(&x, s, l, a))
		return false;
	*same = true;
	for (uint32_t i = 0; i < l->instances_n && *same; i++) {
		uint32_t of = l->instances[i].section;
		if (l->sections[of].place != SECTION_LAYER)
			continue;
		if (!first[of]) {
			first[of] = i + 1;
			*same = k->of[of] >= SAME_LAYERS &&
				layer_null_test_enough_names(s, &x, i);
		} else
			*same = layer_null_test_equal(s, &x, first[of] - 1, i);
	}
	return true;
}

/* ---- chance */

/* Returns the share of launches that layers explain: the share in layers of
 * kinds that repeat, times the confidence. */
static double layer_null_test_explained(const struct layer_seq *s,
	const struct layering *l, const struct layer_null_test_kinds *k)
{
	uint32_t all = 0, in = 0;

	for (uint32_t i = 0; i < s->n; i++) {
		uint32_t at = l->instance[i];
		all += s->items[i].pass != LAYER_NONE;
		if (at == LAYER_NONE)
			continue;
		uint32_t of = l->instances[at].section;
		in += l->sections[of].place == SECTION_LAYER && k->of[of] > 1;
	}
	return all ? l->confidence * in / all : 0;
}

/* Computes the same share after shuffling. Returns false if the arena is
 * full. */
static bool layer_null_test_chance(const struct layer_seq *s, uint64_t seed,
	double *explained)
{
	struct arena a = arena_scratch(s->arena);
	struct layer_seq mixed;
	struct layering l;
	struct layer_null_test_kinds k;
	bool ok = layer_null_test_shuffle(s, seed, &mixed, &a) &&
		  layering_by_period(&mixed, &l);

	*explained = 0;
	if (ok && l.detector != LAYERS_NONE) {
		ok = layer_null_test_kinds_from(&k, &l, &a);
		if (ok && layer_null_test_come_again(&k))
			*explained = layer_null_test_explained(&mixed, &l, &k);
	}
	arena_scratch_release(&a, s->arena);
	return ok;
}

/* Shuffles several times, and sets *why if chance explains as much as the
 * layers. This is so if it explains more than half of the share that the layers
 * explain, and leaves less than twice the share that they leave unexplained. */
static bool layer_null_test_shuffled(const struct layer_seq *s, double is,
	const char **why)
{
	bool ok = true;

	for (uint64_t seed = 1; ok && !*why && seed <= SHUFFLES; seed++) {
		double explained;
		ok = layer_null_test_chance(s, seed, &explained);
		if (ok && explained * 2 > is && 1 - explained < (1 - is) * 2)
			*why = by_chance;
	}
	return ok;
}

static bool layer_null_test_run(const struct layer_seq *s,
	const struct layering *l, const char **why)
{
	struct arena a = arena_scratch(s->arena);
	bool same, mixes;
	struct layer_null_test_kinds k;
	bool ok = layer_null_test_kinds_from(&k, l, &a) &&
		  layer_null_test_attends(s, l, &a, &mixes) &&
		  layer_null_test_all_same(s, l, &k, &a, &same);

	double is = ok ? layer_null_test_explained(s, l, &k) : 0;
	arena_scratch_release(&a, s->arena);
	*why = NULL;
	if (!ok)
		return false;
	if (!layer_null_test_come_again(&k)) {
		*why = come_once;
		return true;
	}
	if (!same && !layer_null_test_shuffled(s, is, why))
		return false;
	if (!*why && k.n > KINDS_FEW && !mixes)
		*why = many_kinds;
	return true;
}

bool layer_null_test(const struct layer_seq *s, struct layering *l)
{
	const char *why;

	if (l->detector != LAYERS_PERIOD)
		return true;
	if (!layer_null_test_run(s, l, &why))
		return false;
	if (why)
		*l = (struct layering){ .why = why };
	return true;
}
