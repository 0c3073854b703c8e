/* layer_start.h - which kernels begin a layer as somebody says, and where. */
#pragma once
#include "layer_seq.h"

struct layer_starts {
	uint8_t *begins; /* by symbol */
	uint32_t lane; /* that most of them are on */
	uint32_t most; /* symbol of those there that comes most often;
		LAYER_NONE: none is in any pass that counts */
};

/* Kernels whose name holds `start`. In `a`; false where it is full. */
bool layer_starts_from(struct layer_starts *out, const struct layer_seq *s,
	const char *start, struct arena *a);
