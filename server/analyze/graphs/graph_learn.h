/* graph_learn.h - what stream captures teach: for each graph its kernels in
 * order, with the operators and sizes that they were captured for. */
#pragma once
#include "attribution.h"

/* From x->captured and what is beside it into the profile's operators.learnt. False where the
 * arena is full. */
bool graph_learn(const struct attribution *x);
