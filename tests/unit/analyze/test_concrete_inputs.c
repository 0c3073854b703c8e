/* test_concrete_inputs.c - splits Concrete Inputs and reads their values. */
#include "concrete_inputs.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

static void splits(void **state)
{
	struct concrete_inputs c;
	int64_t v, list[4];

	(void)state;
	assert_true(concrete_inputs_read(&c,
		"[\"\",\"True\",\"-12\",\"[1, 2, 3]\",\"a,]\\\"b\",null,7,[4,5]]"));
	assert_int_equal(c.n, 8);
	assert_true(concrete_inputs_none(&c, 0));
	assert_true(concrete_inputs_bool(&c, 1, &v) && v == 1);
	assert_true(concrete_inputs_whole(&c, 2, &v) && v == -12);
	assert_int_equal(concrete_inputs_list(&c, 3, list, 4), 3);
	assert_int_equal(list[2], 3);
	assert_true(concrete_inputs_is(&c, 4, "a,]\\\"b", 6));
	assert_true(concrete_inputs_none(&c, 5));
	assert_int_equal(concrete_inputs_list(&c, 6, list, 4), 1);
	assert_int_equal(list[0], 7);
	assert_int_equal(concrete_inputs_list(&c, 7, list, 4), 2);
	assert_true(concrete_inputs_none(&c, 8));
	assert_false(concrete_inputs_whole(&c, 8, &v));
	assert_true(concrete_inputs_read(&c, NULL) && c.n == 0);
	assert_true(concrete_inputs_read(&c, "") && c.n == 0);
	assert_true(concrete_inputs_read(&c, "[]") && c.n == 0);
}

static void other_forms_are_not_read(void **state)
{
	static const char *const no_list[] = { "{}", "[", "[\"\"", "[\"]",
		"[\"\",]", "[,]", "[\"\"]x", "\"\"", "[[1,2]" };
	static const char *const no_number[] = { "[\"\"]", "[\"1.\"]",
		"[\"True\"]", "[\"9223372036854775808\"]", "[\"1x\"]",
		"[\"-\"]", "[\"[1]\"]", "[\" 1\"]" };
	static const char *const no_numbers[] = { "[\"[1,\"]", "[\"[1, x]\"]",
		"[\"[1 2]\"]", "[\"[1, 2, 3, 4, 5]\"]", "[\"[\"]",
		"[\"[1.5]\"]", "[\"(1, 2)\"]" };
	struct concrete_inputs c;
	int64_t v, list[4];

	(void)state;
	for (size_t i = 0; i < sizeof no_list / sizeof *no_list; i++) {
		assert_false(concrete_inputs_read(&c, no_list[i]));
		assert_int_equal(c.n, 0);
	}
	for (size_t i = 0; i < sizeof no_number / sizeof *no_number; i++) {
		assert_true(concrete_inputs_read(&c, no_number[i]));
		assert_false(concrete_inputs_whole(&c, 0, &v));
	}
	for (size_t i = 0; i < sizeof no_numbers / sizeof *no_numbers; i++) {
		assert_true(concrete_inputs_read(&c, no_numbers[i]));
		assert_int_equal(concrete_inputs_list(&c, 0, list, 4), -1);
	}
	assert_true(concrete_inputs_read(&c, "[\"1\",\"Truer\"]"));
	assert_false(concrete_inputs_bool(&c, 0, &v));
	assert_false(concrete_inputs_bool(&c, 1, &v));
}

/* 129 values are one too many. */
static void long_lists(void **state)
{
	struct concrete_inputs c;
	char text[2 * (CONCRETE_INPUTS_MAX + 1) + 2];

	(void)state;
	for (int n = CONCRETE_INPUTS_MAX; n < CONCRETE_INPUTS_MAX + 2; n++) {
		text[0] = '[';
		for (int i = 0; i < n; i++) {
			text[1 + 2 * i] = '1';
			text[2 + 2 * i] = i == n - 1 ? ']' : ',';
		}
		text[1 + 2 * n] = '\0';
		bool fits = n <= CONCRETE_INPUTS_MAX;
		assert_int_equal(concrete_inputs_read(&c, text), fits);
		assert_int_equal(c.n, fits ? n : 0);
	}
}

static void counts_trues(void **state)
{
	static const struct {
		const char *list;
		int n, trues;
	} cases[] = {
		{ "[\"[True, False, True]\"]", 3, 2 },
		{ "[\"[True, False, True]\"]", 2, 1 },
		{ "[\"[False, False]\"]", 2, 0 },
		{ "[\"[True]\"]", 2, -1 },
		{ "[\"[True, 1]\"]", 2, -1 },
		{ "[\"[Truer, True]\"]", 2, -1 },
		{ "[\"True\"]", 1, -1 },
		{ "[\"\"]", 1, -1 },
	};
	struct concrete_inputs c;

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		assert_true(concrete_inputs_read(&c, cases[i].list));
		assert_int_equal(concrete_inputs_trues(&c, 0, cases[i].n),
			cases[i].trues);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(splits),
		cmocka_unit_test(other_forms_are_not_read),
		cmocka_unit_test(long_lists),
		cmocka_unit_test(counts_trues),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
