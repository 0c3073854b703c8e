/* test_view_gate.c - a stored gate in responses and in webhook events. */
#include "view_gate.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

static const struct gate_row row = { .id = 7,
	.created = INT64_C(1787393472000000), /* 2026-08-22T10:11:12Z */
	.who = "ci",
	.project = "p",
	.workload = "w",
	.name = "decode",
	.outcome = "undecided",
	.document =
		"{\"exit_status\":2,\"rules\":[{\"p\":0.5,\"head_gb_s\":9}],"
		"\"findings\":[1],"
		"\"compare\":\"/compare?base=1&head=2\"}" };

static void assert_json(json_t *v, const char *want)
{
	char *text = json_dumps(v, JSON_COMPACT);
	assert_string_equal(text, want);
	free(text);
	json_decref(v);
}

/* The rule lacks base_gb_s, and the gate its prior, as those of older releases
 * do. */
static void test_answer(void **state)
{
	(void)state;
	assert_json(view_gate(&row),
		"{\"id\":7,\"created_at\":\"2026-08-22T10:11:12.000000Z\","
		"\"created_by\":\"ci\",\"project\":\"p\",\"workload\":\"w\","
		"\"name\":\"decode\",\"outcome\":\"undecided\",\"exit_status\":2,"
		"\"rules\":[{\"p\":0.5,\"head_gb_s\":9,"
		"\"fall\":false,\"base_gb_s\":null,\"base_value\":null,"
		"\"head_value\":null,\"unit\":null,"
		"\"iteration_limit_pct\":null,"
		"\"iteration_change_pct\":null,\"iteration_low_pct\":null,"
		"\"iteration_high_pct\":null,\"p_family\":null,"
		"\"alpha\":null,\"earlier_units\":null}],\"findings\":[1],"
		"\"compare\":\"/compare?base=1&head=2\","
		"\"noise_prior\":null,\"budget\":null,\"given\":null,"
		"\"anchor\":null}");
}

static void test_event(void **state)
{
	(void)state;
	assert_json(view_gate_event(&row),
		"{\"event\":\"gate\",\"project\":\"p\",\"workload\":\"w\","
		"\"at\":\"2026-08-22T10:11:12.000000Z\",\"gate\":{\"id\":7,"
		"\"created_at\":\"2026-08-22T10:11:12.000000Z\","
		"\"created_by\":\"ci\",\"project\":\"p\",\"workload\":\"w\","
		"\"name\":\"decode\",\"outcome\":\"undecided\",\"exit_status\":2,"
		"\"compare\":\"/compare?base=1&head=2\",\"budget\":null,"
		"\"given\":null},"
		"\"url\":\"/gates/7\"}");
}

/* A policy from before the rule of the bus bandwidth. */
static void test_older_policy(void **state)
{
	(void)state;
	struct gate_row old = row;
	old.document = "{\"policy\":{\"iteration_pct\":2.0}}";
	json_t *v = view_gate(&old);
	const json_t *policy = json_object_get(v, "policy");
	assert_true(json_is_null(json_object_get(policy, "busbw_pct")));
	assert_true(
		json_real_value(json_object_get(policy, "iteration_pct")) == 2);
	json_decref(v);
}

/* Rules from before the percentages of the iteration and p_family. */
static void test_older_rules(void **state)
{
	static const struct {
		const char *rule;
		bool limit, change, p; /* the old field is kept */
	} cases[] = {
		{ "iteration", true, true, true },
		{ "operator", true, true, true },
		{ "busbw", true, true, true },
		{ "anchor", true, true, false },
		{ "headroom", false, false, true },
		{ "function", false, true, false },
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char document[200];
		snprintf(document, sizeof document,
			"{\"rules\":[{\"rule\":\"%s\",\"limit_pct\":2,"
			"\"change_pct\":4,\"low_pct\":3,\"high_pct\":5,"
			"\"p\":0.25}]}",
			cases[i].rule);
		struct gate_row old = row;
		old.document = document;
		json_t *v = view_gate(&old);
		json_t *rule = json_array_get(json_object_get(v, "rules"), 0);
		assert_true(json_is_true(json_object_get(rule, "fall")) ==
			    !strcmp(cases[i].rule, "busbw"));
		const struct {
			const char *from, *to;
			bool kept;
			double x;
		} fields[] = {
			{ "limit_pct", "iteration_limit_pct", cases[i].limit,
				2 },
			{ "change_pct", "iteration_change_pct", cases[i].change,
				4 },
			{ "low_pct", "iteration_low_pct", cases[i].change, 3 },
			{ "high_pct", "iteration_high_pct", cases[i].change,
				5 },
			{ "p", "p_family", cases[i].p, 0.25 },
		};
		for (size_t k = 0; k < sizeof fields / sizeof *fields; k++) {
			const json_t *from =
				json_object_get(rule, fields[k].from);
			const json_t *to = json_object_get(rule, fields[k].to);
			assert_true(
				json_number_value(fields[k].kept ? from : to) ==
				fields[k].x);
			assert_true(json_is_null(fields[k].kept ? to : from));
		}
		json_decref(v);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_answer),
		cmocka_unit_test(test_event),
		cmocka_unit_test(test_older_policy),
		cmocka_unit_test(test_older_rules),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
