/* test_overrides.c - tests site overrides: what they change, the message if
 * they are rejected, and which rule matched. */
#include "catalog.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum kind { OPERATORS, RULES, PLATFORMS };

static struct catalog *with(enum kind kind, const char *text, struct err *e)
{
	struct catalog_own own = { .version = 7 };
	if (kind == OPERATORS)
		own.operators = text;
	else if (kind == RULES)
		own.rules = text;
	else
		own.platforms = text;
	return catalog_new(&own, e);
}

static struct catalog *good(enum kind kind, const char *text)
{
	struct err e = { 0 };
	struct catalog *c = with(kind, text, &e);
	if (!c)
		fail_msg("%s", e.text);
	return c;
}

struct bad {
	enum kind kind;
	const char *text, *says;
};

static const struct bad refused[] = {
#define REFUSED(kind, text, says) { kind, text, says },
#include "overrides_refused.def"
#undef REFUSED
};

static void test_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
		struct err e = { 0 };
		struct catalog *c = with(refused[i].kind, refused[i].text, &e);
		catalog_free(c);
		assert_null(c);
		assert_int_equal(e.code, ERR_INPUT);
		assert_string_equal(e.text, refused[i].says);
	}
}

static const char *of(const struct catalog *c, const char *kernel)
{
	const struct operator_info *op =
		catalog_kernel_operator(c, kernel, strlen(kernel));
	return op ? op->name : "unknown";
}

/* Overriding rules come first. Names that they do not match fall through to
 * the built-in rules. */
static void test_rules(void **state)
{
	(void)state;
	struct catalog *c = good(RULES,
		"{\"version\": 3, \"items\": ["
		"{\"match\": \"my_secret_kernel\", \"operator\": \"softmax\"},"
		"{\"match\": \"nvjet_\", \"operator\": \"gemm\", "
		"\"family\": \"gemm (ours)\"}]}");
	struct kernel_source s;

	assert_string_equal(catalog_version(c), "3+7");
	assert_string_equal(of(c, "my_secret_kernel_v7"), "softmax");
	assert_string_equal(of(c, "Cijk_Ailk"), "gemm");
	catalog_kernel(c, "nvjet_x", 7, &s);
	assert_string_equal(s.family, "gemm (ours)");
	const struct rule_info *rules;
	assert_true(catalog_rules(c, &rules) > 300);
	assert_true(rules[0].own && rules[1].own && !rules[2].own);
	assert_string_equal(rules[1].match, "nvjet_");
	assert_string_equal(rules[1].op, "gemm");
	catalog_free(c);
}

/* A new operator with its own patterns, and an operator that replaces a
 * built-in one. The built-in rules and host operators then refer to the
 * replacement. */
static void test_operators(void **state)
{
	(void)state;
	struct catalog *c = good(OPERATORS,
		"[{\"name\": \"my_op\", \"description\": \"ours\", "
		"\"sizes\": [\"rows\"], \"ops\": [\"mine::\\\\w+\"], "
		"\"modules\": [\"MyLayer\"], \"collective\": true}, "
		"{\"name\": \"gemm\", \"sizes\": [\"p\", \"q\"]}]");
	const struct operator_info *op = catalog_op(c, "mine::run", 9);

	assert_string_equal(op->name, "my_op");
	assert_true(op->own && op->collective && op->specific);
	assert_null(op->group);
	assert_ptr_equal(catalog_module(c, "MyLayer", 7), op);
	op = catalog_operator(c, "gemm");
	assert_true(op->own);
	assert_string_equal(op->sizes[1], "q");
	assert_ptr_equal(catalog_op(c, "aten::mm", 8), op);
	assert_ptr_equal(catalog_kernel_operator(c, "nvjet_", 6), op);
	catalog_free(c);
}

/* An operator without a peak is valid; the missing peak is NaN. */
static void test_platforms(void **state)
{
	(void)state;
	struct catalog *c = good(PLATFORMS,
		"[{\"name\": \"Mine\", \"devices\": [\"My GPU\"], "
		"\"peak_flops\": {\"fp16\": null}}, "
		"{\"name\": \"H20\", \"bytes_per_s\": 5}]");
	const struct platform *p = catalog_device(c, "My GPU");

	assert_string_equal(p->name, "Mine");
	assert_true(isnan(p->peak_flops[DTYPE_FP16]));
	assert_true(isnan(p->bytes_per_s));
	assert_true(p->own && !catalog_platform(c, "T4")->own);
	assert_true(catalog_platform(c, "H20")->bytes_per_s == 5);
	assert_null(catalog_device(c, "NVIDIA H20"));
	catalog_free(c);
}

static void trial(const struct catalog *c, const char *name, struct arena *a,
	struct rule_trial *t)
{
	struct err e = { 0 };
	if (!catalog_trial(c, name, strlen(name), a, t, &e))
		fail_msg("%s", e.text);
}

