/* test_formula_text.c - tests the error messages for invalid formulas and the
 * position that they contain. */
#include "formula.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static const char *const sizes[] = { "m", "n", "k", "x", "q_lens" };
enum { SIZES = sizeof sizes / sizeof *sizes };

static bool readable(const char *formula, struct err *e)
{
	struct arena a = { 0 };
	struct formula_set f;
	uint32_t root;

	formula_init(&f, &a, sizes, SIZES);
	bool ok = formula_read(&f, formula, "read", &root, e);
	arena_release(&a);
	return ok;
}

static void test_unreadable(void **state)
{
	static const struct {
		const char *formula, *sentence;
	} rows[] = {
		{ "", "read: no number, size or '(' at character 1 of the "
		      "formula ''" },
		{ "2*m*", "read: no number, size or '(' at character 5 of the "
			  "formula '2*m*'" },
		{ "2*mm", "read: a name that is no size of the operator at "
			  "character 3 of the formula '2*mm'" },
		{ "(m", "read: no ')' at character 3 of the formula '(m'" },
		{ "m n", "read: something that does not belong at character 3 "
			 "of the formula 'm n'" },
		{ "m % 2", "read: something that does not belong at character "
			   "3 of the formula 'm % 2'" },
		{ "ceil_div(m)", "read: no ',' at character 11 of the formula "
				 "'ceil_div(m)'" },
		{ "min(m)", "read: no ',' at character 6 of the formula "
			    "'min(m)'" },
		{ "prod(2)", "read: no name of a size at character 6 of the "
			     "formula 'prod(2)'" },
		{ "x[0", "read: no ']' at character 4 of the formula 'x[0'" },
		{ "18446744073709551616",
			"read: a number that exceeds 64 bits at character 20 "
			"of "
			"the formula '18446744073709551616'" },
		{ "1.5", "read: something that does not belong at character 2 "
			 "of the formula '1.5'" },
		{ "-1", "read: no number, size or '(' at character 1 of the "
			"formula '-1'" },
		{ "sum(q: q_lens, sum(s: x, s*q))",
			"read: a sum within a sum at character 20 of the "
			"formula 'sum(q: q_lens, sum(s: x, s*q))'" },
		{ "sum(a: x, b: x, c: x, 1)",
			"read: a sum over too many lists at "
			"character 19 of the formula "
			"'sum(a: x, b: x, c: x, 1)'" },
	};
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct err e = { 0 };
		assert_false(readable(rows[i].formula, &e));
		assert_string_equal(e.text, rows[i].sentence);
	}
}

/* No formula can exhaust the stack or run for long. */
static void test_hostile(void **state)
{
	char text[1100];
	struct err e = { 0 };
	(void)state;
	memset(text, '(', 1000);
	text[1000] = '\0';
	assert_false(readable(text, &e));
	assert_non_null(strstr(e.text, "a formula that is too deep"));
	for (size_t i = 0; i < 1000; i += 2)
		memcpy(text + i, "m+", 2);
	text[999] = '\0';
	e = (struct err){ 0 };
	assert_false(readable(text, &e));
	assert_non_null(strstr(e.text, "more than a formula may hold"));
	memset(text, ' ', 1001);
	text[1001] = '\0';
	e = (struct err){ 0 };
	assert_false(readable(text, &e));
	assert_string_equal(e.text,
		"read: the formula is longer than 1000 characters");
}

static void test_shared_wrong(void **state)
{
	static const struct {
		const char *text, *sentence;
	} rows[] = {
		{ "m = 2", "let: the name of a size at character 1 of the "
			   "formula 'm = 2'" },
		{ "= 2", "let: no name before '=' at character 1 of the "
			 "formula '= 2'" },
		{ "t 2", "let: no '=' at character 3 of the formula 't 2'" },
		{ "t = u", "let: a name that is no size of the operator at "
			   "character 5 of the formula 't = u'" },
		{ "half = 3", "let: a name that is already defined at "
			      "character 1 "
			      "of the formula 'half = 3'" },
		{ "min = 2", "let: the name of a function at character 1 of "
			     "the formula 'min = 2'" },
		{ "sum = 2", "let: the name of a function at character 1 of "
			     "the formula 'sum = 2'" },
	};
	struct arena a = { 0 };
	struct formula_set f;
	(void)state;
	struct err none = { 0 };
	formula_init(&f, &a, sizes, SIZES);
	assert_true(formula_share(&f, "half = 2", "let", &none));
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct err e = { 0 };
		assert_false(formula_share(&f, rows[i].text, "let", &e));
		assert_string_equal(e.text, rows[i].sentence);
	}
	arena_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_unreadable),
		cmocka_unit_test(test_hostile),
		cmocka_unit_test(test_shared_wrong),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
