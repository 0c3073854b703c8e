/* layer_realign.c - moves kernel names back to the launches whose durations
 * they belong to. */
#include "layer_realign.h"
#include "names_lag.h"
#include "order_stat.h"
#include <stdlib.h>
#include <string.h>

/* Stretches: the parts of a sequence in which durations repeat, each with the
 * phase of the period at its first launch. A stretch ends where a launch is
 * lost or inserted, or where durations no longer repeat. */

struct lag_stretch {
	uint32_t from, to; /* launches */
	uint32_t phase; /* of the first launch */
};

enum { WINDOW_MIN = 8, PERIODS_MIN = 3 };
static const double begin_min = 0.8, continue_min = 0.6, fit_min = 0.5,
		    fit_ahead = 0.15;

static bool layer_realign_lag_stretch_again(const struct lag_sequence *s,
	uint32_t period, uint32_t i)
{
	return names_lag_similar(s->dur_ns[i], s->dur_ns[i - period]);
}

/* Returns the first launch in a window from which on enough durations
 * repeat. */
static uint32_t layer_realign_lag_stretch_begin(const struct lag_sequence *s,
	uint32_t period, uint32_t from, uint32_t to)
{
	uint32_t half = (to - from) / 2, in = 0;
	for (uint32_t i = from; i < from + half; i++)
		in += layer_realign_lag_stretch_again(s, period, i);
	for (uint32_t i = from; i < from + half; i++) {
		if (layer_realign_lag_stretch_again(s, period, i) &&
			in >= begin_min * half)
			return i;
		in += layer_realign_lag_stretch_again(s, period, i + half);
		in -= layer_realign_lag_stretch_again(s, period, i);
	}
	return from + half;
}

/* Returns the end of a stretch. Launches after the last one that does not
 * repeat are included only if they are at least half a window. The end is moved
 * back to a whole period, unless at least half of one more period is there. */
static uint32_t layer_realign_lag_stretch_end(const struct lag_sequence *s,
	uint32_t period, uint32_t from, uint32_t to, uint32_t window)
{
	uint32_t i = to, run = 0;
	while (i > from + period && run < window / 2) {
		i--;
		if (layer_realign_lag_stretch_again(s, period, i)) {
			run++;
		} else {
			run = 0;
			to = i;
		}
	}
	uint32_t rest = (to - from) % period;
	return rest * 2 < period ? to - rest : to;
}

/* Finds the first stretch of at least three periods that begins at `at` or
 * later. Its phase is set to 0. Returns false if there is none. */
static bool layer_realign_lag_stretch_next(const struct lag_sequence *s,
	uint32_t period, uint32_t at, struct lag_stretch *out)
{
	uint32_t window = period < WINDOW_MIN ? WINDOW_MIN : period;
	uint32_t first = at + period, in = 0;
	bool open = false;
	for (uint32_t i = first; i < s->n; i++) {
		in += layer_realign_lag_stretch_again(s, period, i);
		if (i >= first + window)
			in -= layer_realign_lag_stretch_again(s, period,
				i - window);
		if (i + 1 < first + window)
			continue;
		if (!open && in >= begin_min * window) {
			open = true;
			out->from = layer_realign_lag_stretch_begin(s, period,
					    i + 1 - window, i + 1) -
				    period;
		}
		if (!open || (in >= continue_min * window && i + 1 < s->n))
			continue;
		*out = (struct lag_stretch){ out->from,
			layer_realign_lag_stretch_end(s, period, out->from,
				i + 1, window),
			0 };
		if (out->to - out->from >= PERIODS_MIN * period)
			return true;
		open = false;
	}
	return false;
}

/* Stores the median duration of each phase in a stretch. Returns false if the
 * arena is full. */
static bool layer_realign_lag_stretch_typical(const struct lag_sequence *s,
	uint32_t period, const struct lag_stretch *st, struct arena *a,
	int64_t *typical_ns)
{
	uint32_t n = (st->to - st->from) / period + 1;
	double *of = arena_grow(a, NULL, n * sizeof *of);
	if (!of)
		return false;
	for (uint32_t p = 0; p < period; p++) {
		uint32_t k = 0;
		for (uint32_t i = st->from + p; i < st->to; i += period)
			of[k++] = (double)s->dur_ns[i];
		typical_ns[p] = (int64_t)order_stat_median(of, k);
	}
	arena_drop(a, of);
	return true;
}

/* Finds the phase at which the durations of a stretch match the typical ones.
 * Returns false if no phase matches, or if two match about equally well. */
