/* test_step_labels.c - tests that every example of step_labels.json gives the
 * numbers beside it, and that labels that cannot be true give none. */
#include "catalog.h"
#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

static struct catalog *catalog;

static int open_catalog(void **state)
{
	struct err e = { 0 };

	(void)state;
	catalog = catalog_new(NULL, &e);
	return catalog ? 0 : -1;
}

static int close_catalog(void **state)
{
	(void)state;
	catalog_free(catalog);
	return 0;
}

static enum step_label_found label_of(const char *name, struct step_label *s)
{
	return catalog_step_label(catalog, name, strlen(name), s);
}

static const struct {
	const char *name;
	size_t sums, number; /* offsets in the label and in the sums */
} numbers[] = {
#define NUMBERS(prefix, part)                                     \
	{ prefix "reqs", offsetof(struct step_label, part),       \
		offsetof(struct step_sums, reqs) },               \
		{ prefix "q", offsetof(struct step_label, part),  \
			offsetof(struct step_sums, q) },          \
		{ prefix "k", offsetof(struct step_label, part),  \
			offsetof(struct step_sums, k) },          \
		{ prefix "qq", offsetof(struct step_label, part), \
			offsetof(struct step_sums, qq) },         \
	{                                                         \
		prefix "qk", offsetof(struct step_label, part),   \
			offsetof(struct step_sums, qk)            \
	}
	NUMBERS("", all),
	NUMBERS("p_", prefill),
	NUMBERS("d_", decode),
};

static void gives(const char *name, const json_t *expected)
{
	static const char *const phases[] = { [PHASE_PREFILL] = "prefill",
		[PHASE_DECODE] = "decode",
		[PHASE_MIXED] = "mixed" };
	struct step_label s;
	size_t known = 1;

	print_message("%s\n", name);
	assert_int_equal(label_of(name, &s), STEP_LABEL_READ);
	assert_false(s.contradictory);
	assert_string_equal(phases[s.phase],
		json_string_value(json_object_get(expected, "phase")));
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		const json_t *v = json_object_get(expected, numbers[i].name);
		const char *sums = (const char *)&s + numbers[i].sums;
		known += v != NULL;
		if (v)
			assert_int_equal(*(const int64_t *)(const void
							 *)(sums +
							    numbers[i].number),
				json_integer_value(v));
	}
	assert_int_equal(known, json_object_size(expected));
}

static void examples_of_engines(void **state)
{
	char path[4096];
	json_error_t e;
	size_t i;
	json_t *label;
	struct step_label s;

	(void)state;
	snprintf(path, sizeof path, "%s/server/catalog/data/step_labels.json",
		getenv("KERNSIFT_SRC"));
	json_t *file = json_load_file(path, 0, &e);
	assert_non_null(file);
	json_array_foreach(json_object_get(file, "labels"), i, label)
	{
		const char *name =
			json_string_value(json_object_get(label, "example"));
		if (json_is_true(json_object_get(label, "broken")))
			assert_int_equal(label_of(name, &s), STEP_LABEL_BROKEN);
		else
			gives(name, json_object_get(label, "gives"));
	}
	assert_true(i > 20);
	json_decref(file);
}

/* The whole step is both phases together. */
static void both_phases_add_up(void **state)
{
	struct step_label s;

	(void)state;
	label_of("execute_6147_context_2(sq6144sk7144sqsq20971520sqsk23019520)_"
		 "generation_3(sq3sk6144sqsq3sqsk6144)",
		&s);
	assert_int_equal(s.all.reqs, 5);
	assert_int_equal(s.all.q, 6147);
	assert_int_equal(s.all.k, 13288);
	assert_int_equal(s.all.qq, 20971523);
	assert_int_equal(s.all.qk, 23025664);
	assert_null(s.lacks);
}

static void why_the_context_is_unknown(void **state)
{
	static const struct {
		const char *name, *lacks;
	} cases[] = {
		{ "execute_context_2(6144)_generation_3(3)",
			"the context length is not in the step's label" },
		{ "step[TARGET_VERIFY bs=4]",
			"the drafted tokens that the step verifies may form a "
			"tree, which the step's label does not describe" },
		{ "execute_8_context_0(sq0sk0sqsq0sqsk0)_"
		  "generation_8(sq8sk7sqsq8sqsk7)",
			"the numbers of the step's label contradict each "
			"other" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct step_label s;
		assert_int_equal(label_of(cases[i].name, &s), STEP_LABEL_READ);
		assert_string_equal(s.lacks, cases[i].lacks);
		assert_int_equal(s.all.k, -1);
		assert_int_equal(s.all.qk, -1);
	}
}

static void numbers_that_contradict(void **state)
{
	static const char *const cases[] = {
		/* fewer tokens than requests */
		"step[DECODE bs=9 g_sq=8 g_sqsq=8 g_sqsk=80 g_sk=80]",
		/* a context shorter than the new tokens */
		"step[EXTEND bs=1 toks=9 c_sq=9 c_sqsq=81 c_sqsk=81 c_sk=8]",
		/* two requests of 5 tokens each have at least 50 */
		"step[EXTEND bs=2 toks=10 c_sq=10 c_sqsq=49 c_sqsk=60 c_sk=12]",
		/* keys fewer than queries in the products */
		"step[EXTEND bs=1 toks=9 c_sq=9 c_sqsq=81 c_sqsk=80 c_sk=9]",
		/* more pairs than all queries with all keys */
		"step[DECODE bs=2 g_sq=2 g_sqsq=2 g_sqsk=81 g_sk=40]",
		/* tokens of no request */
		("execute_9_context_0(sq8sk8sqsq8sqsk8)_"
		 "generation_1(sq1sk1sqsq1sqsk1)"),
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct step_label s;
		print_message("%s\n", cases[i]);
		assert_int_equal(label_of(cases[i], &s), STEP_LABEL_READ);
		assert_true(s.contradictory);
	}
}

static void no_labels(void **state)
{
	static const struct {
		const char *name;
		enum step_label_found found;
	} cases[] = {
		{ "", STEP_LABEL_NONE },
		{ "ProfilerStep#3", STEP_LABEL_NONE },
		{ "step[IDLE bs=0]", STEP_LABEL_NONE },
		{ "execute_diffusion_1_1024x1024", STEP_LABEL_NONE },
		{ "execute_context_0(0)_generation_0(0)", STEP_LABEL_NONE },
		{ "prefill", STEP_LABEL_NONE },
		{ "execute_context_(1)_generation_(2)", STEP_LABEL_BROKEN },
		{ "execute_context_9999999999999999(1)_generation_1(1)",
			STEP_LABEL_BROKEN },
		{ "step[DECODE bs=]", STEP_LABEL_BROKEN },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct step_label s;
		print_message("%s\n", cases[i].name);
		assert_int_equal(label_of(cases[i].name, &s), cases[i].found);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(examples_of_engines),
		cmocka_unit_test(both_phases_add_up),
		cmocka_unit_test(why_the_context_is_unknown),
		cmocka_unit_test(numbers_that_contradict),
		cmocka_unit_test(no_labels),
	};
	return cmocka_run_group_tests(tests, open_catalog, close_catalog);
}
