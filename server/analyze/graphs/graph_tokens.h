/* graph_tokens.h - which of several captures of the same kernels a step's
 * replay is of.
 *
 * Piecewise graphs are captured once for each number of tokens, and differ in
 * nothing but the sizes that grow with it. An engine replays the one for the
 * least number that holds the step's tokens. That is told only where it cannot
 * be another: where one was captured for exactly that many, or for the next less
 * and the next more, between which nothing can lie that was not seen. */
#pragma once
#include "graph_shapes.h"

enum { GRAPH_CHOICES_MOST = 256 };

/* Leaves in `list` (graphs of the same kernels in the same order) those captured
 * for a step of that many tokens; all of them where that is not told. False
 * where the arena is full. */
bool graph_tokens_keep(struct graph_shapes *shapes,
	const struct graph_known **list, uint32_t *n, int64_t tokens);