static bool layer_realign_lag_stretch_phase(const struct lag_sequence *s,
	uint32_t period, const int64_t *typical_ns, struct lag_stretch *st)
{
	uint32_t looked = st->to - st->from, best = 0, second = 0;
	if (looked > 2 * period)
		looked = 2 * period;
	for (uint32_t phase = 0; phase < period; phase++) {
		uint32_t fit = 0;
		for (uint32_t i = 0; i < looked; i++)
			fit += names_lag_similar(s->dur_ns[st->from + i],
				typical_ns[(phase + i) % period]);
		if (fit > best) {
			second = best;
			best = fit;
			st->phase = phase;
		} else if (fit > second) {
			second = fit;
		}
	}
	return best >= fit_min * looked && best - second >= fit_ahead * looked;
}

/* Finds the name of each phase in a stretch. The lag of the names changes along
 * the stretch, but their order does not. The lag of a launch is the shift at which most names
 * around the launch are equal to those of the first period. The name of a phase
 * is the most frequent name of its launches after the lag is removed. */

enum { LOOKED = 20000, NOWHERE = UINT32_MAX };
static const double certain_min = 0.6, in_order_min = 0.8;

struct lag_iteration {
	const struct lag_sequence *s;
	uint32_t from, n, period;
	uint32_t *at,
		*next; /* by name: the first phase that has it in the first period; by phase: the next phase with its name */
	uint32_t *votes; /* by lag, over the window around a launch */
	uint32_t *lag; /* by launch; NOWHERE: uncertain */
	uint64_t *pair; /* phase and name of launches with a lag */
	uint32_t pairs;
};

static bool layer_realign_lag_iteration_room(struct lag_iteration *c,
	struct arena *a)
{
	c->at = arena_grow(a, NULL, c->s->names_n * sizeof *c->at);
	c->next = arena_grow(a, NULL, c->period * sizeof *c->next);
	c->votes = arena_grow(a, NULL, c->period * sizeof *c->votes);
	c->lag = arena_grow(a, NULL, c->n * sizeof *c->lag);
	c->pair = arena_grow(a, NULL, c->n * sizeof *c->pair);
	return c->at && c->next && c->votes && c->lag && c->pair;
}

static void layer_realign_lag_iteration_drop(struct lag_iteration *c,
	struct arena *a)
{
	arena_drop(a, c->at);
	arena_drop(a, c->next);
	arena_drop(a, c->votes);
	arena_drop(a, c->lag);
	arena_drop(a, c->pair);
}

static uint32_t layer_realign_lag_iteration_name_of(const struct lag_iteration
							    *c,
	uint32_t i)
{
	return c->s->name[c->from + i];
}

static void layer_realign_lag_iteration_index_first(struct lag_iteration *c)
{
	memset(c->at, 0xff, c->s->names_n * sizeof *c->at);
	memset(c->votes, 0, c->period * sizeof *c->votes);
	for (uint32_t p = c->period; p-- > 0;) {
		c->next[p] = c->at[layer_realign_lag_iteration_name_of(c, p)];
		c->at[layer_realign_lag_iteration_name_of(c, p)] = p;
	}
}

/* Adds `by` votes (-1 withdraws one) for each lag at which a launch's name
 * would be the name of its phase. */
static void layer_realign_lag_iteration_vote(struct lag_iteration *c,
	uint32_t i, uint32_t by)
{
	uint32_t phase = i % c->period;
	for (uint32_t p = c->at[layer_realign_lag_iteration_name_of(c, i)];
		p != NOWHERE; p = c->next[p])
		c->votes[(phase + c->period - p) % c->period] += by;
}

static uint32_t layer_realign_lag_iteration_elected(const struct lag_iteration
							    *c,
	uint32_t before, uint32_t of)
{
	uint32_t best = before == NOWHERE ? 0 : before;
	for (uint32_t k = 0; k < c->period; k++)
		if (c->votes[k] > c->votes[best])
			best = k;
	return c->votes[best] >= certain_min * of ? best : NOWHERE;
}

static void layer_realign_lag_iteration_find_lags(struct lag_iteration *c)
{
	uint32_t half = c->period / 2 + 1, before = 0;
	for (uint32_t i = 0; i < half && i < c->n; i++)
		layer_realign_lag_iteration_vote(c, i, 1);
	for (uint32_t i = 0; i < c->n; i++) {
		uint32_t from = i < half ? 0 : i - half;
		uint32_t to = i + half < c->n ? i + half + 1 : c->n;
		if (i + half < c->n)
			layer_realign_lag_iteration_vote(c, i + half, 1);
		if (i > half)
			layer_realign_lag_iteration_vote(c, i - half - 1,
				(uint32_t)-1);
		c->lag[i] = layer_realign_lag_iteration_elected(c, before,
			to - from);
		if (c->lag[i] != NOWHERE)
			before = c->lag[i];
	}
}

