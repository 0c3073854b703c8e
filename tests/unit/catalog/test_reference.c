/* test_reference.c - tests a published reference set: the values computed from
 * it, and its sizes under catalog names. */
#include "published_document.h"
#include <math.h>
#include <stdio.h>

static void test_figures(void **state)
{
	struct world *w = *state;
	if (!read(w, DOCUMENT(OPERATOR("rms_norm", "0.25", PLAIN))))
		fail_msg("%s", w->e.text);
	const struct reference_operator *op = &w->r.operators[0];
	const struct reference_shape *s = &op->shapes[0];
	assert_string_equal(w->r.source, "made up");
	assert_int_equal(w->r.runs, 3);
	assert_int_equal(w->r.platforms_n, 2);
	assert_string_equal(w->r.platforms[1].name, "B");
	assert_true(w->r.platforms[0].peak_flops[DTYPE_BF16] == 1e12);
	assert_true(isnan(w->r.platforms[1].peak_flops[DTYPE_BF16]));
	assert_true(w->r.platforms[1].bytes_per_s == 2e12);
	assert_true(op->importance == 0.25);
	assert_int_equal(op->runs, 2);
	assert_null(op->phase);
	assert_null(op->id);
	assert_int_equal(s->calls, -1);
	assert_null(s->description);
	assert_string_equal(s->sizes, "tokens=3 hidden=8");
	assert_string_equal(s->kwargs, "{\"token_count\":3,\"hidden_size\":8}");
	assert_int_equal(s->cost.flops[DTYPE_BF16], 75);
	assert_int_equal(s->cost.read_bytes, 64);
	assert_int_equal(s->cost.write_bytes, 48);
	assert_true(s->ai == 75.0 / 112);
	assert_true(s->sol_us[0] == 12.3);
	assert_true(isnan(s->sol_us[1]));
	assert_true(s->s == 0.5);
	assert_true(op->s_median == 0.5);
	assert_string_equal(op->regime, "memory");
}

/* round(4.005, 2) is 4.0, because 4.005 in binary is slightly less; 8.06
 * becomes 8.1. 0.04 us rounds to zero, and shares of zero are undefined. */
static void test_rounding(void **state)
{
	struct world *w = *state;
	assert_true(read(w,
		DOCUMENT(OPERATOR("rms_norm", "0.25",
			SHAPE("1", "{}", "", "1", "1", "\"A\": 0.004005",
				"\"A\": 8.06") "," SHAPE("2", "{}", "", "1",
				"1", "\"A\": 0.001",
				"\"A\": 0.04") "," SHAPE("3", "{}", "", "1",
				"1", "\"B\": 0.001", "\"A\": 1, \"B\": 4")))));
	const struct reference_operator *op = &w->r.operators[0];
	assert_true(op->shapes[0].s == 4.0 / 8.1);
	assert_true(isnan(op->shapes[1].s));
	assert_true(op->shapes[2].s == 0.25); /* the first that has both */
	/* of .25 and .49 the upper one */
	assert_true(op->s_median == 4.0 / 8.1);
}

/* As the published reference set has it. */
static void test_phase(void **state)
{
	struct world *w = *state;
	assert_true(read(w,
		DOCUMENT("{\"name\": \"gemm\", \"phase\": \"prefill/decode\", "
			 "\"num_profiles\": 2, \"importance_score\": 0.25, "
			 "\"shapes\": [" PLAIN "]}")));
	assert_string_equal(w->r.operators[0].phase, "both");
}

/* The middle shape of the list need not have the median AI. */
static void test_middle(void **state)
{
	struct world *w = *state;
	assert_true(
		read(w, DOCUMENT(OPERATOR("rms_norm", "0.25",
				SHAPE("7", "{}", "\"bf16\": 1000", "1", "1", "",
					"") "," SHAPE("8", "{}", "\"bf16\": 0",
					"1", "1", "", "") "," SHAPE("9", "{}",
					"\"bf16\": 40", "1", "1", "", "")))));
	const struct reference_operator *op = &w->r.operators[0];
	assert_int_equal(op->median, 1);
	assert_true(op->ai == 0);
	assert_string_equal(op->regime, "compute"); /* 20 */
	assert_true(isnan(op->s_median));
	assert_true(read(w, DOCUMENT(OPERATOR("rms_norm", "0.25",
				    SHAPE("7", "{}", "", "1", "1", "", "")))));
	assert_string_equal(w->r.operators[0].regime, "indexing");
	assert_true(read(w, DOCUMENT(OPERATOR("rms_norm", "0.25",
				    SHAPE("7", "{}", "", "0", "0", "", "")))));
	assert_null(w->r.operators[0].regime);
}

