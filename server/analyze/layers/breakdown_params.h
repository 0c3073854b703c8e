/* breakdown_params.h - how a request wants a breakdown to be made. A choice here
 * replaces what the analysis would find. */
#pragma once
#include "breakdown.h"
#include <stdbool.h>
#include <stdint.h>

/* All 0: no choice. */
struct layer_params {
	const char *range; /* layers are the ranges or modules of this name or
		class, with or without numbers; a leading "nn.Module: " is
		ignored */
	const char
		*start; /* a layer begins at kernels whose name contains this */
	uint32_t every; /* … at each such, 0 or 1; at every second, 2; … */
};

struct breakdown_params {
	struct layer_params layers;
	int32_t device; /* -1: the busiest */
	int64_t stratum; /* index into iterations.strata; -1: the one with most time */
	bool realign; /* realign names if they lag behind durations */
	/* The detector to use: LAYERS_MODULES or LAYERS_RANGES,
	 * LAYERS_PERIOD; LAYERS_NONE: the first that finds layers. */
	enum layer_detector by;
};
#define BREAKDOWN_DEFAULTS \
	((struct breakdown_params){ .device = -1, .stratum = -1 })
