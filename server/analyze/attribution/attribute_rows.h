/* attribute_rows.h - launches, copies and graph replays become operators and
 * their shapes. */
#pragma once
#include "attribution.h"
#include "iteration_find.h"

/* The phase of the cycle that a row is of (cycle_rows). */
enum phase attribute_phase(const struct profile *p, uint32_t cycle);

/* Fills p->operators, all but what was learnt. False where the arena is full. */
bool attribute_rows(const struct attribution *at,
	const struct cycle_rows *cycles);
