/* attribute_serving.h - what a serving engine's step tells of the attention
 * launched in it: sequences, tokens and keys in all. */
#pragma once
#include "attribution.h"

/* Fills in sizes that are not known yet. False where the arena is full. */
bool attribute_serving(struct attribution *x);
