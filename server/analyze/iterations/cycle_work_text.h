/* cycle_work_text.h - a stratum's work in words, and which operators tell it. */
#pragma once
#include "cycle_alike.h"
#include "cycle_serving.h"

/* By item: whether the operator multiplies matrices or convolves. NULL where
 * the arena is full. */
uint8_t *cycle_work_gemms(const struct cycle_items *ops, const struct trace *t,
	struct arena *a);

/* "decode, 16 sequences, 16 tokens" */
const char *cycle_work_serving(const struct serving *s, struct arena *a);
/* "aten::mm [[64,128],[128,17]] ×12, aten::addmm … ×2, …": two items that count,
 * those with most elements, and that there are more. */
const char *cycle_work_ops(const struct cycle_alike *s, uint32_t cycle,
	const struct trace *t, struct arena *a);
/* "grids of 57 kernels" */
const char *cycle_work_grids(const struct cycle_alike *s, uint32_t cycle,
	struct arena *a);