static int layer_realign_lag_iteration_by_pair(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;
	return (*x > *y) - (*x < *y);
}

static uint32_t layer_realign_lag_iteration_own_phase(const struct lag_iteration
							      *c,
	uint32_t i)
{
	return (i + c->period - c->lag[i]) % c->period;
}

static void layer_realign_lag_iteration_elect_names(struct lag_iteration *c,
	uint32_t *name)
{
	for (uint32_t i = 0; i < c->n; i++)
		if (c->lag[i] != NOWHERE)
			c->pair[c->pairs++] =
				(uint64_t)layer_realign_lag_iteration_own_phase(
					c, i)
					<< 32 |
				layer_realign_lag_iteration_name_of(c, i);
	qsort(c->pair, c->pairs, sizeof *c->pair,
		layer_realign_lag_iteration_by_pair);
	for (uint32_t p = 0; p < c->period; p++)
		name[p] = layer_realign_lag_iteration_name_of(c, p);
	for (uint32_t i = 0, best = 0, of = NOWHERE; i < c->pairs;) {
		uint32_t k = i, phase = (uint32_t)(c->pair[i] >> 32);
		while (k < c->pairs && c->pair[k] == c->pair[i])
			k++;
		if (phase != of) {
			best = 0;
			of = phase;
		}
		if (k - i > best) {
			best = k - i;
			name[phase] = (uint32_t)c->pair[i];
		}
		i = k;
	}
}

static bool layer_realign_lag_iteration_in_order(const struct lag_iteration *c,
	const uint32_t *name)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < c->n; i++)
		n += c->lag[i] != NOWHERE &&
		     layer_realign_lag_iteration_name_of(c, i) ==
			     name[layer_realign_lag_iteration_own_phase(c, i)];
	return n >= in_order_min * c->n;
}

/* Fills `name`, by phase. *found is false if names do not keep their order. It
 * is also false if no launch precedes the stretch: then there is no evidence
 * that the names of the first period are right. Returns false if the arena is
 * full. */
static bool layer_realign_lag_iteration_from(const struct lag_sequence *s,
	uint32_t period, const struct lag_stretch *st, struct arena *a,
	uint32_t *name, bool *found)
{
	uint32_t n = st->to - st->from;
	struct lag_iteration c = { .s = s,
		.from = st->from,
		.n = n < LOOKED ? n : LOOKED,
		.period = period };
	bool ok = layer_realign_lag_iteration_room(&c, a);
	*found = false;
	if (ok) {
		layer_realign_lag_iteration_index_first(&c);
		layer_realign_lag_iteration_find_lags(&c);
		layer_realign_lag_iteration_elect_names(&c, name);
		*found = st->from &&
			 layer_realign_lag_iteration_in_order(&c, name);
	}
	layer_realign_lag_iteration_drop(&c, a);
	return ok;
}

/* Realignment, stream by stream: finds the period of durations and the name of
 * each phase, then renames the launches of a phase that have another name. */

enum { LAUNCHES_MIN = 64, LAUNCHES_MAX = 20000, TRIES = 8 };
/* The best period may be that of passes, and a shorter one that of layers. A
 * shorter period is used if at least this share of durations repeats,
 * absolutely and relative to the best period. */
static const double shorter_min = 0.6, of_best_min = 0.75;

struct realign {
	struct layer_seq *s;
	struct lag_sequence lane;
	uint32_t *item; /* by launch of the lane */
	uint32_t period;
	uint32_t *name; /* by phase */
	int64_t *typical_ns;
	const struct attributed **is; /* by phase; filled when needed */
	uint32_t changed;
	bool found; /* the original names were recovered */
};

static const struct operator_info *
layer_realign_operator_by(const struct realign *r, uint32_t name)
{
	const char *is = r->s->profile->kernels[name].op;
	return is ? catalog_operator(r->s->catalog, is) : NULL;
}

/* Returns whether the names of the first period are right. The first layer may
 * have another kernel of the same group, such as a norm without an addition. A
 * kernel of another group is a name from before the layers: names lag there,
 * too. */
static bool layer_realign_begins_right(const struct realign *r,
	const struct lag_stretch *st)
{
	for (uint32_t p = 0; p < r->period; p++) {
		uint32_t is = r->lane.name[st->from + p];
		if (is == r->name[p])
			continue;
		const struct operator_info *x = layer_realign_operator_by(r,
						   is),
					   *y = layer_realign_operator_by(r,
						   r->name[p]);
		if (!x || !y || strcmp(x->group, y->group) != 0)
			return false;
	}
	return true;
}

