/* layering.h - the result of a layer detector: the layer of each launch, and
 * its position in the layer.
 *
 * Each item of an analyzed pass is in an instance of a section; other items
 * have LAYER_NONE. A section has positions (`places`), numbered from 0 in their
 * order. Each item of an instance is at one position. Two items of an instance
 * are never at one position, except in flat sections and in sections with long
 * instances (LAYERING_LONG). In these, all items of one lane and symbol are at
 * one position. */
#pragma once
#include "breakdown.h"
#include "breakdown_params.h"
#include "layer_seq.h"

struct layer_instance {
	uint32_t section, pass;
	uint32_t number; /* of a layer: its number in the pass, from 0, over
		layers of all kinds */
};

struct layer_place {
	uint32_t section, symbol, lane;
	uint32_t instances; /* number of instances that have this position */
	const char *module; /* as in breakdown_row; NULL unknown */
	layer_roles roles; /* given by the module; 0 unknown */
	enum layer_block_kind block; /* given by the module; BLOCKS unknown */
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
	struct layer_section *sections; /* in the order of a pass */
	struct layer_instance *instances; /* by pass, in order of time */
	struct layer_place *places; /* by section, in order of time */
	uint32_t *instance,
		*place; /* by item: indices into `instances` and `places` */
	uint32_t sections_n, instances_n, places_n;
};

/* ---- detectors: each fills *out and allocates in the arena of the sequence.
 * If a detector finds no layers, out->detector is LAYERS_NONE and out->why is
 * the reason. Detectors return false if the arena is full. */

/* layer_modules.c: modules and numbered ranges around the launches. */
bool layering_by_ranges(const struct layer_seq *s, const char *range,
	struct layering *out);
/* layer_period.c: the repeating sequence of kernels. */
bool layering_by_period(const struct layer_seq *s, struct layering *out);
/* layer_given.c: a layer begins at the kernels whose name contains `start`, on
 * the lane that has most of them. A launch on another lane belongs to the layer
 * in whose time it starts.
 *
 * The last layer of a pass gets the most frequent length of its kind. If it has
 * less than half of its launches in common with every kind of layer, it belongs
 * to the section after the layers. If the first layer is shorter than half of
 * the shortest kind, it belongs to the section before the layers. Two layers
 * are of different kinds if they have less than 60 % of their launches in
 * common. */
bool layering_by_start(const struct layer_seq *s, const char *start,
	uint32_t every, struct layering *out);

/* ---- shared by detectors: layer_align.c, layering.c */

/* If the instances of a section have more launches on average, the positions of
 * the section are by lane and symbol. */
enum { LAYERING_LONG = 1000 };

/* The division of a sequence into sections and instances, without positions. */
struct layer_cut {
	struct layer_section *sections; /* without positions */
	struct layer_instance *instances; /* by pass and time */
	uint32_t *instance; /* by item: index into `instances` */
	uint32_t sections_n, instances_n;
};
/* Makes a layering from a cut: finds the positions of each section.
 *
 * The instances of a section are aligned with each other, lane by lane
 * (layer_align.c). Launches that most instances have then share one position.
 * Launches that few instances have get positions of their own. Positions of
 * several lanes are interleaved by the mean of their starts. If the alignment
 * reaches its limits, launches get positions by lane and symbol.
 *
 * *out contains copies of the cut. The caller fills in detector, confidence,
 * anchor and why. Returns false if the arena is full. */
bool layering_align(const struct layer_seq *s, const struct layer_cut *cut,
	struct layering *out);
/* Returns the confidence of a layering: the share of the launches in layers
 * that are at positions which at least half of the instances of their section
 * have.
 *
 * If an instance has several launches at one position, only one of them is
 * counted as being there. If any kind of layer has two instances, kinds with
 * one instance are left out, because such an instance always equals itself. If
 * no kind has two instances, the result is 1. Without layers it is 0. */
double layering_confidence(const struct layering *l, const struct layer_seq *s);
/* Returns the factor by which the confidence of layers found by period falls: 1
 * if the layers of each kind take about equally long, less the more their
 * durations differ and the fewer they are. Each kind counts by its number of
 * layers. */
double layering_evenness(const struct layering *l, const struct layer_seq *s);
/* Fills the block of l->places from annotations around their launches, such as
 * "attn(F)" or "mlp", and the role of those that send tokens to experts or back.
 * For layers without modules. Returns false if the arena is full. */
bool layering_blocks_by_ranges(const struct layer_seq *s, struct layering *l);
/* Makes a layering without layers: each pass is one instance of a single
 * section, SECTION_FLAT. The detector is LAYERS_NONE. */
bool layering_flat(const struct layer_seq *s, const char *why,
	struct layering *out);