static void test_order(void **state)
{
	struct world *w = *state;
	assert_true(read(w,
		DOCUMENT(OPERATOR("b", "0.25", PLAIN) "," OPERATOR("c", "0.5",
			PLAIN) "," OPERATOR("a", "0.25", PLAIN))));
	assert_string_equal(w->r.operators[0].name, "c");
	assert_string_equal(w->r.operators[1].name, "a");
	assert_string_equal(w->r.operators[2].name, "b");
}

static void test_sizes(void **state)
{
	static const struct {
		const char *op, *kwargs, *sizes;
	} rows[] = {
		{ "silu_and_mul", "{\"shape\": [3, 8]}", "x=[3,8]" },
		{ "unified_attention",
			"{\"seq_lens\": [5,5,5,5], \"head_size\": 64, \"x\": "
			"true, \"dtype\": \"bf16\", \"eps\": 0.1}",
			"head_dim=64 seq_lens=[5*4]" },
		/* catalog names, as a fleet is written */
		{ "gemm", "{\"m\": 3, \"k\": 5}", "m=3 k=5" },
		/* it has no catalog name */
		{ "rms_norm", "{\"token_count\": 3, \"width\": 8}", NULL },
		{ "rms_norm", "{\"token_count\": -3, \"hidden_size\": 8}",
			NULL },
		{ "rms_norm", "{\"token_count\": 3.5, \"hidden_size\": 8}",
			NULL },
		{ "rms_norm", "{\"token_count\": [[3]]}", NULL },
		{ "silu_and_mul", "{\"shape\": [3, -8]}", NULL },
		{ "rms_norm", "[3]", NULL },
		{ "rms_norm", "{}", NULL },
		{ "unknown_operator", "{\"token_count\": 3}", NULL },
	};
	struct world *w = *state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char text[2000];
		snprintf(text, sizeof text,
			DOCUMENT("{\"name\": \"%s\", \"num_profiles\": 2, "
				 "\"importance_score\": 0.1, \"shapes\": "
				 "[" SHAPE("1", "%s", "", "1", "1", "",
					 "") "]}"),
			rows[i].op, rows[i].kwargs);
		if (!read(w, text))
			fail_msg("%s: %s", rows[i].kwargs, w->e.text);
		const char *got = w->r.operators[0].shapes[0].sizes;
		if (rows[i].sizes && got)
			assert_string_equal(got, rows[i].sizes);
		else
			assert_ptr_equal(got, rows[i].sizes);
	}
}

/* A document with catalog names needs no renaming. */
static void test_own_text(void **state)
{
	static const struct {
		const char *shape, *sizes;
	} rows[] = {
		{ "\"q_lens=[1,1] seq_lens=[7,7,7,7]\"",
			"q_lens=[1,1] seq_lens=[7*4]" },
		{ "\"seq_lens=\"", "q_lens=[5]" },
		{ "null", "q_lens=[5]" },
		{ "[3]", "q_lens=[5]" },
	};
	struct world *w = *state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char text[1000];
		snprintf(text, sizeof text,
			DOCUMENT("{\"name\": \"attention_forward\", "
				 "\"num_profiles\": 2, \"importance_score\": "
				 "0.1,"
				 " \"shapes\": [{\"id\": 1, \"shape\": %s, "
				 "\"input_kwargs\": {\"seq_lens\": [5]}}]}"),
			rows[i].shape);
		if (!read(w, text))
			fail_msg("%s", w->e.text);
		assert_string_equal(w->r.operators[0].shapes[0].sizes,
			rows[i].sizes);
	}
}

/* The shapes of a fleet may have no known cost. */
static void test_not_costed(void **state)
{
	struct world *w = *state;
	if (!read(w, "{\"num_profiles\": 1, \"platforms\": {\"A\": "
		     "{\"p_peak_flops\": {}, \"b_peak_bytes_per_s\": null}}, "
		     "\"operators\": [{\"name\": \"gemm\", \"num_profiles\": "
		     "1, \"importance_score\": 1, \"dtype\": null, "
		     "\"shapes\": [{\"id\": 0, \"W_flops\": null}]}]}"))
		fail_msg("%s", w->e.text);
	const struct reference_shape *s = &w->r.operators[0].shapes[0];
	assert_true(isnan(w->r.platforms[0].bytes_per_s));
	assert_false(s->costed);
	assert_true(isnan(s->ai));
	assert_null(s->kwargs);
	assert_null(s->sizes);
	assert_null(w->r.operators[0].dtype);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_figures),
		cmocka_unit_test(test_rounding),
		cmocka_unit_test(test_phase),
		cmocka_unit_test(test_middle),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_own_text),
		cmocka_unit_test(test_not_costed),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
