/* layer_detect.c - runs the layer detectors in their order. */
#include "layer_detect.h"
#include "layer_blocks.h"
#include "layer_null_test.h"
#include "layer_pass.h"
#include <string.h>

static const char *const iterations_are_layers =
	"what the run repeats are layers, not steps: each iteration found by the "
	"period of its kernels is one layer or part of one, so the whole "
	"recording is taken for one pass";

static bool layer_detect_by_default(const struct layer_params *params)
{
	return !params->range && !params->start;
}

/* Finds layers where the request says they are. */
static bool layer_detect_given(const struct layer_seq *s,
	const struct layer_params *params, struct layering *l)
{
	if (!params->range)
		return layering_by_start(s, params->start, params->every, l);
	if (!layering_by_ranges(s, params->range, l))
		return false;
	if (l->detector != LAYERS_NONE)
		l->detector = LAYERS_GIVEN;
	return true;
}

/* Finds layers with one detector, or with the first that finds any. */
static bool layer_detect_found(const struct layer_seq *s,
	enum layer_detector by, struct layering *l)
{
	bool ranges = by == LAYERS_NONE || by == LAYERS_MODULES ||
		      by == LAYERS_RANGES;
	bool period = by == LAYERS_NONE || by == LAYERS_PERIOD;

	if (ranges && !layering_by_ranges(s, NULL, l))
		return false;
	return l->detector != LAYERS_NONE || !period ||
	       layer_null_test_period(s, l);
}

static bool layer_detect_look(const struct layer_seq *s,
	const struct breakdown_params *params, struct layering *l)
{
	return layer_detect_by_default(&params->layers)
		       ? layer_detect_found(s, params->by, l)
		       : layer_detect_given(s, &params->layers, l);
}

/* Returns whether passes have at most one layer each, or most of them none. */
static bool layer_detect_hardly_any(const struct layer_seq *s,
	const struct layering *l)
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

/* Acts that occur in a step but not in a layer: embeddings of tokens or pixels,
 * sampling, loss, optimizer, whole graphs. */
static bool layer_detect_of_a_step(const struct layer_seq *s,
	const struct layer_place *p, const struct layer_named *is)
{
	static const char *const groups[] = { "loss", "optimizer", "sampling" };

	if (p->symbol >= s->profile->kernels_n ||
		is->block == BLOCK_EMBEDDING || is->block == BLOCK_HEAD ||
		is->block == BLOCK_SAMPLING)
		return true;
	for (size_t i = 0; is->op && i < sizeof groups / sizeof *groups; i++)
		if (strcmp(is->op->group, groups[i]) == 0)
			return true;
	return false;
}

/* Returns whether each kind of layer contains what layers of models do, and
 * nothing of a step. What repeats over a whole recording may otherwise be
 * steps. */
static bool layer_detect_model_layers(const struct layer_seq *s,
	const struct layering *l, bool *are)
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
			*are &= !layer_detect_of_a_step(s, &l->places[k],
				&named[k]);
	}
	return true;
}

/* Looks for layers, and once more with the whole as one pass if the iterations may
 * be layers themselves. */
bool layer_detect(struct layer_seq *s, const struct breakdown_params *params,
	struct layering *l)
{
	struct layer_passes_were was;
	struct layering again = { 0 };

	if (!layer_detect_look(s, params, l))
		return false;
	bool enough = l->detector != LAYERS_NONE &&
		      (layer_detect_by_default(&params->layers) ||
			      !layer_detect_hardly_any(s, l));
	if (enough || !layer_passes_doubtful(s, params->stratum))
		return true;
	if (!layer_passes_join(s, &was) ||
		!layer_detect_look(s, params, &again))
		return false;
	bool more = again.detector != LAYERS_NONE &&
		    !layer_detect_hardly_any(s, &again);
	if (more && layer_detect_by_default(&params->layers) &&
		!layer_detect_model_layers(s, &again, &more))
		return false;
	if (!more) {
		layer_passes_part(s, &was);
		return true;
	}
	*l = again;
	l->why = iterations_are_layers;
	return true;
}
