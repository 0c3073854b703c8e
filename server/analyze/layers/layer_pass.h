/* layer_pass.h - which passes of a sequence count. */
#pragma once
#include "layer_seq.h"

/* Fills s->passes and s->stratum. The items' `pass`, an iteration before, becomes an
 * index into s->passes. `wanted` is a stratum or -1. Returns false if the arena
 * is full, and with ERR_NOT_FOUND if the sequence holds nothing of the stratum
 * wanted. */
bool layer_passes(struct layer_seq *s, int64_t wanted, struct err *e);

/* The passes before they were joined; in the arena. */
struct layer_passes_were {
	struct layer_pass *passes;
	uint32_t *pass; /* by item */
	uint32_t passes_n, stratum;
};
/* Returns whether passes are iterations that were found by the kernels' period
 * alone. Such iterations may be layers: in a trace of nothing but layers these are
 * what repeats. Returns false if one stratum of several is wanted. */
bool layer_passes_doubtful(const struct layer_seq *s, int64_t wanted);
/* Joins the whole sequence into one pass, and undoes that. Returns false if the
 * arena is full. */
bool layer_passes_join(struct layer_seq *s, struct layer_passes_were *was);
void layer_passes_part(struct layer_seq *s,
	const struct layer_passes_were *was);
