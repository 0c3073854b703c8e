/* breakdown_from.c - calls the steps from launches to a breakdown. */
#include "breakdown_from.h"
#include "breakdown_rows.h"
#include "layer_blocks.h"
#include "layer_null_test.h"
#include "layer_realign.h"
#include <string.h>

static const char *const names_lag =
	"kernels' names lag behind their durations in this run, so that layers "
	"by name would be wrong; request realigning to assign each name to the "
	"duration it belongs to";
static const char *const names_lost =
	"kernels' names lag behind their "
	"durations in this run, and it is unknown "
	"which name belongs to which";
static const char *const names_right =
	"names were not realigned: they do not lag behind the durations";
static const char *const few_begin =
	"most passes have no kernel or range that begins a layer as requested";
static const char *const nothing_ran = "nothing ran on a GPU";

/* Layers: given by a request, or detected.
 *
 * The trace of a pipeline stage may consist of layers only. Then the iterations
 * that are found by period are layers themselves. Therefore the whole recording
 * is searched again as one pass if iterations were found by period and contain
 * no layers. If the request gives the layers, the recording is also searched
 * again if there are at most as many layers as passes, or if at least half of
 * the passes have none.
 *
 * The result of the second search is used if it has at least two layers; `why`
 * then contains a reason. If the request does not give the layers, two more
 * tests must pass:
 * - each kind of layer has attention, a state, a rotary embedding, or the norm
 *   before attention or feed-forward;
 * - no kind contains operations of a step: embedding, head or sampling, loss or
 *   optimizer, an opaque graph, a copy or set. */

static const char *const iterations_are_layers =
	"what the run repeats are layers, not steps: each iteration found by the "
	"period of its kernels is one layer or part of one, so the whole "
	"recording is taken for one pass";

/* What repeats may also be the iterations of a loop in any program. Layers that
 * were found by period therefore need evidence, unless the request names the
 * period. Most of them must be of kinds
 * - that contain a matrix product, convolution, norm, attention or another
 *   operation that models consist of.
 * If no iterations were found, the layers may also be forward passes. Then most of
 * them must be of kinds
 * - that have attention or another operation as above, or write to the key-value
 *   cache; or, if there are at least FEW_LAYERS layers, a convolution or both
 *   products of a feed-forward part;
 * - that contain no embedding, head, sampling, loss or optimizer. */

static const char *const may_be_a_loop =
	"what repeats may be iterations of a loop: nothing in the repeating "
	"kernels shows that they are layers of a model";

enum { FEW_LAYERS = 4 };

static bool breakdown_from_layers_by_default(const struct layer_params *params)
{
	return !params->range && !params->start;
}

/* Finds the layers that the request gives, by ranges or by start kernels. */
static bool breakdown_from_layers_given(const struct layer_seq *s,
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

/* Finds layers with the given detector, or with the first detector that finds
 * any. */
static bool breakdown_from_layers_found(const struct layer_seq *s,
	enum layer_detector by, struct layering *l)
{
	bool ranges = by == LAYERS_NONE || by == LAYERS_MODULES ||
		      by == LAYERS_RANGES;
	bool period = by == LAYERS_NONE || by == LAYERS_PERIOD;

	if (ranges && !layering_by_ranges(s, NULL, l))
		return false;
	return l->detector != LAYERS_NONE || !period ||
	       layering_by_period(s, l);
}

static bool breakdown_from_layers_look(const struct layer_seq *s,
	const struct breakdown_params *params, struct layering *l)
{
	return breakdown_from_layers_by_default(&params->layers)
		       ? breakdown_from_layers_found(s, params->by, l)
		       : breakdown_from_layers_given(s, &params->layers, l);
}

/* Returns whether there are at most as many layers as passes, or whether at
 * least half of the passes have no layer. */
static bool breakdown_from_layers_hardly_any(const struct layer_seq *s,
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

/* Returns whether a position does something that occurs in a step but not in a
 * layer: embedding of tokens or pixels, head, sampling, loss or optimizer. */
static bool breakdown_from_layers_of_a_step(const struct layer_named *is)
{
	static const char *const groups[] = { "loss", "optimizer", "sampling" };

	if (is->block == BLOCK_EMBEDDING || is->block == BLOCK_HEAD ||
		is->block == BLOCK_SAMPLING)
		return true;
	for (size_t i = 0; is->op && i < sizeof groups / sizeof *groups; i++)
		if (strcmp(is->op->group, groups[i]) == 0)
			return true;
	return false;
}

static const layer_roles inner = ROLE_BIT(ATTENTION) | ROLE_BIT(STATE) |
				 ROLE_BIT(ROPE) | ROLE_BIT(INPUT_NORM) |
				 ROLE_BIT(POST_NORM);

/* Sets *are to whether each kind of layer passes the two tests above. Without
 * them, the repeating pieces of a whole recording may be steps. Returns false
 * if the arena is full. */
static bool breakdown_from_layers_of_models(const struct layer_seq *s,
	const struct layering *l, bool *are)
{
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
			*are &= l->places[k].symbol < s->profile->kernels_n &&
				!breakdown_from_layers_of_a_step(&named[k]);
	}
	return true;
}

static uint32_t breakdown_from_layers_n(const struct layering *l)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < l->instances_n; i++)
		n += l->sections[l->instances[i].section].place ==
		     SECTION_LAYER;
	return n;
}

