/* range_operator.h - the operator and shape that the name of a range gives to the
 * launches within it.
 *
 *   aten::mm, op_id = 3, sizes = [[4, 8], [8, 2]]   a host operator (emit_nvtx)
 *   {'Module': 'model.norm', …}          a module's tensors (layerwise ranges)
 *   rms_norm bf16 tokens=16 hidden=4096  an operator of the catalog, optionally
 *	a dtype, and a shape as shape.h writes it: for users' own ranges
 *   nn.Module: Qwen2RMSNorm_3            a module's class
 *   aten::mm                             a host operator, without a shape
 *
 * PyTorch's emit_nvtx names a range
 *
 *   aten::mm, seq = 5, op_id = 871, sizes = [[4, 256], [256, 8]], input_op_ids
 *   = [(867,0), (870,0)]
 *
 * in which each part behind the name may be absent; older ones have no op_id.
 *
 * SGLang, vLLM and TensorRT-LLM name a layerwise range by the Python repr of a
 * dict:
 *
 *   {'Module': 'model.layers.0.self_attn.qkv_proj', 'TrainableParams':
 *   {'weight': [6144, 4096]}, 'Inputs': [[1, 4096]], 'StaticParams':
 *   {'in_features': 4096, 'out_features': 6144}}
 *
 * Any program can write such a name, so it is not trusted: reading is bounded in
 * depth and number, and a name is read whole or not at all. Other keys are
 * skipped, whatever Python value they have. */
#pragma once
#include "attribution.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct nvtx_op {
	size_t name_len; /* of the text in front */
	const char *sizes; /* "[[4, 256], [256, 8]]"; NULL if absent or
		incomplete */
	size_t sizes_len;
};

/* False if no such part follows a name. */
bool range_operator_parse_nvtx(const char *text, struct nvtx_op *out);

enum { LAYER_TENSORS = 16, LAYER_DIMS = 8 };

struct layer_tensor {
	int64_t dims[LAYER_DIMS];
	uint32_t n;
};

struct layer_text {
	const char *module; /* within the text, escapes as they are */
	size_t module_len;
	struct layer_tensor inputs[LAYER_TENSORS];
	uint32_t inputs_n;
	struct layer_tensor weight; /* n 0: none */
	uint32_t params; /* how many there are */
	int64_t in_features, out_features; /* -1 unknown */
};

/* False if the text is no such dict, or has no inputs. */
bool range_operator_parse_layer(const char *text, struct layer_text *out);
