/* test_shape.c - converts shapes to text and back; tests the names of
 * dtypes. */
#include "shape.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include <stdio.h>

/* Each equals what shape_text() writes for the result of shape_read(). */
static void test_round_trip(void **state)
{
	static const char *const texts[] = { "", "m=237 n=4096 k=4096",
		"seq_lens=[5,7]", "x=[64,3]", "x=[]", "x=[9]", "m=0",
		"seq_lens=[256*1882]", "seq_lens=[1,2*4,3,3,3,2]",
		"a=9223372036854775807", "_a9=1 a9_=[0*65535]",
		"kv_lens=[9223372036854775807*5] b=1" };
	struct arena a = { 0 };
	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		struct err e = { 0 };
		struct shape s;
		assert_true(shape_read(texts[i], DTYPE_BF16, &a, &s, &e));
		assert_int_equal(s.dtype, DTYPE_BF16);
		assert_string_equal(shape_text(&s, &a), texts[i]);
	}
	arena_release(&a);
}

/* All spellings of a list are written in one way. */
static void test_canonical(void **state)
{
	static const struct {
		const char *in, *out;
	} rows[] = { { "x=[7,7,7,7]", "x=[7*4]" }, { "x=[7*3]", "x=[7,7,7]" },
		{ "x=[7*2,7*2]", "x=[7*4]" }, { "x=[7*1]", "x=[7]" },
		{ "x=[7*0]", "x=[]" }, { "x=[1,7*0,2]", "x=[1,2]" } };
	struct arena a = { 0 };
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct err e = { 0 };
		struct shape s;
		assert_true(shape_read(rows[i].in, DTYPE_UNKNOWN, &a, &s, &e));
		assert_string_equal(shape_text(&s, &a), rows[i].out);
	}
	arena_release(&a);
}

static void test_sizes(void **state)
{
	struct arena a = { 0 };
	struct err e = { 0 };
	struct shape s;
	(void)state;
	assert_true(shape_read("m=2 x=[3,4*5] y=[6]", DTYPE_FP32, &a, &s, &e));
	const struct size *x = shape_size(&s, "x");
	assert_int_equal(x->n, 6);
	assert_true(x->is_list);
	assert_int_equal(x->values[0], 3);
	assert_int_equal(x->values[5], 4);
	assert_true(shape_size(&s, "y")->is_list);
	assert_false(shape_size(&s, "m")->is_list);
	assert_int_equal(shape_size(&s, "m")->values[0], 2);
	assert_null(shape_size(&s, "z"));
	assert_null(shape_size(&s, ""));
	arena_release(&a);
}

static void test_hostile(void **state)
{
	static const struct {
		const char *text, *sentence;
	} rows[] = {
		{ "m", "shape cannot be read: no name of a size at 'm'" },
		{ "=1", "shape cannot be read: no name of a size at '=1'" },
		{ "9a=1", "shape cannot be read: no name of a size at '9a=1'" },
		{ "M=1", "shape cannot be read: no name of a size at 'M=1'" },
		{ "m=", "shape cannot be read: no whole number at its end" },
		{ "m=-1", "shape cannot be read: no whole number at '-1'" },
		{ "m=+1", "shape cannot be read: no whole number at '+1'" },
		{ "m=1.5", "shape cannot be read: something that is no size at "
			   "'.5'" },
		{ "m=2*3", "shape cannot be read: something that is no size at "
			   "'*3'" },
		{ "m=007",
			"shape cannot be read: a number that begins with 0 at "
			"'007'" },
		{ "m=9223372036854775808",
			"shape cannot be read: a number that exceeds 64 bits "
			"at "
			"'9223372036854775808'" },
		{ "m=1 m=1",
			"shape cannot be read: a size given twice at 'm=1'" },
		{ "m=1  n=1",
			"shape cannot be read: no name of a size at ' n=1'" },
		{ "m=1 ", "shape cannot be read: something that is no size at "
			  "' '" },
		{ " m=1", "shape cannot be read: no name of a size at ' m=1'" },
		{ "x=[1",
			"shape cannot be read: a list that does not end at its "
			"end" },
		{ "x=[1,]", "shape cannot be read: no whole number at ']'" },
		{ "x=[1]]",
			"shape cannot be read: something that is no size at "
			"']'" },
		{ "x=[[1]]",
			"shape cannot be read: no whole number at '[1]]'" },
		{ "x=[0*65537]", "shape has more than 65536 numbers" },
		{ "x=[0*9223372036854775807]",
			"shape has more than 65536 numbers" },
		{ "y=[0*65536] x=1", "shape has more than 65536 numbers" },
	};
	struct arena a = { 0 };
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct err e = { 0 };
		struct shape s;
		assert_false(shape_read(rows[i].text, DTYPE_FP32, &a, &s, &e));
		assert_string_equal(e.text, rows[i].sentence);
	}
	arena_release(&a);
}

