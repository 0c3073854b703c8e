/* test_changes.c - tests the complete output of a comparison on a terminal. */
#include "changes.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

/* Unknown values are null. The name contains terminal commands and is long. */
static const char judged[] =
	"{\"score\":\"verdict\",\"headline\":\"f \\u001b[2J regressed\","
	"\"comparable\":true,\"findings\":[{\"code\":\"few_iterations\","
	"\"severity\":\"warn\",\"text\":\"few iterations\"}],"
	"\"base\":{\"runs\":[{},{}],\"units\":2,\"iterations\":9,"
	"\"iterations_used\":8,\"detector\":\"period\",\"iteration_ns\":2500000},"
	"\"head\":{\"runs\":[{}],\"units\":1,\"iterations\":4,\"iterations_used\":4,"
	"\"detector\":\"period\",\"iteration_ns\":null},"
	"\"split\":[{\"part\":\"idle\",\"description\":\"idle\","
	"\"verdict\":\"undecided\",\"base_ns_per_iteration\":999.5,"
	"\"head_ns_per_iteration\":1500,\"delta_ns_per_iteration\":500.5,"
	"\"ratio\":1.5}],\"idle_causes\":[{\"cause\":\"host_gap\","
	"\"description\":\"host gaps\",\"verdict\":\"likely\","
	"\"base_ns_per_iteration\":100,\"head_ns_per_iteration\":600,"
	"\"delta_ns_per_iteration\":500,\"ratio\":6}],"
	"\"decompositions\":[{\"of\":\"iteration\"},{\"of\":"
	"\"output_token\",\"base_ns\":2000000,\"head_ns\":1999999,"
	"\"delta_ns\":-1,\"low_ns\":-1500,\"high_ns\":1500.5,"
	"\"base_median_ns\":1900000,\"head_median_ns\":1950000,"
	"\"base_tokens\":1.5,\"head_tokens\":2,\"by_tokens_ns\":-1234567,"
	"\"terms\":[{\"description\":\"kernels that compute\","
	"\"base_ns\":2000000,\"head_ns\":1999999,\"delta_ns\":-1,"
	"\"low_ns\":null,\"high_ns\":null}]}],\"tokens_reason\":null,"
	"\"common\":{\"ratio\":1.25},\"items\":["
	"{\"short_name\":\"f\",\"head_short_name\":\"f_2\","
	"\"distinct_name\":\"f [4]\",\"head_distinct_name\":\"f_2 [4]\","
	"\"device\":\"GPU 0\",\"verdict\":\"regressed\","
	"\"evidence\":\"iterations\",\"base_ns_per_iteration\":1000000,"
	"\"head_ns_per_iteration\":1500000,\"delta_ns_per_iteration\":500000,"
	"\"ratio\":1.5,\"p_family\":0.0004998,"
	"\"base_launches_per_iteration\":2,\"head_launches_per_iteration\":3},"
	"{\"short_name\":\"a name that is longer than the sixty bytes that a "
	"terminal line has for it\",\"device\":null,\"verdict\":\"appeared\","
	"\"evidence\":\"launches\",\"base_ns_per_iteration\":0,"
	"\"head_ns_per_iteration\":2e9,\"delta_ns_per_iteration\":2e9,\"ratio\":null,"
	"\"p_family\":null,\"base_launches_per_iteration\":null,"
	"\"head_launches_per_iteration\":1},"
	"{\"short_name\":\"h\",\"verdict\":\"within_margin\","
	"\"evidence\":\"runs\",\"base_ns_per_iteration\":1000000,"
	"\"head_ns_per_iteration\":1020000,\"delta_ns_per_iteration\":20000,"
	"\"ratio\":1.02,\"p_family\":0.001},"
	"{\"short_name\":\"g\",\"verdict\":\"unchanged\",\"evidence\":\"runs\"}"
	"],\"counts\":{\"regressed\":1,\"appeared\":1,\"improved\":0,"
	"\"within_margin\":1,\"unchanged\":1},\"seed\":1,\"permutations\":2000}";

