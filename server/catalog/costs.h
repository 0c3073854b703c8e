/* costs.h - the formulas of all operators; for this room alone */
#pragma once
#include "inside.h"

struct costs;

/* From what the program carries and what own operators say; after operators.
 * NULL with a sentence. */
struct costs *costs_new(const struct catalog *c, struct err *e);
void costs_free(struct costs *c);
