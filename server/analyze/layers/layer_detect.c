/* layer_look.c - the detectors in their order, and a second look at cycles that may
 * be layers. */
#include "layer_look.h"
#include "layer_blocks.h"
#include "layer_doubt.h"
#include "layer_pass.h"
#include <string.h>

static const char *const cycles_are_layers =
	"what the run repeats are layers, not steps: each cycle found by the "
	"period of its kernels is one layer or part of one, so the whole "
	"recording is taken for one pass";

static bool unasked(const struct layer_asked *asked)
{
	return !asked->range && !asked->start;
}

/* Layers where somebody says they are. */
static bool given(const struct layer_seq *s, const struct layer_asked *asked,
	struct layering *l)
{
	if (!asked->range)
		return layering_by_start(s, asked->start, asked->every, l);
	if (!layering_by_ranges(s, asked->range, l))
		return false;
	if (l->detector != LAYERS_NONE)
		l->detector = LAYERS_GIVEN;
	return true;
}

/* Layers as they are found, by one detector or the first that finds some. */
static bool found(const struct layer_seq *s, enum layer_detector by,
	struct layering *l)
{
	bool ranges = by == LAYERS_NONE || by == LAYERS_MODULES ||
		      by == LAYERS_RANGES;
	bool period = by == LAYERS_NONE || by == LAYERS_PERIOD;

	if (ranges && !layering_by_ranges(s, NULL, l))
		return false;
	return l->detector != LAYERS_NONE || !period ||
	       layer_doubt_period(s, l);
}

static bool look(const struct layer_seq *s, const struct breakdown_asked *asked,
	struct layering *l)
{
	return unasked(&asked->layers) ? found(s, asked->by, l)
				       : given(s, &asked->layers, l);
}

/* Whether passes have no more than a layer each, or most of them none. */
static bool hardly_any(const struct layer_seq *s, const struct layering *l)
{
	uint32_t layers = 0, with = 0, last = LAYER_NONE;

	for (uint32_t i = 0; i < l->instances_n; i++) {
		const struct layer_instance *is = &l->instances[i];
		if (l->sections[is->section].place != SECTION_LAYER)
			continue;
		layers++;
		with += is->pass != last;
		last = is->pass;
	}
	return layers <= s->passes_n || with <= s->passes_n / 2;
}

/* Of what somebody's step has and no layer: words or pixels, tokens, losses,
 * weights' updates, whole graphs. */
static bool of_a_step(const struct layer_seq *s, const struct layer_place *p,
	const struct layer_named *is)
{
	static const char *const groups[] = { "loss", "optimizer", "sampling" };

	if (p->symbol >= s->profile->kernels_n ||
		is->block == BLOCK_EMBEDDING || is->block == BLOCK_HEAD ||
		is->block == BLOCK_SAMPLING)
		return true;
	for (size_t i = 0; is->operator&& i<sizeof groups / sizeof * groups;
		i++)
		if (strcmp(is->operator->group, groups[i]) == 0)
			return true;
	return false;
}

/* Whether each kind of layer has what models' layers do, and nothing of a step:
 * what repeats all over a recording may as well be steps. */
static bool model_layers(const struct layer_seq *s, const struct layering *l,
	bool *are)
{
	const layer_roles inner = ROLE_BIT(ATTENTION) | ROLE_BIT(STATE) |
				  ROLE_BIT(ROPE) | ROLE_BIT(INPUT_NORM) |
				  ROLE_BIT(POST_NORM);
	struct layer_named *named;

	if (!layer_blocks(s, l, &named))
		return false;
	*are = true;
	for (uint32_t i = 0; i < l->sections_n; i++) {
		const struct layer_section *x = &l->sections[i];
		bool attends = x->place != SECTION_LAYER;
		for (uint32_t k = 0; !attends && k < x->places_n; k++)
			attends = named[x->places_from + k].roles & inner;
		*are &= attends;
		for (uint32_t k = x->places_from;
			x->place == SECTION_LAYER &&
			k < x->places_from + x->places_n;
			k++)
			*are &= !of_a_step(s, &l->places[k], &named[k]);
	}
	return true;
}

/* Looks for layers, and once more with all as one pass where the cycles may be
 * layers themselves. */
bool layer_look(struct layer_seq *s, const struct breakdown_asked *asked,
	struct layering *l)
{
	struct layer_passes_were was;
	struct layering again = { 0 };

	if (!look(s, asked, l))
		return false;
	bool enough = l->detector != LAYERS_NONE &&
		      (unasked(&asked->layers) || !hardly_any(s, l));
	if (enough || !layer_passes_doubtful(s, asked->stratum))
		return true;
	if (!layer_passes_join(s, &was) || !look(s, asked, &again))
		return false;
	bool more = again.detector != LAYERS_NONE && !hardly_any(s, &again);
	if (more && unasked(&asked->layers) && !model_layers(s, &again, &more))
		return false;
	if (!more) {
		layer_passes_part(s, &was);
		return true;
	}
	*l = again;
	l->why = cycles_are_layers;
	return true;
}
