/* layer_modules.c - layers from what was open around the launches: marks, which
 * of them are layers, when these ran, of which kind they are. */
#include "module_kind_name.h"
#include "module_place.h"
#include "module_zone.h"
#include <stdio.h>
#include <string.h>

/* What one look at the ranges gave. */
struct look {
	struct module_marks marks;
	struct module_stacks stacks;
	struct module_visits visits;
	struct module_kinds kinds;
	double known; /* of GPU time, that whose modules are told */
};

/* Whether at least half of the passes have two layers. */
static bool repeats(const struct layer_seq *s, const struct module_visits *v)
{
	uint32_t passes = 0;

	for (uint32_t i = 1; i < v->n; i++) {
		bool opens =
			i < 2 || v->visits[i - 2].pass != v->visits[i].pass;
		passes += opens && v->visits[i - 1].pass == v->visits[i].pass;
	}
	return passes && passes >= s->passes_n / 2;
}

static const char *too_little(const struct layer_seq *s, double known)
{
	const char *why = arena_printf(s->arena,
		"modules are told for %.0f %% of the GPU time only, too little "
		"to tell layers by",
		known * 100);
	return why ? why : "";
}

/* Looks for layers; out->why tells why there are none. */
static bool find(const struct layer_seq *s, const char *range, bool ranges,
	struct look *k, struct layering *out)
{
	struct module_marks *m = &k->marks;

	if (!module_marks_from(m, s, ranges) ||
		!module_stacks_from(m, range, s->arena, &k->stacks))
		return false;
	int64_t known_ns =
		k->stacks.n && k->stacks.modules ? m->known_ns : m->path_ns;
	k->known = m->gpu_ns ? (double)known_ns / (double)m->gpu_ns : 0;
	if (m->n == 1)
		return true;
	if (!k->stacks.n) {
		out->why = "no modules or numbered ranges around launches "
			   "repeat as layers do";
		return true;
	}
	if (!range && k->known < 0.5) {
		out->why = too_little(s, k->known);
		return !s->arena->full;
	}
	if (!range && k->stacks.time_ns < known_ns / 4) {
		out->why = "the modules that repeat hold less than a quarter "
			   "of the GPU time";
		return true;
	}
	if (!module_visits_from(s, m, &k->stacks, &k->visits) ||
		!module_kinds_from(s, m, &k->stacks, range, &k->kinds))
		return false;
	if (k->kinds.n > MODULE_KINDS_MOST)
		out->why = "modules around launches tell too many kinds of "
			   "layers";
	else if (!k->visits.n || (!range && !repeats(s, &k->visits)))
		out->why = "modules around launches tell one layer a pass "
			   "only";
	else
		out->detector =
			k->stacks.modules ? LAYERS_MODULES : LAYERS_RANGES;
	return true;
}

static bool finish(const struct layer_seq *s, struct look *k,
	struct layering *out)
{
	enum layer_detector detector = out->detector;
	struct layer_cut cut;
	const char *anchor =
		module_mark_word(&k->marks, k->visits.visits[0].mark);

	if (!module_kind_names(s, &k->marks, &k->kinds) ||
		!module_zones(s, &k->marks, &k->stacks, &k->visits, &k->kinds,
			&cut) ||
		!layering_align(s, &cut, out) ||
		!module_places(s, &k->marks, &k->stacks, out))
		return false;
	out->detector = detector;
	out->anchor = anchor;
	out->confidence = k->known * layering_confidence(out, s);
	return true;
}

bool layering_by_ranges(const struct layer_seq *s, const char *range,
	struct layering *out)
{
	static const char front[] = "nn.Module: ";
	struct look k = { 0 };

	if (range && !strncmp(range, front, sizeof front - 1))
		range += sizeof front - 1;
	*out = (struct layering){ 0 };
	if (!find(s, range, false, &k, out))
		return false;
	const char *why = out->why;
	if (out->detector == LAYERS_NONE) {
		k = (struct look){ 0 };
		out->why = NULL;
		if (!find(s, range, true, &k, out))
			return false;
	}
	if (out->detector != LAYERS_NONE) {
		out->why = NULL;
		return finish(s, &k, out);
	}
	if (why)
		out->why = why;
	if (range)
		out->why = arena_printf(s->arena,
			"no range or module around launches is called '%.80s'",
			range);
	else if (!out->why)
		out->why = "no modules or numbered ranges are around "
			   "launches";
	return !s->arena->full;
}
