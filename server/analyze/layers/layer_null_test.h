/* layer_null_test.h - whether layers found in a sequence are more than chance
 * gives.
 *
 * A long sequence of few names repeats something in any order. Layers are
 * accepted if they pass all of these tests:
 * - at least half of them are of kinds that occur at least twice, over all
 *   passes; a kind that occurs once repeats nothing;
 * - they are of at most four kinds, or something in them attends or keeps a
 *   state;
 * - the same kernels in a random order have no layers that explain as much. Names
 *   are shuffled within each stream and pass, starts and durations stay; three
 *   times, with fixed seeds. Of long runs a stretch is shuffled. This test is
 *   skipped if instances of every kind are the same sequence of at least four
 *   names. */
#pragma once
#include "layering.h"

/* layering_by_period(), and LAYERS_NONE with a sentence in `why` where what it
 * finds is not believed. */
bool layer_null_test_period(const struct layer_seq *s, struct layering *out);
