/* breakdown_params.h - the parameters of a request for a breakdown. A parameter
 * that is set replaces the result of the analysis. */
#pragma once
#include "breakdown.h"
#include <stdbool.h>
#include <stdint.h>

/* The layers that a request gives. All members 0: layers are detected. */
struct layer_params {
	const char *range; /* layers are the ranges or modules of this name or
		class, with or without numbers; a leading "nn.Module: " is
		ignored */
	const char
		*start; /* a layer begins at kernels whose name contains this */
	uint32_t every; /* 0, 1: a layer begins at each such kernel; 2: at every
		second one; … */
};

struct breakdown_params {
	struct layer_params layers;
	int32_t device; /* -1: the busiest */
	int64_t stratum; /* index into iterations.strata; -1: the one with most time */
	bool realign; /* realign names if they lag behind durations */
	/* The detector to use: LAYERS_MODULES, LAYERS_RANGES or LAYERS_PERIOD;
	 * LAYERS_NONE: the first detector that finds layers. */
	enum layer_detector by;
};
#define BREAKDOWN_DEFAULTS \
	((struct breakdown_params){ .device = -1, .stratum = -1 })
