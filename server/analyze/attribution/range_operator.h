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

enum range_gives {
	RANGE_GIVES_NOTHING,
	RANGE_GIVES_OPERATOR, /* and perhaps its sizes */
	RANGE_GIVES_LAYER,
	RANGE_GIVES_MODULE,
};

struct range_operator {
	enum range_gives gives;
	const struct operator_info *op; /* not of a layer */
	const struct shape *sizes; /* NULL unknown */
};

struct range_operator_reader {
	struct attribution *x;
	uint32_t *place_of; /* by name of the trace: place in `given`, from 1 */
	struct range_operator *given;
	uint32_t given_n, given_cap;
	struct names sized; /* host operator, NUL, dims: struct shape */
	const struct shape **shapes; /* by id */
	uint32_t shapes_cap;
	struct arena *arena; /* scratch */
	bool noting; /* sizes that cannot be read */
};

bool range_operator_init(struct range_operator_reader *r, struct attribution *x,
	struct arena *scratch);

/* What a row of the ranges gives; valid until the next call. NULL if the arena
 * is full. */
const struct range_operator *range_operator_of_row(struct range_operator_reader
							   *r,
	uint32_t row);

/* The same of an annotation's name, an id of the trace's names. */
const struct range_operator *range_operator_of_name(struct range_operator_reader
							    *r,
	uint32_t name);

/* Whether a kernel's name says that it waits for others, and the range that it
 * does not, or the other way about. */
bool range_operator_contradicted(const struct operator_info *is,
	const struct operator_info *by_rule);

/* The operator and shape of a launch within a layer's range of that name;
 * `by_rule` is what the kernel's name alone says (NULL: nothing). out->op is
 * NULL if the range gives none. False if the arena is full. */
bool range_operator_layer(struct range_operator_reader *r, uint32_t name,
	const struct operator_info *by_rule, struct range_operator *out);
