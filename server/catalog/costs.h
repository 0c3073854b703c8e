/* costs.h - the formulas of operators; for this room alone. */
#pragma once
#include "formula.h"
#include "inside.h"

struct costs;

/* An entry's formulas; it counts where the sizes it asks for are told and `when`
 * holds. */
struct cost_variant {
	struct formula_set set;
	uint32_t when; /* roots; 0 none */
	uint32_t read, write;
	uint32_t flops[DTYPES];
	uint32_t of_dtype, of_vector; /* in the shape's type, or what stands
		for it where numbers are computed one by one */
};

struct operator_cost {
	const struct operator_info *op;
	struct cost_variant *variants[2]; /* by convention */
	uint32_t n[2];
};

/* From what the program carries and what own operators say; after operators.
 * NULL with a sentence. */
struct costs *costs_new(const struct catalog *c, struct err *e);
void costs_free(struct costs *c);
/* NULL where there are no formulas. */
const struct operator_cost *costs_of(const struct costs *c, const char *op);
