/* breakdown_word.h - the text for each value of a breakdown's enums. API
 * answers and the CHECK constraints of the database use these words. */
#pragma once
#include "profile.h"

static const char *const breakdown_word_block[] = {
#define BLOCK(code, word, what) #word,
#include "layer_block.def"
#undef BLOCK
};

static const char *const breakdown_word_role[] = {
#define ROLE(code, word, what) #word,
#include "layer_role.def"
#undef ROLE
};

static const char *const breakdown_word_layers[] = {
	[LAYERS_NONE] = "none",
	[LAYERS_MODULES] = "modules",
	[LAYERS_RANGES] = "ranges",
	[LAYERS_PERIOD] = "period",
	[LAYERS_GIVEN] = "given",
};
enum {
	LAYER_DETECTORS =
		sizeof breakdown_word_layers / sizeof *breakdown_word_layers
};

static const char *const breakdown_word_place[] = {
	[SECTION_BEFORE] = "before",
	[SECTION_LAYER] = "layer",
	[SECTION_BETWEEN] = "between",
	[SECTION_AFTER] = "after",
	[SECTION_FLAT] = "flat",
};
enum {
	SECTION_PLACES =
		sizeof breakdown_word_place / sizeof *breakdown_word_place
};

static const char *const breakdown_word_evidence[] = {
	[GROUP_CALL] = "call",
	[GROUP_SEQUENCE] = "sequence",
	[GROUP_CATALOG] = "catalog",
};
enum {
	GROUP_EVIDENCES =
		sizeof breakdown_word_evidence / sizeof *breakdown_word_evidence
};
