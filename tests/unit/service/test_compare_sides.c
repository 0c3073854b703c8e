/* test_compare_sides.c - tests the ids of a side, which runs repeat each
 * other, and findings about ranks. */
#include "findings.h"
#include "compare_sides.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <string.h>

static void test_words(void **state)
{
	(void)state;
	struct run_selection_id words[RUN_SELECTION_MAX];
	struct err e = { 0 };
	uint32_t n;
	assert_true(run_selection_ids("base", "9007199254740993,job:4,1", words,
		&n, &e));
	assert_int_equal(n, 3);
	assert_false(words[0].job);
	assert_int_equal(words[0].id, 9007199254740993);
	assert_true(words[1].job);
	assert_int_equal(words[1].id, 4);
	assert_int_equal(words[2].id, 1);
}

static void test_wrong_words(void **state)
{
	(void)state;
	static const char *const wrong[] = { "", ",", "1,", ",1", " 1", "1 ",
		"+1", "-1", "0", "job:", "job:0", "job:x", "JOB:1", "jobs:1",
		"1;2", "0x1", "1.0", "9223372036854775808",
		"000000000000000000000000000000000000001" };
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		struct run_selection_id words[RUN_SELECTION_MAX];
		struct err e = { 0 };
		uint32_t n;
		assert_false(
			run_selection_ids("head", wrong[i], words, &n, &e));
		assert_int_equal(e.code, ERR_INPUT);
		assert_memory_equal(e.text, "head: '", 7);
	}
}

/* Rows of two runs, each in its own order. */
static void test_repeats(void **state)
{
	(void)state;
	static const struct repeat_row rows[] = {
		{ 7, 0, 0, false, "H200", "c1", "b", 20 },
		{ 7, 0, 0, false, "H200", "c1", "a", 10 },
		{ 9, 1, 4, true, NULL, NULL, "a", 11 },
	};
	struct arena a = { 0 };
	struct repeats r;
	compare_sides_repeats_from(rows, 3, &a, &r);
	assert_int_equal(r.n, 2);
	assert_int_equal(r.runs[0].run, 7);
	assert_int_equal(r.runs[0].means_n, 2);
	assert_string_equal(r.runs[0].means[0].name, "a");
	assert_true(r.runs[0].means[0].mean_ns == 10);
	assert_int_equal(r.runs[1].group, 1);
	assert_int_equal(r.runs[1].cluster, 4);
	assert_true(r.runs[1].other && !r.runs[0].other);
	assert_null(r.runs[1].device_name);
	assert_string_equal(r.runs[0].commit, "c1");
	assert_null(r.runs[1].commit);
	assert_int_equal(r.runs[1].means_n, 1);
	compare_sides_repeats_from(rows, 0, &a, &r);
	assert_int_equal(r.n, 0);
	arena_release(&a);
}

/* The finding about these ranks of a job. */
static void assert_findings(const struct rank_line *ranks, uint32_t n,
	int32_t world, uint32_t unmatched, const char *want)
{
	struct rank_line lines[8];
	struct compared_run runs[8] = { 0 };
	struct arena a = { 0 };
	for (uint32_t i = 0; i < n; i++) {
		lines[i] = ranks[i];
		runs[i].world_size = world;
	}
	const struct ranks r = { .ranks = lines,
		.ranks_n = n,
		.pairs.unmatched = unmatched,
		.clocks_agree = true };
	const struct finding_list found = findings_job(&a, &r, runs, n);
	const char *text = "";
	for (uint32_t i = 0; i < found.n; i++)
		text = arena_printf(&a,
			"%s%s{\"code\":\"%s\",\"severity\":\"%s\","
			"\"text\":\"%s\"}",
			text, i ? "," : "", found.lines[i].code,
			found.lines[i].severity, found.lines[i].text);
	assert_string_equal(arena_printf(&a, "[%s]", text), want);
	arena_release(&a);
}