static const char shown[] =
	"f  [2J regressed\n"
	"\n"
	"warn: few iterations\n"
	"\n"
	"base  2 runs, 8 of 9 iterations compared (period), mean 2.50 ms\n"
	"head  1 run, 4 of 4 iterations compared (period), mean -\n"
	"\n"
	"breakdown of the iteration time                  base         head    "
	" "
	"   change\n"
	"  idle                                      999.50 ns      1.50 us    "
	"+500.50 ns   +50.0 %  undecided\n"
	"  of idle: host gaps                        100.00 ns    600.00 ns    "
	"+500.00 ns  +500.0 %  likely\n"
	"  common factor of most kernels: 1.250\n"
	"\n"
	"terms, in microseconds                           base         head    "
	" "
	"   change\n"
	"  mean time per output token                 2000.000     1999.999    "
	"    -0.001  95 % -1.500 to +1.500\n"
	"  kernels that compute                       2000.000     1999.999    "
	"    -0.001\n"
	"  median: 1.90 ms in the base, 1.95 ms in the head\n"
	"  accepted tokens per step: 1.5 in the base, 2 in the head; their "
	"change makes -1234.567 us of the change\n"
	"\n"
	"what changed            base         head per iteration\n"
	"  regressed          1.00 ms      1.50 ms    +500.00 us   +50.0 %  f_2 "
	"[4] (in the base f [4]) [GPU 0], 2 to 3 launches, p 0.0005, by iterations\n"
	"  appeared           0.00 ns       2.00 s       +2.00 s            a name "
	"that is longer than the sixty bytes that a terminal l…, by launches\n"
	"  within margin      1.00 ms      1.02 ms     +20.00 us    +2.0 %  h, p "
	"0.001, by runs\n"
	"\n"
	"1 regressed, 1 appeared, 1 within margin, 1 unchanged; seed 1, 2000 permutations\n";

/* All operators are listed, whatever their class is. */
static const char by_operator[] =
	"{\"headline\":\"softmax takes less\",\"comparable\":true,"
	"\"findings\":[],\"base\":{},\"head\":{},\"split\":[],"
	"\"common\":null,\"by_operator\":true,\"operators\":["
	"{\"operator\":\"softmax\",\"shape\":\"bf16 x=[8,64]\","
	"\"base_kernels\":\"cunn\",\"head_kernels\":null,"
	"\"verdict\":\"vanished\",\"evidence\":\"launches\","
	"\"base_ns_per_iteration\":2000000,\"head_ns_per_iteration\":0,"
	"\"delta_ns_per_iteration\":-2000000,\"ratio\":0,\"p_family\":null},"
	"{\"operator\":\"gemm\",\"shape\":null,\"base_kernels\":null,"
	"\"head_kernels\":null,\"verdict\":\"unchanged\","
	"\"evidence\":\"runs\",\"base_ns_per_iteration\":1000000,"
	"\"head_ns_per_iteration\":1000000,\"delta_ns_per_iteration\":0,"
	"\"ratio\":1,\"p_family\":1},"
	"{\"operator\":\"norm\",\"shape\":null,\"inferred\":\"inferred: ...\","
	"\"base_operators\":[\"fused_add_rms_norm\"],"
	"\"head_operators\":[\"rms_norm\",\"l2\\nnorm\"],"
	"\"base_kernels\":null,\"head_kernels\":null,"
	"\"verdict\":\"improved\",\"evidence\":\"runs\","
	"\"base_ns_per_iteration\":2000000,\"head_ns_per_iteration\":1000000,"
	"\"delta_ns_per_iteration\":-1000000,\"ratio\":0.5,"
	"\"p_family\":0.001},"
	"{\"operator\":\"collective\",\"shape\":null,\"base_kernels\":null,"
	"\"head_kernels\":null,\"verdict\":null,\"evidence\":\"none\","
	"\"base_ns_per_iteration\":1000000,\"head_ns_per_iteration\":1000000,"
	"\"delta_ns_per_iteration\":0,\"ratio\":1,\"p_family\":null}],\"items\":[],\"counts\":{},"
	"\"seed\":1,\"permutations\":2000}";

/* The rows of ranks are one line if the function changed, else those that did. */
static const char folded[] =
	"{\"headline\":\"f takes longer\",\"comparable\":true,\"findings\":[],"
	"\"base\":{},\"head\":{},\"split\":[],\"common\":null,\"functions\":["
	"{\"short_name\":\"f\",\"device\":\"2 ranks\",\"items\":[0,2],"
	"\"verdict\":\"regressed\",\"evidence\":\"runs\","
	"\"head_ranks\":{\"slowest\":\"rank 1, GPU 0\"},"
	"\"base_ns_per_iteration\":2000000,\"head_ns_per_iteration\":3000000,"
	"\"delta_ns_per_iteration\":1000000,\"ratio\":1.5,\"p_family\":0.01},"
	"{\"short_name\":\"g\",\"device\":\"2 ranks\",\"items\":[1,3,9,-1],"
	"\"verdict\":\"undecided\",\"evidence\":\"runs\"}],\"items\":["
	"{\"short_name\":\"f\",\"device\":\"rank 1, GPU 0\","
	"\"verdict\":\"regressed\",\"evidence\":\"runs\"},"
	"{\"short_name\":\"g\",\"device\":\"rank 0, GPU 0\","
	"\"verdict\":\"likely\",\"evidence\":\"runs\","
	"\"base_ns_per_iteration\":1000,\"head_ns_per_iteration\":2000,"
	"\"delta_ns_per_iteration\":1000,\"ratio\":2,\"p_family\":0.2},"
	"{\"short_name\":\"f\",\"device\":\"rank 0, GPU 0\","
	"\"verdict\":\"regressed\",\"evidence\":\"runs\"},"
	"{\"short_name\":\"g\",\"device\":\"rank 1, GPU 0\","
	"\"verdict\":\"unchanged\",\"evidence\":\"runs\"}],"
	"\"counts\":{},\"seed\":1,\"permutations\":2000}";

