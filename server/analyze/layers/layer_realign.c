/* layer_realign.c - stream by stream: the period of durations, the name of each
 * phase, and the launches of a phase that have another. */
#include "layer_realign.h"
#include "lag_cycle.h"
#include <string.h>

enum { LAUNCHES_LEAST = 64, LAUNCHES_LOOKED = 20000, TRIES = 8 };
/* A period shorter than the one at which durations repeat best is that of layers,
 * and the best that of passes, where it has this much of them, and of the best's
 * share. */
static const double shorter_least = 0.6, of_best_least = 0.75;

struct realign {
	struct layer_seq *s;
	struct lag_sequence lane;
	uint32_t *item; /* by launch of the lane */
	uint32_t period;
	uint32_t *name; /* by phase */
	int64_t *typical_ns;
	const struct attributed **is; /* by phase, once needed */
	uint32_t changed;
	bool told; /* what the names were */
};

static const struct operator_info *operator_by(const struct realign *r,
	uint32_t name)
{
	const char *is = r->s->profile->kernels[name].operator;
	return is ? catalog_operator(r->s->catalog, is) : NULL;
}

/* The first layer may have a kernel of its own for work of the same kind, a norm
 * that adds nothing; one for other work is what came before the layers: names lag
 * there, too. */
static bool begins_right(const struct realign *r, const struct lag_stretch *st)
{
	for (uint32_t p = 0; p < r->period; p++) {
		uint32_t is = r->lane.name[st->from + p];
		if (is == r->name[p])
			continue;
		const struct operator_info *x = operator_by(r, is),
					   *y = operator_by(r, r->name[p]);
		if (!x || !y || strcmp(x->group, y->group) != 0)
			return false;
	}
	return true;
}

static const struct attributed *by_name(struct realign *r, uint32_t phase)
{
	if (r->is[phase])
		return r->is[phase];
	struct attributed *of = arena_new(r->s->arena, struct attributed);
	if (!of)
		return NULL;
	of->operator= operator_by(r, r->name[phase]);
	of->known = of->operator? KNOWN_RULE : KNOWN_NOT;
	of->call = LAUNCH_NO_CALL;
	return r->is[phase] = of;
}

static bool rename_from(struct realign *r, const struct lag_stretch *st,
	uint32_t from)
{
	for (uint32_t i = from; i < st->to; i++) {
		uint32_t phase = (st->phase + i - st->from) % r->period;
		struct layer_item *item = &r->s->items[r->item[i]];
		if (item->symbol == r->name[phase])
			continue;
		item->symbol = r->name[phase];
		item->is = by_name(r, phase);
		if (!item->is)
			return false;
		r->changed++;
	}
	return true;
}

/* The first stretch tells the names; its first period keeps its own. */
static bool stretches(struct realign *r)
{
	struct arena *a = r->s->arena;
	struct lag_stretch st;
	if (!lag_stretch_next(&r->lane, r->period, 0, &st))
		return true;
	if (!lag_cycle_from(&r->lane, r->period, &st, a, r->name, &r->told) ||
		!lag_stretch_typical(&r->lane, r->period, &st, a,
			r->typical_ns))
		return false;
	r->told = r->told && begins_right(r, &st);
	if (!r->told)
		return true;
	if (!rename_from(r, &st, st.from + r->period))
		return false;
	while (lag_stretch_next(&r->lane, r->period, st.to, &st))
		if (lag_stretch_phase(&r->lane, r->period, r->typical_ns,
			    &st) &&
			!rename_from(r, &st, st.from))
			return false;
	return true;
}

/* The shortest period at which it can be told what the names were. */
static bool periods(struct realign *r, const struct lag_sequence *begin,
	uint32_t longest)
{
	double least = of_best_least * names_lag_periodic(begin, longest);
	uint32_t tries = 0;
	if (least < shorter_least)
		least = shorter_least;
	for (uint32_t k = 2; k <= longest && tries < TRIES && !r->told; k++) {
		if (names_lag_periodic(begin, k) < least)
			continue;
		r->period = k;
		tries++;
		if (!stretches(r))
			return false;
	}
	return true;
}

static bool lane(struct realign *r)
{
	struct lag_sequence begin = r->lane;
	struct arena *a = r->s->arena;
	struct names_lag lag;
	if (begin.n > LAUNCHES_LOOKED)
		begin.n = LAUNCHES_LOOKED;
	if (begin.n < LAUNCHES_LEAST)
		return true;
	if (!names_lag_find(&begin, a, &lag))
		return false;
	if (!lag.launches)
		return true;
	r->name = arena_grow(a, NULL, lag.period * sizeof *r->name);
	r->typical_ns = arena_grow(a, NULL, lag.period * sizeof *r->typical_ns);
	r->is = arena_grow(a, NULL, lag.period * sizeof *r->is);
	bool ok = r->name && r->typical_ns && r->is &&
		  periods(r, &begin, lag.period);
	arena_drop(a, r->name);
	arena_drop(a, r->typical_ns);
	arena_drop(a, r->is);
	return ok;
}

/* Kernels of all lanes, one lane after the other; by lane where it ends. */
static void sort_by_lane(struct realign *all, uint32_t *end)
{
	struct layer_seq *s = all->s;
	uint32_t at = 0;
	for (uint32_t i = 0; i < s->n; i++)
		end[s->items[i].lane] += s->items[i].kind == LAYER_KERNEL;
	for (uint32_t k = 0; k < s->lanes; k++) {
		at += end[k];
		end[k] = at - end[k];
	}
	for (uint32_t i = 0; i < s->n; i++) {
		const struct layer_item *item = &s->items[i];
		if (item->kind != LAYER_KERNEL)
			continue;
		uint32_t to = end[item->lane]++;
		all->item[to] = i;
		all->lane.dur_ns[to] = item->dur_ns;
		all->lane.name[to] = item->symbol;
	}
}

static bool lanes(struct realign *all, const uint32_t *end, uint32_t *changed)
{
	for (uint32_t k = 0; k < all->s->lanes; k++) {
		uint32_t from = k ? end[k - 1] : 0;
		struct realign r = { .s = all->s,
			.lane = { all->lane.dur_ns + from,
				all->lane.name + from, end[k] - from,
				all->s->profile->kernels_n },
			.item = all->item + from };
		if (!lane(&r))
			return false;
		*changed += r.changed;
	}
	return true;
}

bool layer_realign(struct layer_seq *s, uint32_t *changed)
{
	struct arena *a = s->arena;
	struct realign all = { .s = s };
	*changed = 0;
	if (!s->n)
		return true;
	all.item = arena_grow(a, NULL, s->n * sizeof *all.item);
	all.lane.dur_ns = arena_grow(a, NULL, s->n * sizeof *all.lane.dur_ns);
	all.lane.name = arena_grow(a, NULL, s->n * sizeof *all.lane.name);
	uint32_t *end = arena_grow(a, NULL, s->lanes * sizeof *end);
	bool ok = all.item && all.lane.dur_ns && all.lane.name && end;
	if (ok) {
		sort_by_lane(&all, end);
		ok = lanes(&all, end, changed);
	}
	arena_drop(a, all.item);
	arena_drop(a, all.lane.dur_ns);
	arena_drop(a, all.lane.name);
	arena_drop(a, end);
	return ok;
}
