/* test_formula.c - tests the values of formulas. If a formula has no value,
 * tests the reason. */
#include "formula.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static const char *const sizes[] = { "m", "n", "k", "x", "q_lens", "seq_lens",
	"batch" };
enum { SIZES = sizeof sizes / sizeof *sizes };

/* Values for "m=7 n=4 k=3 x=[2,3,5] q_lens=[1,2,3] seq_lens=[10,2,4]". */
static bool worked_out(const char *formula, const char *shape, uint64_t *out,
	struct err *e)
{
	struct arena a = { 0 };
	struct formula_set f;
	struct formula_values v = { 0 };
	struct shape s;
	uint32_t root;

	formula_init(&f, &a, sizes, SIZES);
	bool ok = shape_read(shape, DTYPE_BF16, &a, &s, e) &&
		  formula_share(&f, "two = 2", "let", e) &&
		  formula_share(&f, "four = two*two", "let", e) &&
		  formula_read(&f, formula, "read", &root, e) &&
		  formula_value(&f, root, &s, "gemm", &v, out, e);
	arena_release(&a);
	return ok;
}

#define SHAPE "m=7 n=4 k=3 x=[2,3,5] q_lens=[1,2,3] seq_lens=[10,2,4]"

static void test_value(void **state)
{
	static const struct {
		const char *formula;
		uint64_t is;
	} rows[] = {
		{ "2*m*n*k", 168 },
		{ "m + n*k", 19 },
		{ "(m + n)*k", 33 },
		{ "m - n - k", 0 },
		{ "n/2*m", 14 },
		{ "floor_div(m, 2) + ceil_div(m, 2)", 7 },
		{ "ceil_div(0, 2)", 0 },
		{ "min(m, n, k) + max(m, n, k)", 10 },
		{ "prod(x) + sum(x) + len(x) + last(x) + largest(x)", 53 },
		{ "x[0] + x[k - 1]", 7 },
		{ "bytes(m)", 14 },
		{ "if(m < n, 1, 2) + if(m > n, 10, 20) + if(m == 7, 100, 0)",
			112 },
		{ "if(m <= 7, 1, 0) + if(m >= 8, 2, 0) + if(m != 7, 4, 0)", 1 },
		/* the other branch is not evaluated */
		{ "if(m, 1, k - m)", 1 },
		{ "batch ?? 5", 5 },
		{ "m ?? 5", 7 },
		{ "2*((batch*m) ?? n)*k", 24 },
		{ "prod(x) ?? 0 + 1", 31 },
		{ "two*four", 8 },
		/* 1*10 + 2*2 + 3*4 */
		{ "sum(q: q_lens, s: seq_lens, q*s)", 26 },
		{ "sum(q: q_lens, q*m) + sum(s: seq_lens, 1)", 45 },
		/* 10; 2 + 1; 4 + 3 + 2 */
		{ "sum(q: q_lens, s: seq_lens, causal_pairs(q, s))", 22 },
		{ "causal_pairs(5, 3)", 6 }, /* 3 + 2 + 1; two attend to none */
		{ "causal_pairs(0, 3) + causal_pairs(3, 0)", 0 },
		{ "causal_pairs(3, 3)", 6 },
		{ "window_pairs(5, 5, 2)", 12 }, /* 1 + 2 + 3 + 3 + 3 */
		{ "window_pairs(2, 5, 2)", 6 },
		{ "window_pairs(4, 5, 2)", 11 }, /* 2 + 3 + 3 + 3 */
		{ "window_pairs(7, 5, 2)", 12 }, /* two attend to none */
		{ "window_pairs(5, 5, 0)", 5 },
		{ "window_pairs(5, 5, 4)", 15 },
		{ "window_pairs(5, 5, 9)", 15 },
		{ "window_pairs(0, 5, 2) + window_pairs(5, 0, 2)", 0 },
		/* one token activates its 8 experts; many tokens activate all;
		 * in between: 128*(1-.9375^20) = 92.8 */
		{ "active_experts(128, 8, 1)", 8 },
		{ "active_experts(128, 8, 1000)", 128 },
		{ "active_experts(128, 8, 20)", 93 },
		{ "active_experts(8, 8, 1)", 8 },
		{ "active_experts(160, 6, 1)", 6 },
		{ "active_experts(8, 2, 0)", 0 },
		/* 135 tokens keep 8*(1-(7/8)^2) = 1.875 of 2 choices: 253.1 */
		{ "distinct_experts(8, 2, 135)", 253 },
		{ "distinct_experts(128, 1, 9)", 9 },
		{ "distinct_experts(1, 0, 9)", 0 },
		{ "18446744073709551615", UINT64_MAX },
		{ "18446744073709551615*10/10", UINT64_MAX },
	};
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct err e = { 0 };
		uint64_t got = 0;
		bool ok = worked_out(rows[i].formula, SHAPE, &got, &e);
		if (!ok)
			fail_msg("%s: %s", rows[i].formula, e.text);
		if (got != rows[i].is)
			fail_msg("%s is %llu", rows[i].formula,
				(unsigned long long)got);
	}
}