static const struct attributed *layer_realign_by_name(struct realign *r,
	uint32_t phase)
{
	if (r->is[phase])
		return r->is[phase];
	struct attributed *of = arena_new(r->s->arena, struct attributed);
	if (!of)
		return NULL;
	of->op = layer_realign_operator_by(r, r->name[phase]);
	of->known = of->op ? KNOWN_RULE : KNOWN_NOT;
	of->call = LAUNCH_NO_CALL;
	return r->is[phase] = of;
}

static bool layer_realign_rename_from(struct realign *r,
	const struct lag_stretch *st, uint32_t from)
{
	for (uint32_t i = from; i < st->to; i++) {
		uint32_t phase = (st->phase + i - st->from) % r->period;
		struct layer_item *item = &r->s->items[r->item[i]];
		if (item->symbol == r->name[phase])
			continue;
		item->symbol = r->name[phase];
		item->is = layer_realign_by_name(r, phase);
		if (!item->is)
			return false;
		r->changed++;
	}
	return true;
}

/* Renames the launches of all stretches. The first stretch gives the names; its
 * first period is not renamed. */
static bool layer_realign_stretches(struct realign *r)
{
	struct arena *a = r->s->arena;
	struct lag_stretch st;
	if (!layer_realign_lag_stretch_next(&r->lane, r->period, 0, &st))
		return true;
	if (!layer_realign_lag_iteration_from(&r->lane, r->period, &st, a,
		    r->name, &r->found) ||
		!layer_realign_lag_stretch_typical(&r->lane, r->period, &st, a,
			r->typical_ns))
		return false;
	r->found = r->found && layer_realign_begins_right(r, &st);
	if (!r->found)
		return true;
	if (!layer_realign_rename_from(r, &st, st.from + r->period))
		return false;
	while (layer_realign_lag_stretch_next(&r->lane, r->period, st.to, &st))
		if (layer_realign_lag_stretch_phase(&r->lane, r->period,
			    r->typical_ns, &st) &&
			!layer_realign_rename_from(r, &st, st.from))
			return false;
	return true;
}

/* Finds the shortest period at which the names can be recovered. */
static bool layer_realign_periods(struct realign *r,
	const struct lag_sequence *begin, uint32_t longest)
{
	double min_score = of_best_min * names_lag_periodic(begin, longest);
	uint32_t tries = 0;
	if (min_score < shorter_min)
		min_score = shorter_min;
	for (uint32_t k = 2; k <= longest && tries < TRIES && !r->found; k++) {
		if (names_lag_periodic(begin, k) < min_score)
			continue;
		r->period = k;
		tries++;
		if (!layer_realign_stretches(r))
			return false;
	}
	return true;
}

static bool layer_realign_lane(struct realign *r)
{
	struct lag_sequence begin = r->lane;
	struct arena *a = r->s->arena;
	struct names_lag lag;
	if (begin.n > LAUNCHES_MAX)
		begin.n = LAUNCHES_MAX;
	if (begin.n < LAUNCHES_MIN)
		return true;
	if (!names_lag_find(&begin, a, &lag))
		return false;
	if (!lag.launches)
		return true;
	r->name = arena_grow(a, NULL, lag.period * sizeof *r->name);
	r->typical_ns = arena_grow(a, NULL, lag.period * sizeof *r->typical_ns);
	r->is = arena_grow(a, NULL, lag.period * sizeof *r->is);
	bool ok = r->name && r->typical_ns && r->is &&
		  layer_realign_periods(r, &begin, lag.period);
	arena_drop(a, r->name);
	arena_drop(a, r->typical_ns);
	arena_drop(a, r->is);
	return ok;
}

/* Lists kernels lane by lane; `end` is by lane. */
static void layer_realign_sort_by_lane(struct realign *all, uint32_t *end)
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

static bool layer_realign_lanes(struct realign *all, const uint32_t *end,
	uint32_t *changed)
{
	for (uint32_t k = 0; k < all->s->lanes; k++) {
		uint32_t from = k ? end[k - 1] : 0;
		struct realign r = { .s = all->s,
			.lane = { all->lane.dur_ns + from,
				all->lane.name + from, end[k] - from,
				all->s->profile->kernels_n },
			.item = all->item + from };
		if (!layer_realign_lane(&r))
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
		layer_realign_sort_by_lane(&all, end);
		ok = layer_realign_lanes(&all, end, changed);
	}
	arena_drop(a, all.item);
	arena_drop(a, all.lane.dur_ns);
	arena_drop(a, all.lane.name);
	arena_drop(a, end);
	return ok;
}
