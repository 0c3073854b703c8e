/* layer_blocks.c - which block each place is of, and what it does: sections one
 * by one, what modules tell before what the sequence does. */
#include "layer_doing.h"

enum { LANES_MOST = 8 }; /* looked at for parts of layers */

struct naming {
	const struct layer_seq *s;
	const struct layering *l;
	struct layer_named *out;
	const struct operator_info **operators; /* by place */
	uint32_t *instances; /* by section */
	struct kernel_words *words; /* by kernel */
	struct doing *d; /* by place */
	uint32_t *at;
};

/* The operator that most launches at a place are of: one that more than half
 * have is left when each other cancels one of it. */
static bool operators_from(struct naming *w)
{
	const struct layer_seq *s = w->s;
	uint32_t *votes = arena_grow(s->arena, NULL,
		(w->l->places_n + 1) * sizeof *votes);

	if (!votes)
		return false;
	for (uint32_t i = 0; i < s->n; i++) {
		uint32_t p = w->l->place[i];
		const struct attributed *is = s->items[i].is;
		if (p == LAYER_NONE || !is || !is->operator)
			continue;
		if (!votes[p])
			w->operators[p] = is->operator;
		if (w->operators[p] == is->operator)
			votes[p]++;
		else
			votes[p]--;
	}
	arena_drop(s->arena, votes);
	return true;
}

/* Where kernels take turns in one place, none of them is common; together they
 * are. */
static void turns(struct doings *s, uint32_t instances)
{
	for (uint32_t i = 0, to; i < s->n; i = to) {
		const struct doing *d = &s->d[i];
		uint64_t sum = 0;
		for (to = i; to < s->n && !s->d[to].common &&
			     s->d[to].act == d->act && s->d[to].lane == d->lane;
			to++)
			sum += s->d[to].instances;
		if (to == i)
			to++;
		else if (to > i + 1 && 2 * sum >= instances &&
			 sum <= instances && !doing_soft(d))
			s->d[i].common = true;
	}
}

static bool solid_on(const struct doings *s, uint32_t lane)
{
	for (uint32_t i = 0; i < s->n; i++)
		if (s->d[i].lane == lane && s->d[i].common &&
			(doing_product(&s->d[i]) ||
				s->d[i].act == ACT_ATTENTION ||
				s->d[i].act == ACT_NORM ||
				s->d[i].act == ACT_STATE ||
				s->d[i].act == ACT_ACTIVATION))
			return true;
	return false;
}

static bool sends(const struct doing *d)
{
	return d->act == ACT_DISPATCH || d->act == ACT_COMBINE ||
	       d->act == ACT_ROUTING || d->act == ACT_PERMUTE;
}

/* Common doings of a lane; with those of others that send tokens about. */
static uint32_t lane_of(const struct doings *s, uint32_t lane, bool others,
	uint32_t *at)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < s->n; i++)
		if (s->d[i].common &&
			(s->d[i].lane == lane || (others && sends(&s->d[i]))))
			at[n++] = i;
	return n;
}

static bool parts_from(struct naming *w, struct doings *s)
{
	for (uint32_t lane = 0; lane < w->s->lanes && lane < LANES_MOST;
		lane++) {
		if (!solid_on(s, lane))
			continue;
		uint32_t n = lane_of(s, lane, true, w->at);
		void *more = arena_grow(w->s->arena, s->parts,
			(s->parts_n + 2 * (size_t)n + 2) * sizeof *s->parts);
		if (!more)
			return false;
		s->parts = more;
		layer_parts(s, w->at, n, lane);
	}
	return true;
}

static bool layer(struct naming *w, struct doings *s)
{
	for (uint32_t lane = 0; lane < w->s->lanes && lane < LANES_MOST; lane++)
		layer_steps(s, w->at, lane_of(s, lane, false, w->at));
	for (uint32_t i = 0; i < s->n; i++)
		s->moe |= s->d[i].common &&
			  (sends(&s->d[i]) || s->d[i].act == ACT_EXPERTS);
	if (!parts_from(w, s))
		return false;
	for (uint32_t i = 0; i < s->n; i++)
		s->gated |= s->d[i].common && s->d[i].block == BLOCK_GATE;
	bool ok = layer_roles_of(s, w->s->arena) &&
		  layer_beside(s, w->s->lanes, w->s->arena);
	arena_drop(w->s->arena, s->parts);
	return ok;
}

static void ends(struct naming *w, struct doings *s, enum section_place place)
{
	bool behind = place == SECTION_AFTER || place == SECTION_BETWEEN;

	for (uint32_t lane = 0;
		behind && lane < w->s->lanes && lane < LANES_MOST; lane++)
		layer_norm_steps(s, w->at, lane_of(s, lane, false, w->at));
	layer_ends(s, place);
}

