/* test_reference_wrong.c - error messages for damaged published documents. */
#include "published_document.h"
#include <stdio.h>

static void test_wrong(void **state)
{
	static const struct {
		const char *json, *sentence;
	} rows[] = {
		{ "", "the reference set is not JSON: line 1, column 0: '[' "
		      "or '{' "
		      "expected near end of file" },
		{ "[]", "the reference set is not a JSON object" },
		{ "{\"num_profiles\": 1, \"num_profiles\": 1}",
			"the reference set is not JSON: line 1, column 34: "
			"duplicate "
			"object key near '\"num_profiles\"'" },
		{ "{\"num_profiles\": 1}",
			"'platforms' is no object of 1 to 32 platforms" },
		{ "{}", "'num_profiles' is no whole number from 0" },
		{ "{\"num_profiles\": 1.5}",
			"'num_profiles' is no whole number from 0" },
		{ "{\"num_profiles\": 1, \"platforms\": {\"A\": "
		  "{\"p_peak_flops\": {\"bf17\": 1},"
		  " \"b_peak_bytes_per_s\": 1}}}",
			"platforms ('A'): the type 'bf17' is unknown" },
		{ "{\"num_profiles\": 1, \"platforms\": {\"A\": "
		  "{\"p_peak_flops\": {\"bf16\": 0},"
		  " \"b_peak_bytes_per_s\": 1}}}",
			"platforms ('A'): 'bf16' is no number from 1" },
		{ "{\"num_profiles\": 1, \"platforms\": {\"A\": "
		  "{\"p_peak_flops\": {}, \"b_peak_bytes_per_s\": -1}}}",
			"platforms ('A'): 'b_peak_bytes_per_s' is no number "
			"from 1" },
		{ DOCUMENT(""), "'operators' is no list with entries" },
		{ DOCUMENT("3"), "operators[0]: it is no object" },
		{ DOCUMENT("{\"name\": 3}"),
			"operators[0]: 'name' is no text of 1 to 500 bytes" },
		{ DOCUMENT("{\"name\": \"gemm\", \"phase\": \"weird\"}"),
			"operators[0] ('gemm'): 'phase' is 'weird', none of "
			"prefill, decode, mixed, both" },
		{ DOCUMENT(OPERATOR("gemm", "1.5", PLAIN)),
			"operators[0] ('gemm'): 'importance_score' is above "
			"1" },
		{ DOCUMENT(OPERATOR("gemm", "-1", PLAIN)),
			"operators[0] ('gemm'): 'importance_score' is no "
			"number from 0" },
		{ DOCUMENT(OPERATOR("gemm", "1", "")),
			"operators[0] ('gemm'): 'shapes' is no list with "
			"entries" },
		{ DOCUMENT(OPERATOR("gemm", "1", PLAIN "," PLAIN)),
			"operators[0] ('gemm'), shapes[1]: there is another "
			"shape of id 1" },
		{ DOCUMENT(OPERATOR("gemm", "1", PLAIN) "," OPERATOR("gemm",
			  "1", PLAIN)),
			"there are two operators 'gemm'" },
		{ DOCUMENT("{\"name\": \"gemm\", \"importance_score\": 0.1, "
			   "\"num_profiles\": 4}"),
			"operators[0] ('gemm'): 'num_profiles' is above the "
			"document's own" },
		{ DOCUMENT(OPERATOR("gemm", "1",
			  SHAPE("1", "{}", "\"bf17\": 1", "1", "1", "", ""))),
			"operators[0] ('gemm'), shapes[0]: in 'W_flops' the "
			"type 'bf17' is unknown" },
		{ DOCUMENT(OPERATOR("gemm", "1",
			  SHAPE("1", "{}", "\"bf16\": 1, \"bfloat16\": 2", "1",
				  "1", "", ""))),
			"operators[0] ('gemm'), shapes[0]: 'W_flops' has bf16 "
			"twice" },
		{ DOCUMENT(OPERATOR("gemm", "1",
			  SHAPE("1", "{}", "\"bf16\": -1", "1", "1", "", ""))),
			"operators[0] ('gemm'), shapes[0]: in 'W_flops' 'bf16' "
			"is no whole number from 0" },
		{ DOCUMENT(OPERATOR("gemm", "1",
			  SHAPE("1", "{}", "", "1.5", "1", "", ""))),
			"operators[0] ('gemm'), shapes[0]: 'Q_read_bytes' is "
			"no whole number from 0" },
		{ DOCUMENT(OPERATOR("gemm", "1",
			  SHAPE("1", "{}", "", "1", "99999999999999999999", "",
				  ""))),
			"the reference set is not JSON: line 1, column 380: "
			"too big "
			"integer near '99999999999999999999'" },
		{ DOCUMENT(OPERATOR("gemm", "1",
			  "{\"id\": 1, \"W_flops\": {}}")),
			"operators[0] ('gemm'), shapes[0]: 'Q_read_bytes' is "
			"no whole number from 0" },
		{ DOCUMENT(OPERATOR("gemm", "1",
			  SHAPE("1", "{}", "", "1", "1", "\"C\": 1", ""))),
			"operators[0] ('gemm'), shapes[0]: in 'T_sol_ms' 'C' "
			"is none of the platforms" },
		{ DOCUMENT(OPERATOR("gemm", "1",
			  SHAPE("1", "{}", "", "1", "1", "", "\"A\": -1"))),
			"operators[0] ('gemm'), shapes[0]: 'production_us' is "
			"no number from 0" },
		{ DOCUMENT(OPERATOR("gemm", "1",
			  SHAPE("1", "{}", "", "1", "1", "", "\"A\": \"1\""))),
			"operators[0] ('gemm'), shapes[0]: 'production_us' is "
			"no number from 0" },
		{ DOCUMENT(OPERATOR("gemm", "1",
			  SHAPE("-1", "{}", "", "1", "1", "", ""))),
			"operators[0] ('gemm'), shapes[0]: 'id' is no whole "
			"number from 0" },
	};
	struct world *w = *state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		assert_false(read(w, rows[i].json));
		assert_string_equal(w->e.text, rows[i].sentence);
		assert_int_equal(w->e.code, ERR_INPUT);
	}
}

/* Sixteen times 65536 numbers in a short text are the maximum. */
static void test_many_numbers(void **state)
{
	struct world *w = *state;
	char text[4000] = "";
	size_t len = 0;
	for (int n = 16; n <= 17; n++) {
		len = (size_t)snprintf(text, sizeof text, "%s",
			"{\"num_profiles\": 1, \"platforms\": {\"A\": "
			"{\"p_peak_flops\": {}}}, \"operators\": [{\"name\": "
			"\"softmax\", \"num_profiles\": 1, "
			"\"importance_score\": 1, \"shapes\": [");
		for (int i = 0; i < n; i++)
			len += (size_t)snprintf(text + len, sizeof text - len,
				"%s{\"id\": %d, \"shape\": \"x=[0*65536]\"}",
				i ? "," : "", i);
		snprintf(text + len, sizeof text - len, "]}]}");
		if (n == 16) {
			assert_true(read(w, text));
			continue;
		}
		assert_false(read(w, text));
		assert_string_equal(w->e.text,
			"the sizes of all shapes have more than 1048576 "
			"numbers");
		assert_int_equal(w->e.code, ERR_TOO_LARGE);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_wrong),
		cmocka_unit_test(test_many_numbers),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
