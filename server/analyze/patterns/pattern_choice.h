/* pattern_choice.h - which cycles are told function by function. */
#pragma once
#include "profile.h"

/* Fills p->patterns.cycle and cycles_n: every cycle where that is no more than
 * PATTERNS_CYCLES_MAX and `functions` of each no more than PATTERNS_CELLS_MAX,
 * else an even choice, kept ones first. *place gets each cycle's place among
 * them, CYCLE_OF_NONE where left out; to be arena_drop()ped. False where the
 * arena is full. */
bool pattern_choice(struct profile *p, uint32_t functions, uint32_t **place);
