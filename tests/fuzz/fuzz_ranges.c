/* fuzz_ranges.c - fuzzes the parsers of range names with any text: the parts
 * that they find in names of emit_nvtx and of layerwise hooks must be inside
 * the text. */
#include "range_operator.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void operator_(const char *text, size_t len)
{
	struct nvtx_op op;

	if (!range_operator_parse_nvtx(text, &op))
		return;
	assert(op.name_len && op.name_len < len);
	if (!op.sizes)
		return;
	assert(op.sizes > text && op.sizes + op.sizes_len <= text + len);
	assert(op.sizes[0] == '[' && op.sizes[op.sizes_len - 1] == ']');
	assert(strspn(op.sizes, "[], -0123456789") >= op.sizes_len);
}

static void tensor(const struct layer_tensor *t)
{
	assert(t->n <= LAYER_DIMS);
	for (uint32_t i = 0; i < t->n; i++)
		assert(t->dims[i] >= 0);
}

static void layer(const char *text, size_t len)
{
	struct layer_text l;

	if (!range_operator_parse_layer(text, &l))
		return;
	assert(l.module > text && l.module + l.module_len < text + len);
	assert(l.inputs_n && l.inputs_n <= LAYER_TENSORS);
	for (uint32_t i = 0; i < l.inputs_n; i++)
		tensor(&l.inputs[i]);
	tensor(&l.weight);
	assert(l.in_features >= -1 && l.out_features >= -1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);

	if (!text)
		abort();
	memcpy(text, data, size);
	text[size] = '\0';
	operator_(text, strlen(text));
	layer(text, strlen(text));
	free(text);
	return 0;
}
