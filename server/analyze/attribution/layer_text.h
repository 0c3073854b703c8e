/* layer_text.h - what layerwise NVTX ranges tell of a module.
 *
 * SGLang, vLLM and TensorRT-LLM name a range by the Python repr of a dict:
 *
 *   {'Module': 'model.layers.0.self_attn.qkv_proj', 'TrainableParams':
 *   {'weight': [6144, 4096]}, 'Inputs': [[1, 4096]], 'StaticParams':
 *   {'in_features': 4096, 'out_features': 6144}}
 *
 * Anybody can write such a name, so it is read without trust: bounded in
 * depth and number, and either whole or not at all. Other keys are passed over,
 * whatever Python value they have. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
	int64_t in_features, out_features; /* -1 not told */
};

/* False where the text is no such dict, or tells no inputs. */
bool layer_text_read(const char *text, struct layer_text *out);