static const char refused[] =
	"{\"headline\":\"other work\",\"comparable\":false,\"findings\":[],"
	"\"base\":{},\"head\":{},\"split\":[],\"common\":null,\"items\":["
	"{\"short_name\":\"f\",\"verdict\":null,\"evidence\":\"none\"}],"
	"\"counts\":{},\"seed\":7,\"permutations\":2000}";

static void assert_shown(const char *body, const char *want)
{
	struct changes c;
	struct err e = { 0 };
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);
	assert_true(changes_init(&c, body, strlen(body), &e));
	changes_print(&c, &(struct terminal){ .out = out });
	fclose(out);
	assert_string_equal(text, want);
	free(text);
	changes_release(&c);
}

static void test_judged(void **state)
{
	(void)state;
	assert_shown(judged, shown);
}

static void test_by_operator(void **state)
{
	(void)state;
	assert_shown(by_operator,
		"softmax takes less\n"
		"\n"
		"base  0 runs, 0 of 0 iterations compared (), mean -\n"
		"head  0 runs, 0 of 0 iterations compared (), mean -\n"
		"\n"
		"operators               base         head per iteration\n"
		"  vanished           2.00 ms      0.00 ns      -2.00 ms  -100.0 %  "
		"softmax bf16 x=[8,64] (cunn → none), by launches\n"
		"  unchanged          1.00 ms      1.00 ms      +0.00 ns    +0.0 %  "
		"gemm, p 1, by runs\n"
		"  improved           2.00 ms      1.00 ms      -1.00 ms   -50.0 %  "
		"norm, inferred: fused_add_rms_norm → rms_norm + l2 norm, p 0.001, "
		"by runs\n"
		"  not judged         1.00 ms      1.00 ms      +0.00 ns    +0.0 %  "
		"collective\n"
		"\n"
		"no function has changed detectably\n"
		"seed 1, 2000 permutations\n");
}

static void test_folded(void **state)
{
	(void)state;
	assert_shown(folded,
		"f takes longer\n"
		"\n"
		"base  0 runs, 0 of 0 iterations compared (), mean -\n"
		"head  0 runs, 0 of 0 iterations compared (), mean -\n"
		"\n"
		"what changed            base         head per iteration\n"
		"  regressed          2.00 ms      3.00 ms      +1.00 ms   +50.0 %  f "
		"[2 ranks, slowest rank 1, GPU 0], p 0.01, by runs\n"
		"  likely             1.00 us      2.00 us      +1.00 us  +100.0 %  g "
		"[rank 0, GPU 0], p 0.2, by runs\n"
		"\n"
		"seed 1, 2000 permutations\n");
}

static void test_nothing_judged(void **state)
{
	(void)state;
	assert_shown(refused,
		"other work\n"
		"\n"
		"base  0 runs, 0 of 0 iterations compared (), mean -\n"
		"head  0 runs, 0 of 0 iterations compared (), mean -\n"
		"\n"
		"no verdicts are given\n"
		"seed 7, 2000 permutations\n");
}

static void test_no_comparison(void **state)
{
	(void)state;
	static const char *const bodies[] = { "", "<html>", "[]",
		"{\"headline\":1,\"items\":[]}", "{\"headline\":\"x\"}" };
	for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
		struct changes c;
		struct err e = { 0 };
		assert_false(
			changes_init(&c, bodies[i], strlen(bodies[i]), &e));
		assert_string_equal(e.text,
			"the server's answer is not a comparison");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_judged),
		cmocka_unit_test(test_by_operator),
		cmocka_unit_test(test_folded),
		cmocka_unit_test(test_nothing_judged),
		cmocka_unit_test(test_no_comparison),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
