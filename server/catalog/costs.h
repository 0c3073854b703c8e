/* costs.h - the formulas of all operators; private to this folder */
#pragma once
#include "inside.h"

struct costs;

/* Reads the carried formulas and those of own operators; requires the operators.
 * NULL with a sentence. */
struct costs *costs_new(const struct catalog *c, struct err *e);
void costs_free(struct costs *c);
