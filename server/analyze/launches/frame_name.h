/* frame_name.h - computes the name of a range in the call paths of kernels.
 *
 * Paths are summed over steps and calls. Therefore the text that differs from
 * one step or call to the next is removed from a name:
 *
 *   aten::mm, seq = 5, op_id = 871, sizes = [[4, 256], [256]]   → aten::mm
 *	Removes the text that emit_nvtx() appends to a name. It begins with the
 *	first ", " before "seq = " or "op_id = " with a number, or before
 *	"sizes = " or "input_op_ids = " with a list.
 *   {'Module': 'model.layers.0.mlp', 'Inputs': [[1, 4096]]}     → model.layers.0.mlp
 *	Layerwise markers of SGLang, vLLM and TensorRT-LLM become modules.
 *   ProfilerStep#12                                             → ProfilerStep#*
 *   execute_16_context_0(sq0sk0)_generation_16(sq16sk8209)      → execute_*_context_*(sq*sk*)_generation_*(sq*sk*)
 *	Replaces the numbers in names of steps by stars. Such a name begins
 *	with the word ProfilerStep, step, iteration, iter, epoch, batch or
 *	execute, in upper or lower case. A digit must follow, directly or
 *	after one of " _#:-[(" or after "_context_". step[…] is such a name,
 *	too.
 *   <built-in method mm of Tensor object at 0x7f0c>             → <built-in method mm of Tensor object>
 *	Removes addresses from Python's names.
 *
 * Other names do not change: Linear_3 and Linear_4 are two frames, until
 * frame_name_merged() makes them one. */
#pragma once
#include "profile.h"

/* Stores the name of a range of kind *kind in *name, which is in the arena or a
 * part of `text`. May change *kind. False if the arena is full. */
bool frame_name_from(struct arena *a, enum frame_kind *kind, const char *text,
	size_t len, const char **name, size_t *name_len);

/* The name that instances of one layer share. The number of an instance becomes
 * a star:
 *
 *   nn.Module: Owlv2EncoderLayer_12   → nn.Module: Owlv2EncoderLayer_*
 *	PyTorch appends the number to the class.
 *   model.layers.12.mlp               → model.layers.*.mlp
 *	A part between points or slashes that is a number. In an annotation
 *	the part before it must have letters and no digits: "v1.2" is a
 *	version.
 *   Layer_12, layer 12, block12, experts[12], decoder_layer_3_attention
 *	The number after a word that ends with layer, block, expert or stage,
 *	or with their plurals.
 *
 * Other digits distinguish code and stay: Conv2d, float16, sm_90, step names
 * that frame_name_from() has changed. Python functions and operators keep their
 * names: their digits are line numbers and parts of names. Returns `name` if
 * nothing changes. */
const char *frame_name_merged(struct arena *a, enum frame_kind kind,
	const char *name);