static void test_long(void **state)
{
	char name[80] = "", many[400] = "";
	struct arena a = { 0 };
	struct err e = { 0 }, f = { 0 };
	struct shape s;
	(void)state;
	memset(name, 'n', 64);
	memcpy(name + 64, "=1", 3);
	assert_false(shape_read(name, DTYPE_FP32, &a, &s, &e));
	assert_true(shape_read(name + 1, DTYPE_FP32, &a, &s, &e));
	for (int i = 0; i < 65; i++)
		snprintf(many + 5 * i, 6, "%c%c=1 ", 'a' + i / 26,
			'a' + i % 26);
	many[5 * 64 - 1] = '\0';
	assert_true(shape_read(many, DTYPE_FP32, &a, &s, &f));
	assert_int_equal(s.n, 64);
	many[5 * 64 - 1] = ' ';
	many[5 * 65 - 1] = '\0';
	assert_false(shape_read(many, DTYPE_FP32, &a, &s, &f));
	assert_string_equal(f.text,
		"shape cannot be read: one size too many at 'cm=1'");
	arena_release(&a);
}

/* The arena of a worker has a limit; exceeding it is reported as such. */
static void test_full(void **state)
{
	struct arena a = { .ceiling = 100 };
	struct err e = { 0 };
	struct shape s;
	(void)state;
	assert_false(shape_read("x=[0*60000]", DTYPE_FP32, &a, &s, &e));
	assert_true(a.full);
	assert_int_equal(e.code, ERR_TOO_LARGE);
	arena_release(&a);
}

static void test_dtypes(void **state)
{
	static const struct {
		const char *text;
		enum dtype is;
	} rows[] = { { "c10::BFloat16", DTYPE_BF16 }, { "bf16", DTYPE_BF16 },
		{ "torch.bfloat16", DTYPE_BF16 }, { "float", DTYPE_FP32 },
		{ "Float", DTYPE_FP32 }, { "half", DTYPE_FP16 },
		{ "long int", DTYPE_INT64 }, { "int", DTYPE_INT32 },
		{ "fp8", DTYPE_FP8_E4M3 }, { "fp8_e5m2", DTYPE_FP8_E5M2 },
		{ "c10::Float8_e4m3fnuz", DTYPE_FP8_E4M3 },
		{ "c10::complex<float>", DTYPE_COMPLEX64 },
		{ "bool", DTYPE_BOOL }, { "", DTYPE_UNKNOWN },
		{ "torch.", DTYPE_UNKNOWN }, { "Scalar", DTYPE_UNKNOWN },
		{ "flo", DTYPE_UNKNOWN }, { "floats", DTYPE_UNKNOWN },
		{ "float|float32", DTYPE_UNKNOWN }, { "|", DTYPE_UNKNOWN } };
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		assert_int_equal(dtype_from(rows[i].text, strlen(rows[i].text)),
			rows[i].is);
	assert_int_equal(dtype_from("bf16x", 4), DTYPE_BF16);
	assert_null(dtype_word(DTYPE_UNKNOWN));
	assert_int_equal(dtype_bits(DTYPE_UNKNOWN), 0);
	assert_false(dtype_counts(DTYPE_UNKNOWN));
	assert_int_equal(dtype_bits(DTYPE_FP4), 4);
	assert_false(dtype_counts(DTYPE_INT32));
	for (enum dtype d = DTYPE_UNKNOWN + 1; d < DTYPES; d++) {
		const char *word = dtype_word(d);
		assert_int_equal(dtype_from(word, strlen(word)), d);
		assert_in_range(dtype_bits(d), 4, 128);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_canonical),
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_hostile),
		cmocka_unit_test(test_long),
		cmocka_unit_test(test_full),
		cmocka_unit_test(test_dtypes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