static void test_ranks_that_are_all_there(void **state)
{
	(void)state;
	const struct rank_line two[] = { { .rank = 0 }, { .rank = 1 } };
	assert_findings(two, 2, 2, 0, "[]");
	assert_findings(two, 2, -1, 0, "[]");
}

static void test_ranks_missing(void **state)
{
	(void)state;
	const struct rank_line some[] = { { .rank = 1 },
		{ .rank = 2, .straggler = true }, { .rank = 5 } };
	assert_findings(some, 3, 2000000000, 0,
		"[{\"code\":\"straggler\",\"severity\":\"warn\",\"text\":\"computing takes clearly longer than on the median rank: rank 2\"},{\"code\":\"ranks_missing\",\"severity\":\"warn\",\"text\":\"1999999997 of 2000000000 ranks are missing (0, 3 to 4, 6 to 1999999999): waiting for them is counted as transfer\"}]");
	/* a rank beyond its own world size */
	assert_findings(some, 3, 3, 0,
		"[{\"code\":\"straggler\",\"severity\":\"warn\",\"text\":\"computing takes clearly longer than on the median rank: rank 2\"},{\"code\":\"ranks_missing\",\"severity\":\"warn\",\"text\":\"1 of 3 ranks is missing (0): waiting for it is counted as transfer\"}]");
}

static void test_ranks_on_slow_gpus(void **state)
{
	struct rank_line lines[] = { { .rank = 0 },
		{ .rank = 1, .straggler = true },
		{ .rank = 2, .straggler = true } };
	struct compared_run runs[] = {
		{ .rank = 0, .slow_gpu = "gpu-a", .slow_gpu_slowdown = 0.02 },
		{ .rank = 1, .slow_gpu = "gpu-b", .slow_gpu_slowdown = 0.05 },
		{ .rank = 2 }
	};
	struct arena a = { 0 };
	(void)state;
	const struct ranks r = { .ranks = lines,
		.ranks_n = 3,
		.clocks_agree = true };
	const struct finding_list found = findings_job(&a, &r, runs, 3);
	assert_string_equal(found.lines[0].code, "straggler");
	assert_string_equal(found.lines[1].code, "slow_gpu");
	assert_string_equal(found.lines[1].text,
		"ranks ran on GPUs that are recorded as slow: rank 0 on gpu-a "
		"(+2.0 %), rank 1, a straggler, on gpu-b (+5.0 %)");
	arena_release(&a);
}

static void test_ranks_twice(void **state)
{
	(void)state;
	const struct rank_line twice[] = { { .rank = 0 }, { .rank = 0 },
		{ .rank = 0 }, { .rank = 1 }, { .rank = 2 }, { .rank = 2 } };
	assert_findings(twice, 6, 3, 2,
		"[{\"code\":\"rank_twice\",\"severity\":\"warn\",\"text\":"
		"\"more than one run reports rank 0, 2; each is treated as a "
		"separate rank\"},"
		"{\"code\":\"unmatched\",\"severity\":\"warn\",\"text\":"
		"\"collectives that are not matched on all of their ranks, and are not split "
		"into transfer and waiting: 2\"}]");
}

static void test_rank_unknown(void **state)
{
	(void)state;
	const struct rank_line lone[] = { { .rank = -1 } };
	assert_findings(lone, 1, -1, 0,
		"[{\"code\":\"rank_unknown\",\"severity\":\"warn\",\"text\":"
		"\"1 of 1 runs does not report its rank\"},"
		"{\"code\":\"lone_rank\",\"severity\":\"info\",\"text\":"
		"\"only one rank is present: its collectives include waiting "
		"for the others\"}]");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_wrong_words),
		cmocka_unit_test(test_repeats),
		cmocka_unit_test(test_ranks_that_are_all_there),
		cmocka_unit_test(test_ranks_missing),
		cmocka_unit_test(test_ranks_on_slow_gpus),
		cmocka_unit_test(test_ranks_twice),
		cmocka_unit_test(test_rank_unknown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
