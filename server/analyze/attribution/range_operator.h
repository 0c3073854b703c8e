/* range_operator.h - reads the operator and the shape from the name of a range.
 * They are used for the launches within the range.
 *
 *   aten::mm, op_id = 3, sizes = [[4, 8], [8, 2]]   a host operator (emit_nvtx)
 *   {'Module': 'model.norm', …}          a module's tensors (layerwise ranges)
 *   rms_norm bf16 tokens=16 hidden=4096  an operator of the catalog, optionally
 *	a dtype, and a shape as shape.h writes it: for users' own ranges
 *   nn.Module: Qwen2RMSNorm_3            a module's class
 *   aten::mm                             a host operator, without a shape
 *
 * PyTorch's emit_nvtx names a range like this:
 *
 *   aten::mm, seq = 5, op_id = 871, sizes = [[4, 256], [256, 8]], input_op_ids
 *   = [(867,0), (870,0)]
 *
 * Each part after the operator's name may be absent. Older versions of PyTorch
 * do not write op_id.
 *
 * SGLang, vLLM and TensorRT-LLM name a layerwise range with the Python repr of
 * a dict:
 *
 *   {'Module': 'model.layers.0.self_attn.qkv_proj', 'TrainableParams':
 *   {'weight': [6144, 4096]}, 'Inputs': [[1, 4096]], 'StaticParams':
 *   {'in_features': 4096, 'out_features': 6144}}
 *
 * Any program can write such a name, so it is not trusted. The parser limits
 * the depth and the number of values. It accepts a name only if it can parse
 * all of it. Other keys of the dict are skipped, with any Python value. */
#pragma once
#include "attribution.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct nvtx_op {
	size_t name_len; /* length of the operator's name */
	const char *sizes; /* "[[4, 256], [256, 8]]"; NULL if absent or
		incomplete */
	size_t sizes_len;
};

/* False if no part such as ", seq = 5" follows the operator's name. */
bool range_operator_parse_nvtx(const char *text, struct nvtx_op *out);

enum { LAYER_TENSORS = 16, LAYER_DIMS = 8 };

struct layer_tensor {
	int64_t dims[LAYER_DIMS];
	uint32_t n;
};

struct layer_text {
	const char *module; /* within the text, with its escapes */
	size_t module_len;
	struct layer_tensor inputs[LAYER_TENSORS];
	uint32_t inputs_n;
	struct layer_tensor weight; /* n 0: none */
	uint32_t params; /* number of parameters */
	int64_t in_features, out_features; /* -1 unknown */
};

/* False if the text is no such dict, or has no inputs. */
bool range_operator_parse_layer(const char *text, struct layer_text *out);
