/* test_range_operator_nvtx.c - tests range names of emit_nvtx, in the old and
 * the new form, and names that only look like them. */
#include "range_operator.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *text, *name, *sizes; /* NULL: none */
} rows[] = {
	{ "aten::mm, op_id = 1529997, sizes = [[4, 1024], [1024, 2048]], "
	  "input_op_ids = [(1529991,0), (1529993,0)]",
		"aten::mm", "[[4, 1024], [1024, 2048]]" },
	{ "aten::_log_softmax, seq = 697, op_id = 2231, sizes = [[1024, "
	  "10000], [], []], input_op_ids = [(2230,0)]",
		"aten::_log_softmax", "[[1024, 10000], [], []]" },
	/* the older form */
	{ "aten::add, seq = 5, sizes = [[], []]", "aten::add", "[[], []]" },
	{ "aten::mm, seq = 5", "aten::mm", NULL },
	{ "aten::mm, op_id = 5", "aten::mm", NULL },
	/* ROCm */
	{ "aten::mm, seq = -2, op_id = 5", "aten::mm", NULL },
	/* a list of tensors, flattened or not */
	{ "aten::cat, op_id = 5, sizes = [[[2, 3], [2, 4]], []]", "aten::cat",
		"[[[2, 3], [2, 4]], []]" },
	{ "aten::rand, op_id = 1, sizes = []", "aten::rand", "[]" },
	/* a comma in the name itself */
	{ "FSDP::pre_forward (a, b), op_id = 3", "FSDP::pre_forward (a, b)",
		NULL },
	{ "f\xc3\xbcnf, op_id = 3", "f\xc3\xbcnf", NULL },
	/* truncated: the complete parts before the end count */
	{ "aten::mm, op_id = 5, sizes = [[4, 10", "aten::mm", NULL },
	{ "aten::mm, sizes = [[4], [5]", "aten::mm", NULL },
	{ "aten::mm, sizes = [[4]]]", "aten::mm", NULL },
	{ "aten::mm, sizes = [[4, x]]", "aten::mm", NULL },
	{ "aten::mm, sizes = 4", "aten::mm", NULL },
	{ "aten::mm, op_id = x, sizes = [[4]]", "aten::mm", NULL },
	/* each key once, in order */
	{ "aten::mm, sizes = [[4]], sizes = [[5]]", "aten::mm", "[[4]]" },
	{ "aten::mm, input_op_ids = [], sizes = [[4]]", "aten::mm", NULL },
	/* almost valid */
	{ "aten::mm", NULL, NULL },
	{ "", NULL, NULL },
	{ ", op_id = 5", NULL, NULL },
	{ "aten::mm,op_id = 5", NULL, NULL },
	{ "aten::mm, op_id=5", NULL, NULL },
	{ "aten::mm, Op_id = 5", NULL, NULL },
};

static void names(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct nvtx_op op = { 0 };
		bool is = range_operator_parse_nvtx(rows[i].text, &op);
		assert_int_equal(is, rows[i].name != NULL);
		if (!is)
			continue;
		assert_int_equal(op.name_len, strlen(rows[i].name));
		assert_memory_equal(rows[i].text, rows[i].name, op.name_len);
		if (!rows[i].sizes) {
			assert_null(op.sizes);
			continue;
		}
		assert_non_null(op.sizes);
		assert_int_equal(op.sizes_len, strlen(rows[i].sizes));
		assert_memory_equal(op.sizes, rows[i].sizes, op.sizes_len);
	}
}

/* 64 KiB of brackets, and as many commas before a key. */
static void long_names(void **state)
{
	enum { MANY = 1 << 16 };
	static const char front[] = "aten::mm, sizes = ";
	struct nvtx_op op;
	char *text = malloc(MANY + 64);
	(void)state;

	assert_non_null(text);
	memcpy(text, front, sizeof front);
	memset(text + sizeof front - 1, '[', MANY);
	text[sizeof front - 1 + MANY] = '\0';
	assert_true(range_operator_parse_nvtx(text, &op));
	assert_null(op.sizes);
	for (int i = 0; i < MANY; i += 2)
		memcpy(text + i, ", ", 2);
	strcpy(text + MANY, "op_id = 3");
	assert_true(range_operator_parse_nvtx(text, &op));
	assert_int_equal(op.name_len, MANY - 2);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names),
		cmocka_unit_test(long_names),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
