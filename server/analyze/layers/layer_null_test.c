/* layer_doubt.c - layers by sequence held against chance. */
#include "layer_doubt.h"
#include "layer_line.h"
#include "layer_shuffle.h"

enum {
	SHUFFLES = 3,
	KINDS_FEW = 4,
	SAME_LAYERS = 4, /* of a kind, that nothing is to be doubted of, */
	SAME_NAMES = 4 /* and names that each of them has */
};

static const char *const come_once =
	"most of what would be layers comes only once, so nothing repeats";
static const char *const many_kinds =
	"what repeats is of more than four kinds and nothing in it attends, so "
	"it is no stack of layers";
static const char *const by_chance =
	"what repeats is not more than the same kernels would in any order";

/* ---- kinds */

struct kinds {
	uint32_t *of; /* by section: its instances */
	uint32_t n, layers, again; /* layers of kinds that come again */
};

static bool kinds_from(struct kinds *k, const struct layering *l,
	struct arena *a)
{
	*k = (struct kinds){ .of = arena_array(a, uint32_t,
				     (size_t)l->sections_n + 1) };
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

static bool come_again(const struct kinds *k)
{
	return k->again && k->again >= k->layers - k->again;
}

static bool attends(const struct layer_seq *s, const struct layering *l,
	struct arena *a, bool *does)
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

/* ---- the same sequence each time */

/* Items by instance, in order. */
struct sorted {
	uint32_t *item, *from; /* `from` by instance, and one more */
};

static bool sort(struct sorted *x, const struct layer_seq *s,
	const struct layering *l, struct arena *a)
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

static bool equal(const struct layer_seq *s, const struct sorted *x,
	uint32_t one, uint32_t other)
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

static bool enough_names(const struct layer_seq *s, const struct sorted *x,
	uint32_t instance)
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

/* Whether there is nothing to doubt. */
static bool all_same(const struct layer_seq *s, const struct layering *l,
	const struct kinds *k, struct arena *a, bool *same)
{
	uint32_t *first = arena_array(a, uint32_t, (size_t)l->sections_n + 1);
	struct sorted x;

	if (!first || !sort(&x, s, l, a))
		return false;
	*same = true;
	for (uint32_t i = 0; i < l->instances_n && *same; i++) {
		uint32_t of = l->instances[i].section;
		if (l->sections[of].place != SECTION_LAYER)
			continue;
		if (!first[of]) {
			first[of] = i + 1;
			*same = k->of[of] >= SAME_LAYERS &&
				enough_names(s, &x, i);
		} else
			*same = equal(s, &x, first[of] - 1, i);
	}
	return true;
}

/* ---- chance */

/* How much of all launches is in layers that come again, and alike there. */
static double told(const struct layer_seq *s, const struct layering *l,
	const struct kinds *k)
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

/* The same of these launches in an order drawn by chance. */
static bool chance(const struct layer_seq *s, uint64_t seed, double *sure)
{
	struct arena a = arena_scratch(s->arena);
	struct layer_seq mixed;
	struct layering l;
	struct kinds k;
	bool ok = layer_shuffle(s, seed, &mixed, &a) &&
		  layering_by_period(&mixed, &l);

	*sure = 0;
	if (ok && l.detector != LAYERS_NONE) {
		ok = kinds_from(&k, &l, &a);
		if (ok && come_again(&k))
			*sure = told(&mixed, &l, &k);
	}
	arena_scratch_release(&a, s->arena);
	return ok;
}

/* Chance tells as much where it tells more than half of what is told, and leaves
 * less than twice of what is left. */
static bool by_shuffling(const struct layer_seq *s, double is, const char **why)
{
	bool ok = true;

	for (uint64_t seed = 1; ok && !*why && seed <= SHUFFLES; seed++) {
		double sure;
		ok = chance(s, seed, &sure);
		if (ok && sure * 2 > is && 1 - sure < (1 - is) * 2)
			*why = by_chance;
	}
	return ok;
}

static bool doubt(const struct layer_seq *s, const struct layering *l,
	const char **why)
{
	struct arena a = arena_scratch(s->arena);
	bool same, mixes;
	struct kinds k;
	bool ok = kinds_from(&k, l, &a) && attends(s, l, &a, &mixes) &&
		  all_same(s, l, &k, &a, &same);

	double is = ok ? told(s, l, &k) : 0;
	arena_scratch_release(&a, s->arena);
	*why = NULL;
	if (!ok)
		return false;
	if (!come_again(&k)) {
		*why = come_once;
		return true;
	}
	if (!same && !by_shuffling(s, is, why))
		return false;
	if (!*why && k.n > KINDS_FEW && !mixes)
		*why = many_kinds;
	return true;
}

bool layer_doubt_period(const struct layer_seq *s, struct layering *out)
{
	const char *why;

	if (!layering_by_period(s, out))
		return false;
	if (out->detector == LAYERS_NONE)
		return true;
	if (!doubt(s, out, &why))
		return false;
	if (why)
		*out = (struct layering){ .why = why };
	return true;
}