static struct layer_named named_from(const struct doing *d)
{
	static const layer_roles norms =
		ROLE_BIT(INPUT_NORM) | ROLE_BIT(POST_NORM) | ROLE_BIT(QK_NORM);
	struct layer_named n = { .block = d->block,
		.roles = d->roles | d->also,
		.operator= d->operator, };
	/* A norm is of what it leads to, whatever it is called; what is done
	 * within another module's call keeps its own role. */
	bool sequence = (d->act == ACT_NORM && d->roles & norms) ||
			((d->act == ACT_STORE || d->act == ACT_ROPE ||
				 d->act == ACT_COLLECTIVE) &&
				d->roles);

	if (d->told && !sequence) {
		n.roles = d->told | d->also;
		n.by_module = true;
	} else if (d->told)
		n.by_module = d->told == d->roles;
	if (d->told_block < BLOCKS && !sequence)
		n.block = d->told_block;
	if (n.roles & (ROLE_BIT(ROUTER) | ROLE_BIT(TOPK)))
		n.block = BLOCK_GATE;
	return n;
}

static bool section(struct naming *w, uint32_t i)
{
	const struct layer_section *of = &w->l->sections[i];
	struct doings s = { .d = w->d, .n = of->places_n };
	bool ok = true;

	for (uint32_t k = 0; k < s.n; k++) {
		uint32_t p = of->places_from + k;
		s.d[k] = doing_from(w->s, w->words, &w->l->places[p],
			w->operators[p], w->instances[i]);
	}
	turns(&s, w->instances[i]);
	if (of->place == SECTION_LAYER)
		ok = layer(w, &s);
	else
		ends(w, &s, of->place);
	for (uint32_t k = 0; ok && k < s.n; k++)
		w->out[of->places_from + k] = named_from(&s.d[k]);
	if (of->place == SECTION_LAYER)
		layer_unfounded(w->out + of->places_from, s.n);
	return ok;
}

bool layer_blocks(const struct layer_seq *s, const struct layering *l,
	struct layer_named **out)
{
	struct arena *a = s->arena;
	struct naming w = { .s = s, .l = l };
	size_t n = l->places_n + 1;
	bool ok;

	w.out = *out = arena_array(a, struct layer_named, n);
	w.operators = arena_grow(a, NULL, n * sizeof *w.operators);
	w.instances =
		arena_grow(a, NULL, (l->sections_n + 1) * sizeof *w.instances);
	w.words = arena_grow(a, NULL,
		((size_t)s->profile->kernels_n + 1) * sizeof *w.words);
	w.d = arena_grow(a, NULL, n * sizeof *w.d);
	w.at = arena_grow(a, NULL, n * sizeof *w.at);
	ok = w.out && w.operators && w.instances && w.words && w.d && w.at &&
	     operators_from(&w);
	for (uint32_t i = 0; ok && i < l->instances_n; i++)
		w.instances[l->instances[i].section]++;
	for (uint32_t i = 0; ok && i < l->sections_n; i++)
		ok = section(&w, i);
	if (ok)
		layer_stem(l, w.out);
	arena_drop(a, w.at);
	arena_drop(a, w.d);
	arena_drop(a, w.words);
	arena_drop(a, w.instances);
	arena_drop(a, w.operators);
	return ok;
}

const char *layer_section_name(const struct layering *l,
	const struct layer_named *named, uint32_t section_at, struct arena *a)
{
	static const struct {
		layer_roles role;
		enum layer_block_kind block;
		const char *word;
	} words[] = {
		{ ROLE_BIT(ATTENTION), BLOCK_ATTENTION, "attention" },
		{ ROLE_BIT(STATE), BLOCK_ATTENTION, "state" },
		{ ROLE_BIT(CROSS_ATTENTION), BLOCK_ATTENTION,
			"cross attention" },
		{ ROLE_BIT(CONVOLUTION), BLOCK_OTHER, "convolution" },
		{ ~UINT64_C(0), BLOCK_MOE, "moe" },
		{ ~UINT64_C(0), BLOCK_MLP, "mlp" },
	};
	const struct layer_section *s = &l->sections[section_at];
	uint32_t most = 0;
	const char *name = NULL;

	if (s->name || s->place != SECTION_LAYER)
		return s->name;
	for (uint32_t i = 0; i < s->places_n; i++)
		if (l->places[s->places_from + i].instances > most)
			most = l->places[s->places_from + i].instances;
	for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
		bool has = false;
		for (uint32_t i = 0; i < s->places_n; i++) {
			const struct layer_named *n =
				&named[s->places_from + i];
			has |= 2 * (uint64_t)l->places[s->places_from + i]
						       .instances >=
				       most &&
			       n->block == words[k].block &&
			       n->roles & words[k].role;
		}
		if (!has)
			continue;
		name = name ? arena_printf(a, "%s + %s", name, words[k].word)
			    : words[k].word;
		if (!name)
			return NULL;
	}
	return name;
}
