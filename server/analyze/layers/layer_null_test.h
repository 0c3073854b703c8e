/* layer_null_test.h - tests whether layers found in a sequence could be found
 * by chance.
 *
 * In a long sequence of few names something repeats even if the order is
 * random. Layers are accepted if they pass all of these tests:
 * - At least half of the layers are of kinds that occur at least twice, over
 *   all passes.
 * - There are at most four kinds, or a layer contains attention or a state.
 * - The same kernels in random order have no layers that explain as much.
 *   Names are shuffled within each stream and pass; starts and durations do
 *   not change. This is done three times, with fixed seeds. Of a long run only
 *   2,048 launches are shuffled. The test is skipped if all instances of each
 *   kind have the same sequence of at least four different names. */
#pragma once
#include "layering.h"

/* Tests layers that layering_by_period() found in this sequence; other layers
 * pass. If they fail, l->detector becomes LAYERS_NONE and l->why the reason.
 * Returns false if the arena is full. */
bool layer_null_test(const struct layer_seq *s, struct layering *l);
