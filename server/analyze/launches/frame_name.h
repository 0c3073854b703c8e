/* frame_name.h - what a range is called in the paths that lead to kernels.
 *
 * Paths add up over steps and calls, so what differs from one time to the
 * next is taken out of a name:
 *
 *   aten::mm, seq = 5, op_id = 871, sizes = [[4, 256], [256]]   → aten::mm
 *	what emit_nvtx() adds behind a name: from the first ", " on that one of
 *	"seq = " and "op_id = " with a number or "sizes = " and "input_op_ids = "
 *	with a list follows
 *   {'Module': 'model.layers.0.mlp', 'Inputs': [[1, 4096]]}     → model.layers.0.mlp
 *	the layer-wise markers of SGLang, vLLM and TensorRT-LLM; a module
 *   ProfilerStep#12                                             → ProfilerStep#*
 *   execute_16_context_0(sq0sk0)_generation_16(sq16sk8209)      → execute_*_context_*(sq*sk*)_generation_*(sq*sk*)
 *	numbers of what begins with a step's name: the word ProfilerStep, step,
 *	iteration, iter, epoch, batch or execute, in any case, and behind it (or
 *	behind one of " _#:-[(", or "_context_") a digit; and of step[…]
 *   <built-in method mm of Tensor object at 0x7f0c>             → <built-in method mm of Tensor object>
 *	addresses in Python's names
 *
 * Everything else stays as it is: Linear_3 and Linear_4 are two places. */
#pragma once
#include "profile.h"

/* The name of a range of that kind, which may become another; in the arena or
 * a part of `text`. False if the arena is full. */
bool frame_name_from(struct arena *a, enum frame_kind *kind, const char *text,
	size_t len, const char **name, size_t *name_len);
