/* layering.h - the layer of each launch, and its position in the layer.
 *
 * The result of a layer detector. Items of passes that count are all in an
 * instance of a section; the others have LAYER_NONE. A section's positions
 * (`places`) are numbered from 0 in their order, and each item of an instance is
 * at one. No position of an instance has two items, except in flat sections and
 * those with long instances (LAYERING_LONG): there positions are by lane and
 * symbol. */
#pragma once
#include "breakdown.h"
#include "breakdown_params.h"
#include "layer_seq.h"

struct layer_instance {
	uint32_t section, pass;
	uint32_t number; /* of layers: in the pass, from 0, over all kinds */
};

struct layer_place {
	uint32_t section, symbol, lane;
	uint32_t instances; /* that have it */
	const char *module; /* as in breakdown_row; NULL */
	layer_roles roles; /* by module; 0 unknown */
	enum layer_block_kind block; /* by module; BLOCKS unknown */
};

struct layer_section {
	enum section_place place;
	const char *name; /* as in breakdown_section */
	uint32_t places_from, places_n; /* in layering.places */
};

struct layering {
	enum layer_detector detector;
	double confidence;
	const char *anchor, *why; /* as in struct breakdown */
	struct layer_section *sections; /* as they come in a pass */
	struct layer_instance *instances; /* by pass, as they come */
	struct layer_place *places; /* by section, as they come */
	uint32_t *instance,
		*place; /* by item; place counts in layering.places */
	uint32_t sections_n, instances_n, places_n;
};

/* ---- detectors: each fills *out, its memory the arena's. `detector` stays
 * LAYERS_NONE, with a reason in `why`, if it finds nothing. Returns false if the
 * arena is full. */

/* layer_modules.c: modules and numbered ranges around the launches. */
bool layering_by_ranges(const struct layer_seq *s, const char *range,
	struct layering *out);
/* layer_period.c: the repeating sequence of kernels. */
bool layering_by_period(const struct layer_seq *s, struct layering *out);
/* layer_given.c: kernels that begin a layer, on the lane that has most of them;
 * other lanes' launches belong to the layer in which they start. A pass' last
 * layer is as long as most are. If it shares less than half of its launches with
 * any layer that is followed by another, it belongs to the section after the
 * layers; a first one of less than half their length belongs to the section
 * before them. Layers that share less than 60 % of their kernels are of two
 * kinds. */
bool layering_by_start(const struct layer_seq *s, const char *start,
	uint32_t every, struct layering *out);

/* ---- shared by detectors: layer_align.c, layering.c */

/* Launches that a section's instances have on average, beyond which its places
 * are by lane and symbol. */
enum { LAYERING_LONG = 1000 };

/* Turns a cut into a layering. `instance` is by item an index into `instances`,
 * which are ordered by pass and time and have a section and a number; sections
 * have no positions yet. Instances of a section are aligned with each other,
 * lane by lane (layer_align.c), so that launches that most have share one
 * position, and those that few have get positions of their own; `instances` of a
 * position says how many have it. Positions of several lanes are interleaved by
 * the mean of their starts. Beyond the bounds of the alignment, launches get
 * positions by lane and symbol. *out gets copies; the caller fills in detector,
 * confidence, anchor and why. Returns false if the arena is full. */
struct layer_cut {
	struct layer_section *sections;
	struct layer_instance *instances;
	uint32_t *instance; /* by item */
	uint32_t sections_n, instances_n;
};
bool layering_align(const struct layer_seq *s, const struct layer_cut *cut,
	struct layering *out);
/* Returns the share of launches in layers that are at positions which at least
 * half of the instances of their section have. Of several launches of an instance
 * at one position one counts. Launches outside of layers do not count, nor do
 * kinds with one instance beside other kinds: such a kind is always like itself.
 * If no kind has two instances, nothing is known, and the result is 1. It is 0
 * without layers. */
double layering_confidence(const struct layering *l, const struct layer_seq *s);
/* Makes each pass one instance of a single section, SECTION_FLAT; the detector
 * is LAYERS_NONE. */
bool layering_flat(const struct layer_seq *s, const char *why,
	struct layering *out);