/* Returns whether a position does something that models consist of. */
static bool breakdown_from_layers_of_a_model(const struct layer_named *is)
{
	static const char *const groups[] = { "attention", "convolution",
		"gemm", "kv cache", "linear attention", "moe", "norm", "rnn",
		"state space" };

	for (size_t i = 0; is->op && i < sizeof groups / sizeof *groups; i++)
		if (strcmp(is->op->group, groups[i]) == 0)
			return true;
	return false;
}

/* Returns whether a kind of layer has evidence. `pass`: the layers may be forward
 * passes. */
static bool breakdown_from_layers_evident(const struct layer_section *x,
	const struct layer_named *named, bool pass, bool many)
{
	const layer_roles feed = ROLE_BIT(GATE_UP) | ROLE_BIT(DOWN),
			  own = inner | ROLE_BIT(KV_STORE);
	layer_roles has = 0;
	bool model = false;

	for (uint32_t k = 0; k < x->places_n; k++) {
		const struct layer_named *d = &named[x->places_from + k];
		has |= d->roles;
		model |= breakdown_from_layers_of_a_model(d);
		if (pass && breakdown_from_layers_of_a_step(d))
			return false;
	}
	if (!pass)
		return model || (has & own);
	return (has & own) ||
	       (many && (has & ROLE_BIT(CONVOLUTION) || (has & feed) == feed));
}

/* Sets *maybe to whether most layers may be iterations of a loop. Returns false
 * if the arena is full. */
static bool breakdown_from_layers_maybe_loop(const struct layer_seq *s,
	const struct layering *l, const struct layer_named *named, bool *maybe)
{
	bool pass = s->profile->iterations.detector == ITERATIONS_WINDOW;
	bool *of = arena_array(s->arena, bool, (size_t)l->sections_n + 1);
	uint32_t n = breakdown_from_layers_n(l), evident = 0;

	if (!of)
		return false;
	for (uint32_t i = 0; i < l->sections_n; i++)
		of[i] = l->sections[i].place == SECTION_LAYER &&
			breakdown_from_layers_evident(&l->sections[i], named,
				pass, n >= FEW_LAYERS);
	for (uint32_t i = 0; i < l->instances_n; i++)
		evident += of[l->instances[i].section];
	*maybe = evident * 2 <= n;
	return true;
}

/* Removes layers that may be iterations of a loop. Returns false if the arena is
 * full. */
static bool breakdown_from_layers_unloop(const struct layer_seq *s,
	const struct breakdown_params *params, struct layering *l)
{
	struct layer_named *named;
	bool maybe;

	if (l->detector != LAYERS_PERIOD || params->by != LAYERS_NONE)
		return true;
	if (!layer_blocks(s, l, &named) ||
		!breakdown_from_layers_maybe_loop(s, l, named, &maybe))
		return false;
	if (maybe)
		*l = (struct layering){ .why = may_be_a_loop };
	return true;
}

/* The passes before breakdown_from_layers_join(), in the arena. */
struct breakdown_from_passes {
	struct layer_pass *passes;
	uint32_t *pass; /* by item */
	uint32_t passes_n, stratum;
};

/* Returns whether the passes are iterations that were found only by the period
 * of their kernels. Such iterations are layers if the trace consists of layers
 * only. Returns false if the request selects one of several strata. */
static bool breakdown_from_layers_doubtful(const struct layer_seq *s,
	int64_t wanted)
{
	const struct iterations *c = &s->profile->iterations;

	return c->detector == ITERATIONS_PERIOD && s->passes_n > 1 &&
	       (wanted < 0 || c->strata_n == 1);
}

/* Joins the sequence into one pass; breakdown_from_layers_part() restores the
 * passes. Returns false if the arena is full. */
static bool breakdown_from_layers_join(struct layer_seq *s,
	struct breakdown_from_passes *was)
{
	*was = (struct breakdown_from_passes){ s->passes,
		arena_array(s->arena, uint32_t, (size_t)s->n + 1), s->passes_n,
		s->stratum };
	if (!was->pass)
		return false;
	for (uint32_t i = 0; i < s->n; i++)
		was->pass[i] = s->items[i].pass;
	s->stratum = LAYER_NONE;
	return layer_seq_whole(s);
}

static void breakdown_from_layers_part(struct layer_seq *s,
	const struct breakdown_from_passes *was)
{
	for (uint32_t i = 0; i < s->n; i++)
		s->items[i].pass = was->pass[i];
	s->passes = was->passes;
	s->passes_n = was->passes_n;
	s->stratum = was->stratum;
}

/* Searches for layers. If the iterations may be layers themselves, searches
 * again with all passes joined into one; they stay joined if that search finds
 * layers. Without layers, l->detector is LAYERS_NONE and l->why is the reason.
 * Returns false if the arena is full. */
