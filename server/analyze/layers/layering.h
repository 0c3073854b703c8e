/* layering.h - which layer each launch is of, and at which place in it.
 *
 * What detectors hand on to breakdown.c. Items of passes that count are all in
 * an instance of some section; the others have LAYER_NONE. A section's places are
 * numbered from 0 in the order in which they come; every item of an instance is
 * at one. No place of an instance has two items, but in flat sections and those
 * whose instances are long (LAYERING_LONG): there places are by lane and symbol. */
#pragma once
#include "breakdown.h"
#include "breakdown_asked.h"
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
 * LAYERS_NONE, with a sentence in `why`, where it finds nothing. False where the
 * arena is full. */

/* layer_modules.c: modules and numbered ranges around the launches. */
bool layering_by_ranges(const struct layer_seq *s, const char *range,
	struct layering *out);
/* layer_period.c: the repeating sequence of kernels. */
bool layering_by_period(const struct layer_seq *s, struct layering *out);
/* layer_given.c: kernels that begin a layer. Of the lane that has most of them;
 * other lanes' launches belong to the layer they start in. A pass' last layer is
 * as long as most are; one that shares less than half of its launches with any
 * that another follows is behind the layers, and a first one of less than half
 * their length before them; layers that share less than 60 % of their kernels are of
 * two kinds. */
bool layering_by_start(const struct layer_seq *s, const char *start,
	uint32_t every, struct layering *out);

/* ---- shared by detectors: layer_align.c, layering.c */

/* Launches that a section's instances have on average, beyond which its places
 * are by lane and symbol. */
enum { LAYERING_LONG = 1000 };

/* Of cuts to a whole layering. `instance_of` tells of each item an index into
 * `cut`, which lies in order of passes and time and tells section and number;
 * sections have no places yet. Instances of a section are aligned with each
 * other, lane by lane (layer_align.c), so that launches which most have are at one
 * place, and those that a few have at places of their own; a place's instances
 * tell. Places of several lanes are laid between each other by the mean of their
 * starts. Where the bounds of that are reached, what is left over goes to places
 * by lane and symbol, too. *out gets copies; detector, confidence, anchor and why
 * are the caller's to fill in. Returns false if the arena is full. */
struct layer_cut {
	struct layer_section *sections;
	struct layer_instance *instances;
	uint32_t *instance; /* by item */
	uint32_t sections_n, instances_n;
};
bool layering_align(const struct layer_seq *s, const struct layer_cut *cut,
	struct layering *out);
/* Of the launches in layers, the share that are at places which at least half of
 * the instances of their section have, each alone: of several launches that an
 * instance has at one place, one counts. Launches outside layers do not count, nor
 * do kinds of one instance beside others: they are like themselves whatever they
 * are. Where no kind has two, it says nothing, and is 1. 0 without layers. */
double layering_confidence(const struct layering *l, const struct layer_seq *s);
/* All of a pass as one section, SECTION_FLAT, an instance a pass; LAYERS_NONE. */
bool layering_flat(const struct layer_seq *s, const char *why,
	struct layering *out);
