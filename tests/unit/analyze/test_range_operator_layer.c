/* test_range_operator_layer.c - tests range names with the dicts that
 * layerwise hooks write, and hostile dicts. */
#include "range_operator.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void linear_of_sglang(void **state)
{
	struct layer_text l;
	(void)state;

	assert_true(range_operator_parse_layer(
		"{'Module': 'model.layers.0.self_attn.qkv_proj', "
		"'TrainableParams': {'weight': [6144, 4096]}, "
		"'Inputs': [[1, 4096]], 'StaticParams': {'in_features': 4096, "
		"'out_features': 6144}}",
		&l));
	assert_int_equal(l.module_len,
		strlen("model.layers.0.self_attn.qkv_proj"));
	assert_memory_equal(l.module, "model.layers.0", 14);
	assert_int_equal(l.inputs_n, 1);
	assert_int_equal(l.inputs[0].n, 2);
	assert_int_equal(l.inputs[0].dims[0], 1);
	assert_int_equal(l.inputs[0].dims[1], 4096);
	assert_int_equal(l.params, 1);
	assert_int_equal(l.weight.n, 2);
	assert_int_equal(l.weight.dims[0], 6144);
	assert_int_equal(l.in_features, 4096);
	assert_int_equal(l.out_features, 6144);
}

/* Outputs, keyword tensors, tuples, words, calls, and both kinds of quotes. */
static void further_keys_of_vllm(void **state)
{
	struct layer_text l;
	(void)state;

	assert_true(range_operator_parse_layer(
		"{'Module': \"top (input)\", 'TrainableParams': {'bias': [8], "
		"'weight': (8,)}, 'Inputs': ([2, 8], (2, 8,), []), "
		"'Outputs': [[2, 8]], 'positions': [[2]], 'kw': None, "
		"'x': torch.Size([1, 2]), 'y': <object at 0x7f>, "
		"'z': {'a': (True, -1.5e3, 'it\\'s')}, 'StaticParams': "
		"{'eps': 1e-06}}",
		&l));
	assert_int_equal(l.module_len, 11);
	assert_int_equal(l.inputs_n, 3);
	assert_int_equal(l.inputs[1].dims[1], 8);
	assert_int_equal(l.inputs[2].n, 0);
	assert_int_equal(l.params, 2);
	assert_int_equal(l.weight.n, 1);
	assert_int_equal(l.in_features, -1);
}

#define FRONT "{'Module': 'm', "
static void ranges_that_are_no_layers(void **state)
{
	static const char *const rows[] = {
		"",
		"{}",
		"{'Module': 'm'}",
		"{'Module': 'm', 'Inputs': []}",
		"{'Inputs': [[1]]}",
		"{'Inputs': [[1]], 'Module': 'm'}",
		"{\"Module\": \"m\", \"Inputs\": [[1]]}",
		FRONT "'Inputs': [[1, 2]]",
		FRONT "'Inputs': [[1, 2]}",
		FRONT "'Inputs': [[1, 2]]} ,",
		FRONT "'Inputs': [[1, -2]]}",
		FRONT "'Inputs': [[1.5]]}",
		FRONT "'Inputs': [[9999999999999999999]]}",
		FRONT "'Inputs': [[1 2]]}",
		FRONT "'Inputs': [[1, 2, 3, 4, 5, 6, 7, 8, 9]]}",
		FRONT "'Inputs': [[[1]]]}",
		FRONT "'Inputs': [[1]], 'Inputs': [[2]]}",
		FRONT "'Inputs': [[1]], 'x': }",
		FRONT "'Inputs': [[1]], 'x}",
		FRONT "'Inputs': [[1]], 'x\\",
		FRONT "'Inputs': [[1]], 'x': <}",
		FRONT "'Inputs': [[1]], 'x': f(}",
		FRONT "'Inputs': [[1]] 'x': 1}",
		FRONT "'Inputs': [[1]], 'TrainableParams': [1]}",
		FRONT "'Inputs': [[1]], 'TrainableParams': {'weight': 5}}",
		FRONT "'Inputs': [[1]], 'StaticParams': {'in_features': -1}}",
	};
	struct layer_text l;
	(void)state;

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (range_operator_parse_layer(rows[i], &l))
			fail_msg("%s", rows[i]);
	assert_true(range_operator_parse_layer(FRONT "'Inputs': [[1]]}", &l));
}

/* 64 KiB of opening brackets of each kind stop at the depth limit; those of
 * inputs stop at the limit on their number. */
static void deep_and_long(void **state)
{
	static const char *const open[] = { "[", "(", "{", "f(", "{'a':", "'" };
	enum { MANY = 1 << 16 };
	char *text = malloc(MANY + 64);
	struct layer_text l;
	(void)state;

	assert_non_null(text);
	for (size_t k = 0; k < sizeof open / sizeof *open; k++) {
		int at = sprintf(text, FRONT "'Inputs': [[1]], 'x': ");
		while (at < MANY)
			at += sprintf(text + at, "%s", open[k]);
		assert_false(range_operator_parse_layer(text, &l));
	}
	int at = sprintf(text, FRONT "'Inputs': [");
	for (int i = 0; i <= LAYER_TENSORS; i++)
		at += sprintf(text + at, "[1], ");
	sprintf(text + at, "]}");
	assert_false(range_operator_parse_layer(text, &l));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(linear_of_sglang),
		cmocka_unit_test(further_keys_of_vllm),
		cmocka_unit_test(ranges_that_are_no_layers),
		cmocka_unit_test(deep_and_long),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