static void test_no_value(void **state)
{
	static const struct {
		const char *formula, *sentence;
	} rows[] = {
		{ "batch*m",
			"the cost of 'gemm' needs its size 'batch', which is "
			"unknown" },
		{ "x*m",
			"the cost of 'gemm' needs its size 'x' as one number" },
		{ "prod(m)",
			"the cost of 'gemm' needs its size 'm' as a list" },
		{ "x[3]",
			"the cost of 'gemm' needs more numbers in its size 'x' "
			"than the 3 there are" },
		{ "m/2", "the cost of 'gemm' cannot be computed: a division "
			 "has a remainder" },
		{ "ceil_div(m, n - 4)",
			"the cost of 'gemm' cannot be computed: a divisor is "
			"zero" },
		{ "n - m", "the cost of 'gemm' cannot be computed: a "
			   "difference is negative" },
		{ "sum(q: q_lens, s: x, q*s) - sum(q: q_lens, q: x, q)*m",
			"the cost of 'gemm' cannot be computed: a difference "
			"is negative" },
		{ "active_experts(4, 8, 1)",
			"the cost of 'gemm' cannot be computed: a token uses "
			"more experts than exist" },
		{ "distinct_experts(0, 0, 1)",
			"the cost of 'gemm' cannot be computed: a token uses "
			"more experts than exist" },
		{ "18446744073709551615 + 1",
			"a figure of the cost of 'gemm' exceeds 64 bits" },
		{ "18446744073709551615*18446744073709551615*4",
			"a figure of the cost of 'gemm' exceeds 64 bits" },
		{ "active_experts(18446744073709551615, 4294967296, "
		  "4294967296)",
			"a figure of the cost of 'gemm' exceeds 64 bits" },
	};
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct err e = { 0 };
		uint64_t got;
		assert_false(worked_out(rows[i].formula, SHAPE, &got, &e));
		assert_string_equal(e.text, rows[i].sentence);
	}
}

static void test_lengths(void **state)
{
	struct err e = { 0 };
	uint64_t got;
	(void)state;
	assert_false(worked_out("sum(q: q_lens, s: seq_lens, q*s)",
		"q_lens=[1,2] seq_lens=[1]", &got, &e));
	assert_string_equal(e.text,
		"sizes 'q_lens' and 'seq_lens' of 'gemm' are lists of 2 and 1 "
		"numbers");
}

/* 9e18 keys of 9e18 each take 127 bits together, two such pairs 128. */
static void test_long_sums(void **state)
{
	struct err e = { 0 };
	uint64_t got;
	(void)state;
	assert_false(worked_out("sum(s: seq_lens, s*s*2)",
		"seq_lens=[9223372036854775807*3]", &got, &e));
	assert_int_equal(e.code, ERR_TOO_LARGE);
	e = (struct err){ 0 };
	assert_false(
		worked_out("prod(x)", "x=[9223372036854775807*4]", &got, &e));
	assert_int_equal(e.code, ERR_TOO_LARGE);
	e = (struct err){ 0 };
	assert_true(worked_out("sum(x)", "x=[1*65536]", &got, &e));
	assert_int_equal(got, 65536);
}

/* Each shared name uses the previous one many times. */
static void test_shared_often(void **state)
{
	struct arena a = { 0 };
	struct err e = { 0 };
	struct formula_set f;
	struct formula_values v = { 0 };
	struct shape s;
	uint32_t root;
	uint64_t got;
	(void)state;
	formula_init(&f, &a, sizes, SIZES);
	assert_true(formula_share(&f, "aa = m", "let", &e));
	for (char c = 'b'; c <= 'p'; c++) {
		char text[] = "ac = max(ab, ab, ab, ab, ab)";
		for (size_t i = 0; text[i]; i++)
			text[i] = text[i] == 'c'   ? c
				  : text[i] == 'b' ? (char)(c - 1)
						   : text[i];
		assert_true(formula_share(&f, text, "let", &e));
	}
	assert_true(formula_read(&f, "ap", "read", &root, &e));
	assert_true(shape_read("m=7", DTYPE_BF16, &a, &s, &e));
	assert_null(formula_lacks(&f, root, &s));
	assert_true(formula_value(&f, root, &s, "gemm", &v, &got, &e));
	assert_int_equal(got, 7);
	assert_true(shape_read("n=7", DTYPE_BF16, &a, &s, &e));
	assert_string_equal(formula_lacks(&f, root, &s), "m");
	arena_release(&a);
}

/* The terms of a sum are its own, although a name in it is a sum, too. */
static void test_sum_of_sums(void **state)
{
	struct arena a = { 0 };
	struct err e = { 0 };
	struct formula_set f;
	struct formula_values v = { 0 };
	struct shape s;
	uint32_t root;
	uint64_t got;
	(void)state;
	formula_init(&f, &a, sizes, SIZES);
	assert_true(formula_share(&f, "s = sum(q: x, q)", "let", &e));
	assert_true(formula_read(&f, "sum(p: q_lens, s*p)", "read", &root, &e));
	assert_true(shape_read("x=[5,7] q_lens=[1,2]", DTYPE_BF16, &a, &s, &e));
	assert_true(formula_value(&f, root, &s, "gemm", &v, &got, &e));
	assert_int_equal(got, 36);
	arena_release(&a);
}

/* Both branches of a choice are checked, whichever is taken. */
static void test_lacks(void **state)
{
	struct arena a = { 0 };
	struct err e = { 0 };
	struct formula_set f;
	struct shape s;
	uint32_t root;
	(void)state;
	formula_init(&f, &a, sizes, SIZES);
	assert_true(formula_read(&f, "if(1, m, batch)", "read", &root, &e));
	assert_true(shape_read("m=7", DTYPE_BF16, &a, &s, &e));
	assert_string_equal(formula_lacks(&f, root, &s), "batch");
	arena_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_value),
		cmocka_unit_test(test_no_value),
		cmocka_unit_test(test_lengths),
		cmocka_unit_test(test_long_sums),
		cmocka_unit_test(test_shared_often),
		cmocka_unit_test(test_sum_of_sums),
		cmocka_unit_test(test_lacks),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
