/* breakdown_asked.h - what a request asks of a breakdown; it replaces what would
 * be found. */
#pragma once
#include "breakdown.h"
#include <stdbool.h>
#include <stdint.h>

/* All 0: nothing. */
struct layer_asked {
	const char *range; /* layers are the ranges or modules of this name or
		class, with or without numbers; "nn.Module: " in front of it is
		not read */
	const char *start; /* a layer begins at kernels whose name holds this */
	uint32_t every; /* … at each such, 0 or 1; at every second, 2; … */
};

struct breakdown_asked {
	struct layer_asked layers;
	int32_t device; /* -1: the one that is busiest */
	int64_t stratum; /* index into cycles.strata; -1: that of most time */
	bool realign; /* put names to durations where they lag */
	/* The one detector to ask: LAYERS_MODULES or LAYERS_RANGES,
	 * LAYERS_PERIOD; LAYERS_NONE the first that finds some. */
	enum layer_detector by;
};
#define BREAKDOWN_UNASKED \
	((struct breakdown_asked){ .device = -1, .stratum = -1 })