static bool breakdown_from_layers(struct layer_seq *s,
	const struct breakdown_params *params, struct layering *l)
{
	struct breakdown_from_passes was;
	struct layering again = { 0 };

	if (!breakdown_from_layers_look(s, params, l) ||
		!breakdown_from_layers_unloop(s, params, l) ||
		!layer_null_test(s, l))
		return false;
	bool enough = l->detector != LAYERS_NONE &&
		      (breakdown_from_layers_by_default(&params->layers) ||
			      !breakdown_from_layers_hardly_any(s, l));
	if (enough || !breakdown_from_layers_doubtful(s, params->stratum))
		return true;
	if (!breakdown_from_layers_join(s, &was) ||
		!breakdown_from_layers_look(s, params, &again))
		return false;
	bool more = again.detector != LAYERS_NONE &&
		    !breakdown_from_layers_hardly_any(s, &again);
	if (more && breakdown_from_layers_by_default(&params->layers) &&
		!breakdown_from_layers_of_models(s, &again, &more))
		return false;
	if (more && !layer_null_test(s, &again))
		return false;
	if (!more || again.detector == LAYERS_NONE) {
		breakdown_from_layers_part(s, &was);
		return true;
	}
	*l = again;
	l->why = iterations_are_layers;
	return true;
}

/* If no layers were found, fails if the request gave them. Otherwise makes a
 * flat layering. */
static bool breakdown_from_settle(const struct layer_seq *s,
	const struct breakdown_params *params, struct layering *l,
	struct err *e)
{
	if (l->detector != LAYERS_NONE)
		return true;
	if (!params->layers.range && !params->layers.start)
		return layering_flat(s, l->why, l) || arena_err(s->arena, e);
	return err_set(e, ERR_NOT_FOUND, "%s",
		l->why ? l->why : "no layers are there");
}

/* Realigns names if they lag and `params` requests it. If names still lag, *why
 * is the reason why there are no layers. */
static bool breakdown_from_put_back(struct layer_seq *s, bool params,
	struct breakdown *out, const char **why)
{
	uint32_t changed = 0;

	*why = NULL;
	if (!s->profile->notes.count[NOTE_names_lag])
		return true;
	if (params && !layer_realign(s, &changed))
		return false;
	out->realigned = changed;
	if (!changed)
		*why = params ? names_lost : names_lag;
	return true;
}

static bool breakdown_from_layered(struct layer_seq *s,
	const struct breakdown_params *params, struct breakdown *out,
	struct layering *l, struct err *e)
{
	const char *why;

	*l = (struct layering){ 0 };
	if (!breakdown_from_put_back(s, params->realign, out, &why))
		return arena_err(s->arena, e);
	if (s->n == 0)
		why = nothing_ran;
	if (why)
		return layering_flat(s, why, l) || arena_err(s->arena, e);
	bool ok = (breakdown_from_layers(s, params, l) ||
			  arena_err(s->arena, e)) &&
		  breakdown_from_settle(s, params, l, e) &&
		  (l->detector != LAYERS_PERIOD ||
			  layering_blocks_by_ranges(s, l) ||
			  arena_err(s->arena, e));
	if (ok && params->realign && !out->realigned && !l->why)
		l->why = names_right;
	return ok;
}

/* Allocates the result in `keep` and everything else in the arena of `at`,
 * which the caller releases. */
static bool breakdown_from_make(const struct attribution *at,
	const struct iteration_rows *iterations, const uint32_t *group_of,
	const struct breakdown_params *params, struct arena *keep,
	struct err *e)
{
	struct breakdown *out = &at->profile->breakdown;
	struct layer_named *named = NULL;
	struct layer_seq s = { 0 };
	struct layering l = { 0 };

	bool ok = layer_seq_from(&s, at, iterations, params, e) &&
		  breakdown_from_layered(&s, params, out, &l, e);
	if (ok)
		ok = (layer_blocks(&s, &l, &named) &&
			     breakdown_rows(at, &s, &l, named, group_of, keep,
				     out)) ||
		     arena_err(at->arena, e);
	if (ok && out->detector == LAYERS_GIVEN && !out->layers && !out->why)
		out->why = few_begin;
	layer_seq_release(&s);
	return ok;
}

bool breakdown_from(const struct attribution *at,
	const struct iteration_rows *iterations, const uint32_t *group_of,
	const struct breakdown_params *params, struct err *e)
{
	static const struct breakdown_params nothing = { .device = -1,
		.stratum = -1 };
	struct arena scratch = arena_scratch(at->arena);
	struct attribution own = *at;
	struct err failed = { 0 };

	own.arena = &scratch;
	at->profile->breakdown = (struct breakdown){ .device = -1 };
	bool ok = breakdown_from_make(&own, iterations, group_of,
		params ? params : &nothing, at->arena, &failed);
	arena_scratch_release(&scratch, at->arena);
	if (!ok && at->arena->full)
		return arena_err(at->arena, e);
	return ok || err_set(e, failed.code, "%s", failed.text);
}