static void test_trial(void **state)
{
	(void)state;
	struct arena a = { 0 };
	struct rule_trial t;
	struct catalog *c = good(RULES,
		"[{\"match\": \"zz\", \"operator\": \"scan\"}, "
		"{\"match\": \"my::\\\\w+_k\", \"operator\": \"softmax\"}]");

	trial(c, "void my::long_k<int>(int)", &a, &t);
	assert_true(t.own && t.rule == 1 && t.from == 5 && t.to == 15);
	assert_string_equal(t.match, "my::\\w+_k");
	assert_string_equal(t.op, "softmax");
	assert_string_equal(t.why,
		"the own rule 1 is the first that matches; it covers 10 of 25 "
		"bytes and gives operator 'softmax'");
	trial(c, "nvjet_tst", &a, &t);
	assert_true(!t.own && t.rule > 1 && t.from == 0 && t.to == 6);
	assert_string_equal(t.is.family, "gemm (cuBLAS)");
	trial(c, "my_secret_kernel_v7", &a, &t);
	assert_true(t.rule == -1 && !t.match && !t.op);
	assert_string_equal(t.why, "no rule matches from the name's beginning");
	catalog_free(c);
	arena_release(&a);
}

/* A rule that backtracks forever is stopped and reported, and does not
 * disable any other rule. */
static void test_forever(void **state)
{
	(void)state;
	struct arena a = { 0 };
	struct rule_trial t;
	struct err e = { 0 };
	struct catalog *c = good(RULES,
		"[{\"match\": \"zz\", \"operator\": \"scan\"}, "
		"{\"match\": \"(?:\\\\w+\\\\w*)*!\", \"operator\": \"sort\"}]");
	const char *name = "nvjet_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";

	assert_string_equal(of(c, name), "gemm");
	assert_false(catalog_trial(c, name, strlen(name), &a, &t, &e));
	assert_int_equal(e.code, ERR_TOO_LARGE);
	assert_string_equal(e.text,
		"the own rule 1, '(?:\\w+\\w*)*!', gives up on this name after "
		"1000000 steps: it can match in too many ways");
	catalog_free(c);
	arena_release(&a);
}

/* The result for a name of the given number of x. */
static bool tried(const struct catalog *c, size_t n, struct err *e)
{
	struct arena a = { 0 };
	struct rule_trial t;
	char name[2000];

	memset(name, 'x', n);
	bool ok = catalog_trial(c, name, n, &a, &t, e);
	arena_release(&a);
	return ok;
}

#define SLOW(end) \
	",{\"match\": \"(?:\\\\w+\\\\w*)*" end "\", \"operator\": \"sort\"}"

/* Each takes as long at the next length as all of them take at this one. */
static void test_together(void **state)
{
	(void)state;
	struct err e = { 0 };
	size_t n = 4;
	struct catalog *c = good(RULES,
		"[{\"match\": \"zz\", \"operator\": \"scan\"}" SLOW("a")
			SLOW("b") SLOW("c") SLOW("d") SLOW("e") SLOW("f") "]");

	while (n < 40 && tried(c, n, &e))
		n++;
	assert_string_equal(e.text,
		"several rules together, none of them alone, give up on this "
		"name after 1000000 steps: it can match in too many ways");
	catalog_free(c);
}

/* Few steps, each of which is stored for backtracking. */
static void test_stack(void **state)
{
	(void)state;
	struct err e = { 0 };
	struct catalog *c = good(RULES,
		"[{\"match\": \"zz\", \"operator\": \"scan\"}, {\"match\": "
		"\"(?:(?<n>x)|y)*!\", \"operator\": \"sort\"}]");

	assert_false(tried(c, 2000, &e));
	assert_int_equal(e.code, ERR_TOO_LARGE);
	assert_string_equal(e.text,
		"the own rule 1, '(?:(?<n>x)|y)*!', gives up on this name at "
		"the end of its stack: too much of it can match in another "
		"way");
	catalog_free(c);
}

/* The maximum number of rules. Together they are longer than a pattern that
 * PCRE2 can compile. */
static void test_many(void **state)
{
	(void)state;
	enum { N = 2000 };
	size_t room = 64 * N + 16;
	char *text = malloc(room), *at = text;

	*at++ = '[';
	for (int i = 0; i < N; i++)
		at += snprintf(at, room - (size_t)(at - text),
			"%s{\"match\": \"kernel_of_mine_%d\\\\b\", "
			"\"operator\": \"scan\"}",
			i ? "," : "", i);
	*at++ = ']';
	*at = 0;
	struct catalog *c = good(RULES, text);
	assert_string_equal(of(c, "kernel_of_mine_1999"), "scan");
	assert_string_equal(of(c, "kernel_of_mine_2000"), "unknown");
	assert_string_equal(of(c, "nvjet_"), "gemm");
	catalog_free(c);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_rules),
		cmocka_unit_test(test_operators),
		cmocka_unit_test(test_platforms),
		cmocka_unit_test(test_trial),
		cmocka_unit_test(test_forever),
		cmocka_unit_test(test_together),
		cmocka_unit_test(test_stack),
		cmocka_unit_test(test_many),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
