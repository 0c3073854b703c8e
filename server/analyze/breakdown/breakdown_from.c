/* breakdown_from.c - the steps from launches to a breakdown. */
#include "breakdown_from.h"
#include "breakdown_rows.h"
#include "layer_detect.h"
#include "layer_realign.h"

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

/* Without layers, fails if the request says where they are; otherwise the
 * result is flat. */
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

/* Realigns names if that was requested and is needed. *why is a reason if they
 * still lag. */
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
	bool ok = (layer_detect(s, params, l) || arena_err(s->arena, e)) &&
		  breakdown_from_settle(s, params, l, e);
	if (ok && params->realign && !out->realigned && !l->why)
		l->why = names_right;
	return ok;
}

/* Everything except the result is in the arena of `at`, which is released
 * afterwards. */
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
