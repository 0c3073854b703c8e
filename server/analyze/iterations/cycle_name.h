/* cycle_name.h - what a range is called without its numbers.
 *
 *   ProfilerStep#12                                    → ProfilerStep#*
 *   iteration 7 of 10                                  → iteration * of *
 *   execute_16_context_0(sq0sk0)_generation_16(sq16)   → execute_*_context_*(*)_generation_*(*)
 *   step[DECODE bs=16], step[EXTEND bs=15 toks=15360]  → step[*]
 *   aten::mm, op_id = 871, sizes = [[4, 256]]          → aten::mm (frame_name.h)
 *
 * Brackets that hold a number tell of the work, not of the place, and may be
 * longer or shorter from one step to the next. */
#pragma once
#include "arena.h"
#include <stdint.h>

/* In the arena, or a part of `text`; NULL where the arena is full. */
const char *cycle_name(struct arena *a, const char *text, size_t len,
	size_t *name_len);

/* Whether somebody who wrote `asked` means ranges of this name, both as
 * cycle_name() has them: "ProfilerStep" and "ProfilerStep#*" mean the same. */
bool cycle_name_means(const char *asked, const char *name);

/* Whether a range says that it is a step: ProfilerStep, step, iteration,
 * batch, execute … and a number or bracket behind it. */
bool cycle_name_is_step(const char *text);
/* Whether it says that it is a round of steps, an epoch. */
bool cycle_name_is_epoch(const char *text);
