/* test_compare_work.c - tests that different work is reported first, and that
 * a change of the code is not reported as different work. */
#include "compare_state.h"
#include "sides.h"
#include <math.h>

/* What the iterations of the run's only stratum worked on. */
static void works(struct compared_run *r, struct work *list, uint32_t n)
{
	r->iterations.works = list;
	r->iterations.works_n = n;
}

static struct compared_run run(struct arena *a, int64_t id, uint32_t iterations)
{
	struct compared_run r = sides_run(a, id, iterations);
	sides_kernel(a, &r, "gemm", 500000, 10);
	return r;
}

static void other_sizes_are_other_work(void **state)
{
	struct arena a = { 0 };
	struct comparison c;
	struct compared_run b = run(&a, 1, 4), h = run(&a, 2, 4);
	struct work base[] = {
		{ 0, WORK_OP, "aten::add", "[[64,128],[64,128],[]]", 40 },
		{ 0, WORK_OP, "aten::mm", "[[64,128],[128,17]]", 4 },
		{ 0, WORK_OP, "aten::bias", "[[17]]", 4 },
	};
	struct work head[] = {
		{ 0, WORK_OP, "aten::add", "[[64,91],[64,91],[]]", 40 },
		{ 0, WORK_OP, "aten::mm", "[[64,91],[91,17]]", 4 },
		{ 0, WORK_OP, "aten::bias", "[[17]]", 4 },
	};
	(void)state;

	works(&b, base, 3);
	works(&h, head, 3);
	sides_compare(&b, 1, &h, 1, &a, &c);
	assert_false(c.comparable);
	assert_string_equal(c.headline,
		"the work differs: 128 in sizes (aten::mm [[64,128],[128,17]]) "
		"in the base, 91 (aten::mm [[64,91],[91,17]]) in the head; "
		"nothing is judged");
	assert_int_equal(c.count[CHANGE_UNDECIDED], c.rows_n);
	arena_release(&a);
}

static void sizes_of_another_form_are_reported(void **state)
{
	struct arena a = { 0 };
	struct comparison c;
	struct compared_run b = run(&a, 1, 4), h = run(&a, 2, 4);
	struct work base[] = { { 0, WORK_OP, "aten::mm", "[[2,8],[8,4]]", 3 } };
	struct work head[] = { { 0, WORK_OP, "aten::mm", "[[3,9],[9,5]]", 3 } };
	(void)state;

	works(&b, base, 1);
	works(&h, head, 1);
	sides_compare(&b, 1, &h, 1, &a, &c);
	assert_string_equal(sides_finding(&c, FINDING_other_work),
		"the work differs: aten::mm [[2,8],[8,4]] in the base, "
		"aten::mm "
		"[[3,9],[9,5]] in the head; nothing is judged");
	arena_release(&a);
}

/* The head fuses add into mm and calls mul more often; the shapes are
 * unchanged. */
static void a_change_of_the_code_is_no_other_work(void **state)
{
	struct arena a = { 0 };
	struct comparison c;
	struct compared_run b = run(&a, 1, 4), h = run(&a, 2, 4);
	struct work base[] = {
		{ 0, WORK_OP, "aten::add", "[[64,128],[64,128],[]]", 40 },
		{ 0, WORK_OP, "aten::mm", "[[64,128],[128,17]]", 4 },
		{ 0, WORK_OP, "aten::mul", "[[64,128],[]]", 4 },
	};
	struct work head[] = {
		{ 0, WORK_OP, "aten::addmm", "[[17],[64,128],[128,17]]", 40 },
		{ 0, WORK_OP, "aten::mm", "[[64,128],[128,17]]", 4 },
		{ 0, WORK_OP, "aten::mul", "[[64,128],[]]", 12 },
	};
	(void)state;

	works(&b, base, 3);
	works(&h, head, 3);
	sides_compare(&b, 1, &h, 1, &a, &c);
	assert_true(c.comparable);
	assert_string_equal(sides_finding(&c, FINDING_other_work), "");
	arena_release(&a);
}

static void grids_tell_where_operators_do_not(void **state)
{
	struct arena a = { 0 };
	struct comparison c;
	struct compared_run b = run(&a, 1, 4), h = run(&a, 2, 4);
	struct work base[] = { { 0, WORK_GRID, "gemm", "128x1x1", 10 } };
	struct work head[] = { { 0, WORK_GRID, "gemm", "91x1x1", 10 } };
	(void)state;

	works(&b, base, 1);
	works(&h, head, 1);
	sides_compare(&b, 1, &h, 1, &a, &c);
	assert_string_equal(c.headline,
		"the work differs: 128 in sizes (gemm 128x1x1) in the base, 91 "
		"(gemm 91x1x1) in the head; nothing is judged");
	arena_release(&a);
}

/* Two launches of the kernel, one in each run. */
static void launches(const char *base, const char *head, struct arena *a,
	struct comparison *c)
{
	struct compared_run b = run(a, 1, 4), h = run(a, 2, 4);
	struct work *list = arena_array(a, struct work, 2);
	list[0] = (struct work){ 0, WORK_GRID, "gemm", base, 10 };
	list[1] = (struct work){ 0, WORK_GRID, "gemm", head, 10 };
	works(&b, list, 1);
	works(&h, list + 1, 1);
	sides_compare(&b, 1, &h, 1, a, c);
}

/* Whether launches do the same work, and whether their difference is reported; in
 * both directions. */
static void other_launches_of_the_same_work(void **state)
{
	static const struct {
		const char *one, *other;
		bool same, reported;
	} cases[] = {
		/* 8 * 512 = 4 * 1024 */
		{ "8x1x1 / 512x1x1", "4x1x1 / 1024x1x1", true, true },
		/* 4096 = 4096 in each dimension */
		{ "1024x1024x1 / 4x4x1", "256x256x1 / 16x16x1", true, true },
		/* n = 4000: ceil(4000 / 512) = 8, ceil(4000 / 768) = 6 */
		{ "8x1x1 / 512x1x1", "6x1x1 / 768x1x1", true, true },
		/* (3584, 4096] and (2688, 3584] have no common n; one
		 * block more covers (3584, 4480] */
		{ "8x1x1 / 512x1x1", "4x1x1 / 896x1x1", false, false },
		{ "8x1x1 / 512x1x1", "5x1x1 / 896x1x1", true, true },
		/* one dimension or two, 65,536 threads */
		{ "256x1x1 / 256x1x1", "16x16x1 / 16x16x1", true, true },
		/* a block per row: equal grids, 128 or 256 threads */
		{ "64x1x1 / 128x1x1", "64x1x1 / 256x1x1", true, true },
		/* a loop over the grid: a quarter of the threads */
		{ "4096x1x1 / 256x1x1", "1024x1x1 / 256x1x1", false, false },
		{ "128x1x1 / 256x1x1", "91x1x1 / 256x1x1", false, false },
		/* x and y exchanged: equal in the sum, so the same work */
		{ "8x2x1 / 64x1x1", "2x8x1 / 64x1x1", true, true },
		/* unknown blocks: only equal grids are the same work */
		{ "8x1x1", "8x1x1 / 512x1x1", true, false },
		{ "8x1x1", "4x1x1 / 1024x1x1", false, false },
		{ "8x1x1", "4x1x1", false, false },
		/* no launch has a grid or block of 0 */
		{ "0x1x1 / 512x1x1", "0x1x1 / 64x1x1", true, false },
		{ "0x1x1 / 512x1x1", "4x0x1 / 64x1x1", false, false },
		/* 2^31 - 1 blocks are no overflow */
		{ "2147483647x1x1 / 1024x1x1", "2147483646x1x1 / 1024x1x1",
			false, false },
	};
	(void)state;

	for (uint32_t i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
		struct arena a = { 0 };
		struct comparison c;
		const char *one = cases[i / 2].one, *other = cases[i / 2].other;
		const char *base = i % 2 ? other : one,
			   *head = i % 2 ? one : other;
		launches(base, head, &a, &c);
		assert_int_equal(c.comparable, cases[i / 2].same);
		assert_string_equal(sides_finding(&c,
					    FINDING_launched_differently),
			cases[i / 2].reported
				? arena_printf(&a,
					  "kernels were launched with another "
					  "grid or block for the same work: "
					  "gemm %s → %s",
					  base, head)
				: "");
		arena_release(&a);
	}
}

/* Every n that two blocks cover is the same work, whatever the blocks are. An n
 * of more than both roundings away is other work. */
static void any_block_covers_the_same_items(void **state)
{
	uint64_t seed = 1;
	(void)state;

	for (int i = 0; i < 20000; i++) {
		struct compare_launch l[2];
		int64_t block[2], n[2], first[2];
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		n[0] = 1 + (int64_t)(seed >> 33) % 100000;
		block[0] = 32 * (1 + (int64_t)(seed >> 20) % 32);
		block[1] = 32 * (1 + (int64_t)(seed >> 26) % 32);
		n[1] = i % 2 ? n[0] : n[0] + block[0] + block[1];
		for (int s = 0; s < 2; s++) {
			int64_t blocks = (n[s] + block[s] - 1) / block[s];
			first[s] = (blocks - 1) * block[s];
			l[s] = (struct compare_launch){ { (int32_t)blocks, 1,
								1 },
				{ (int32_t)block[s], 1, 1 }, true, true };
		}
		bool same = compare_launch_same_work(&l[0], &l[1]);
		assert_int_equal(compare_launch_differs(&l[0], &l[1]),
			l[0].grid[0] != l[1].grid[0] || block[0] != block[1]);
		assert_int_equal(same, compare_launch_same_work(&l[1], &l[0]));
		if (i % 2)
			assert_true(same);
		else if (l[0].grid[0] != l[1].grid[0])
			assert_false(same);
		assert_true(first[0] < n[0] && first[1] < n[1]);
	}
}

/* Half of the calls have another block, the other half other items. */
static void launches_of_other_work_are_not_the_same(void **state)
{
	struct arena a = { 0 };
	struct comparison c;
	struct compared_run b = run(&a, 1, 4), h = run(&a, 2, 4);
	struct work base[] = {
		{ 0, WORK_GRID, "gemm", "8x1x1 / 512x1x1", 4 },
		{ 0, WORK_GRID, "gemm", "16x1x1 / 512x1x1", 6 },
	};
	struct work head[] = {
		{ 0, WORK_GRID, "gemm", "4x1x1 / 1024x1x1", 4 },
		{ 0, WORK_GRID, "gemm", "99x1x1 / 1024x1x1", 6 },
	};
	(void)state;

	works(&b, base, 2);
	works(&h, head, 2);
	sides_compare(&b, 1, &h, 1, &a, &c);
	assert_string_equal(c.headline,
		"the work differs: gemm 16x1x1 / 512x1x1 in the base, gemm "
		"99x1x1 / 1024x1x1 in the head; nothing is judged");
	base[0].per_iteration = head[0].per_iteration = 6;
	base[1].per_iteration = head[1].per_iteration = 4;
	sides_compare(&b, 1, &h, 1, &a, &c);
	assert_true(c.comparable);
	assert_string_equal(sides_finding(&c, FINDING_launched_differently),
		"kernels were launched with another grid or block for the same "
		"work: gemm 8x1x1 / 512x1x1 → 4x1x1 / 1024x1x1");
	arena_release(&a);
}

/* The operators have equal shapes: a quarter of the threads, each of which
 * loops, does the same work. If an operator's shape differs, it may not. */
static void equal_shapes_are_the_same_work(void **state)
{
	struct arena a = { 0 };
	struct comparison c;
	struct compared_run b = run(&a, 1, 4), h = run(&a, 2, 4);
	struct work base[] = {
		{ 0, WORK_OP, "aten::mm", "[[64,128],[128,17]]", 9 },
		{ 0, WORK_OP, "aten::add", "[[64,17],[17]]", 1 },
		{ 0, WORK_GRID, "gemm", "4096x1x1 / 256x1x1", 10 },
	};
	struct work head[] = {
		{ 0, WORK_OP, "aten::mm", "[[64,128],[128,17]]", 9 },
		{ 0, WORK_OP, "aten::add", "[[64,17],[17]]", 1 },
		{ 0, WORK_GRID, "gemm", "1024x1x1 / 256x1x1", 10 },
	};
	(void)state;

	works(&b, base, 3);
	works(&h, head, 3);
	sides_compare(&b, 1, &h, 1, &a, &c);
	assert_true(c.comparable);
	assert_string_equal(sides_finding(&c, FINDING_launched_differently),
		"kernels were launched with another grid or block for the same "
		"work: gemm 4096x1x1 / 256x1x1 → 1024x1x1 / 256x1x1");
	head[1].size = "[[32,17],[17]]";
	sides_compare(&b, 1, &h, 1, &a, &c);
	assert_true(c.comparable);
	assert_string_equal(sides_finding(&c, FINDING_launched_differently),
		"");
	arena_release(&a);
}

static void strata(struct compared_run *r, struct arena *a, uint32_t decode,
	uint32_t prefill)
{
	struct stratum *s = arena_array(a, struct stratum, 2);
	s[0] = (struct stratum){ "decode, 16 sequences, 16 tokens",
		PHASE_DECODE, 16, 16, -1, decode };
	s[1] = (struct stratum){ "prefill, 1 sequences, 512 tokens",
		PHASE_PREFILL, 1, 512, -1, prefill };
	r->iterations.strata = s;
	r->iterations.strata_n = 2;
	for (uint32_t i = 0; i < r->iterations.n; i++)
		r->iterations.iterations[i].stratum = i >= decode;
	for (uint32_t i = decode; i < r->iterations.n; i++)
		r->patterns.rows[0].dur_ns[i] *= 10;
}

static void phases_are_distinguished_by_their_work(void **state)
{
	struct arena a = { 0 };
	struct comparison c;
	struct compared_run b = run(&a, 1, 4), h = run(&a, 2, 4);
	(void)state;

	strata(&b, &a, 4, 0);
	strata(&h, &a, 0, 4);
	sides_compare(&b, 1, &h, 1, &a, &c);
	assert_string_equal(c.headline,
		"the work differs: decode, 16 sequences, 16 tokens in the "
		"base, "
		"prefill, 1 sequences, 512 tokens in the head; nothing is "
		"judged");
	arena_release(&a);
}

static void compare_group(const struct compared_run *b,
	const struct compared_run *h, int64_t group, struct arena *a,
	struct comparison *out)
{
	struct compare_options o = COMPARE_OPTIONS;
	struct err e = { 0 };
	o.group = group;
	assert_true(compare_from(b, 1, h, 1, NULL, &o, a, out, &e));
}

/* Both sides decode and prefill; each iteration takes 1 ms. */
static void each_kind_of_work_is_a_comparison(void **state)
{
	struct arena a = { 0 };
	struct comparison c;
	struct compared_run b = run(&a, 1, 12), h = run(&a, 2, 10);
	(void)state;

	strata(&b, &a, 8, 4);
	strata(&h, &a, 8, 2);
	sides_compare(&b, 1, &h, 1, &a, &c);
	assert_true(c.comparable);
	assert_int_equal(c.groups_n, 2);
	assert_int_equal(c.group, 0);
	assert_int_equal(c.groups[0].match, GROUP_BY_LABEL);
	assert_int_equal(c.groups[0].phase, PHASE_DECODE);
	assert_int_equal(c.groups[1].side[1].iterations, 2);
	assert_true(fabs(c.groups[1].side[0].share - 4.0 / 12) < 1e-12);
	assert_int_equal(c.base.iterations_used, 8);
	assert_int_equal(c.head.iterations_used, 8);
	assert_true(c.rows[0].change.base_ns == 500000);
	assert_string_equal(sides_finding(&c, FINDING_groups),
		"the iterations do several kinds of work, each of which is "
		"compared for itself; shown is decode, 16 sequences, 16 tokens; "
		"the others: prefill, 1 sequences, 512 tokens (33.3 % of its "
		"time)");
	compare_group(&b, &h, 1, &a, &c);
	assert_int_equal(c.group, 1);
	assert_int_equal(c.base.iterations_used, 4);
	assert_int_equal(c.head.iterations_used, 2);
	assert_true(c.rows[0].change.base_ns == 5000000);
	arena_release(&a);
}

static void a_pair_that_is_not_there_is_an_error(void **state)
{
	struct arena a = { 0 };
	struct comparison c;
	struct compare_options o = COMPARE_OPTIONS;
	struct err e = { 0 };
	struct compared_run b = run(&a, 1, 4), h = run(&a, 2, 4);
	(void)state;

	o.group = 1;
	assert_false(compare_from(&b, 1, &h, 1, NULL, &o, &a, &c, &e));
	assert_int_equal(e.code, ERR_NOT_FOUND);
	assert_string_equal(e.text,
		"group: there is no pair 1; the sides have 1 pairs of groups of "
		"iterations, counted from 0");
	arena_release(&a);
}

/* Two phases that are not labeled, and whose kernels have nothing in common but
 * one that both phases have. It has the same grid in the same phase. */
static void phases_pair_by_the_sizes_that_both_sides_have(void **state)
{
	struct arena a = { 0 };
	struct comparison to, fro;
	struct compared_run b = run(&a, 1, 6), h = run(&a, 2, 6);
	struct work base[] = {
		{ 0, WORK_GRID, "sm90_gemm", "64x1x1", 160 },
		{ 0, WORK_GRID, "index", "16x1x1", 1 },
		{ 1, WORK_GRID, "sm90_gemm", "120x1x1", 160 },
		{ 1, WORK_GRID, "index", "1049x1x1", 1 },
	};
	struct work head[] = {
		{ 0, WORK_GRID, "Cijk_gemm", "304x1x1", 160 },
		{ 0, WORK_GRID, "index", "1049x1x1", 1 },
		{ 1, WORK_GRID, "Cijk_gemm", "77056x1x1", 160 },
		{ 1, WORK_GRID, "index", "16x1x1", 1 },
	};
	(void)state;

	strata(&b, &a, 4, 2);
	strata(&h, &a, 2, 4);
	for (int i = 0; i < 2; i++)
		b.iterations.strata[i] = h.iterations.strata[i] =
			(struct stratum){ "", PHASE_UNKNOWN, -1, -1, -1, 4 };
	works(&b, base, 4);
	works(&h, head, 4);
	sides_compare(&b, 1, &h, 1, &a, &to);
	sides_compare(&h, 1, &b, 1, &a, &fro);
	assert_int_equal(to.groups_n, 2);
	assert_int_equal(to.base.iterations_used, 4);
	assert_int_equal(to.head.iterations_used, 4);
	assert_int_equal(fro.head.iterations_used, 4);
	assert_true(to.rows[0].change.delta_ns == -fro.rows[0].change.delta_ns);
	arena_release(&a);
}

/* The kernels of the sides have nothing in common: another vendor. */
static void the_last_groups_without_a_common_name_are_a_pair(void **state)
{
	struct arena a = { 0 };
	struct comparison c;
	struct compared_run b = run(&a, 1, 4), h = run(&a, 2, 4);
	struct work base[] = { { 0, WORK_GRID, "sm90_gemm", "64x1x1", 160 } };
	struct work head[] = { { 0, WORK_GRID, "Cijk_gemm", "304x1x1", 160 } };
	(void)state;

	works(&b, base, 1);
	works(&h, head, 1);
	b.iterations.strata[0].text = "grids of 24 kernels";
	sides_compare(&b, 1, &h, 1, &a, &c);
	assert_int_equal(c.groups[0].match, GROUP_BY_EXCLUSION);
	assert_string_equal(c.groups[0].side[0].text,
		"unlabeled work of 24 kernels");
	assert_string_equal(c.groups[0].side[1].text, "unlabeled work");
	assert_true(*sides_finding(&c, FINDING_work_unknown));
	arena_release(&a);
}

/* A gate judges all work. The base has 8 and 4 iterations of two kinds, the head
 * 8 and 2. Excluding two iterations of the base makes both mixes 8 to 2. */
static void mixes_are_balanced(void **state)
{
	struct arena a = { 0 };
	struct comparison c;
	struct compared_run b = run(&a, 1, 12), h = run(&a, 2, 10);
	const struct changed_row *r;
	(void)state;

	strata(&b, &a, 8, 4);
	strata(&h, &a, 8, 2);
	compare_group(&b, &h, COMPARE_MIXED, &a, &c);
	r = sides_row(&c, "gemm");
	/* the function takes the same in each kind of iteration on both sides */
	assert_true(fabs(r->change.delta_ns) < 1e-6);
	assert_true(c.comparable);
	assert_int_equal(c.group, GROUP_MIXED);
	assert_string_equal(sides_finding(&c, FINDING_mix_balanced),
		"the sides do the same kinds of work in different proportions; "
		"these are equal in what is compared: 10 of 12 iterations in "
		"the base, 10 of 10 in the head");
	arena_release(&a);
}

/* Mixes of 7 to 3 and 9 to 1 cannot be balanced. Only the kind that took the
 * most time on both sides is compared. */
static void a_mix_that_cannot_be_balanced_keeps_one_kind(void **state)
{
	struct arena a = { 0 };
	struct comparison c;
	struct compared_run b = run(&a, 1, 10), h = run(&a, 2, 10);
	(void)state;

	strata(&b, &a, 7, 3);
	strata(&h, &a, 9, 1);
	compare_group(&b, &h, COMPARE_MIXED, &a, &c);
	assert_int_equal(c.group, 0);
	assert_int_equal(c.base.iterations_used, 7);
	assert_int_equal(c.head.iterations_used, 9);
	assert_true(c.rows[0].change.delta_ns == 0);
	arena_release(&a);
}

/* A kind that only the base has is excluded and reported. */
static void work_of_one_side_only_is_excluded(void **state)
{
	struct arena a = { 0 };
	struct comparison c;
	struct compared_run b = run(&a, 1, 10), h = run(&a, 2, 8);
	(void)state;

	strata(&b, &a, 8, 2);
	strata(&h, &a, 8, 0);
	sides_compare(&b, 1, &h, 1, &a, &c);
	assert_true(c.comparable);
	assert_string_equal(sides_finding(&c, FINDING_some_work),
		"some iterations have no counterpart: in the base prefill, 1 "
		"sequences, 512 tokens (20.0 % of its time), in the head "
		"nothing; they are not compared");
	assert_int_equal(c.base.iterations_used, 8);
	assert_true(c.rows[0].change.delta_ns == 0);
	arena_release(&a);
}

static void a_context_that_grows_is_the_same_work(void **state)
{
	struct arena a = { 0 };
	struct comparison c;
	struct compared_run b = run(&a, 1, 4), h = run(&a, 2, 4);
	(void)state;

	strata(&b, &a, 4, 0);
	strata(&h, &a, 4, 0);
	b.iterations.strata[0].kv_tokens = 10000;
	h.iterations.strata[0].kv_tokens = 10900;
	sides_compare(&b, 1, &h, 1, &a, &c);
	assert_true(c.comparable);
	h.iterations.strata[0].kv_tokens = 20000;
	sides_compare(&b, 1, &h, 1, &a, &c);
	assert_false(c.comparable);
	arena_release(&a);
}

/* Decode steps take 1 ms, prefills 10 ms: with as many prefills as decode steps,
 * the mean iteration takes 5.5 instead of 1.9 ms. */
static void changes_of_the_work_are_reported(void **state)
{
	static const struct {
		const char *what;
		uint32_t base[2], head[2]; /* decode steps, prefills */
		double head_decode_ns;
		const char *text;
	} cases[] = {
		{ "the same work", { 18, 2 }, { 9, 1 }, 1e6, NULL },
		{ "the same work takes longer", { 18, 2 }, { 18, 2 }, 2e6,
			NULL },
		{ "other work", { 20, 0 }, { 0, 20 }, 1e6,
			"the work differs: decode, 16 sequences, 16 tokens "
			"before, prefill, 1 sequences, 512 tokens after" },
		{ "mostly other work", { 20, 0 }, { 10, 10 }, 1e6,
			"most of the work differs; without a counterpart are "
			"nothing before, and prefill, 1 sequences, 512 tokens "
			"(90.9 % of its time) after" },
		{ "other proportions", { 18, 2 }, { 10, 10 }, 1e6,
			"the proportions of the work differ: prefill, 1 "
			"sequences, 512 tokens is 52.6 % of the time before, "
			"90.9 % after; iterations of equal work changed by "
			"+0.0 %" },
		/* equal work takes 1.28 times as long, the mean 2.37 times */
		{ "other proportions, and longer steps", { 18, 2 }, { 11, 9 },
			2.2e6,
			"the proportions of the work differ: prefill, 1 "
			"sequences, 512 tokens is 52.6 % of the time before, "
			"78.8 % after; iterations of equal work changed by "
			"+31.0 %" },
		/* the mean takes less, equal work takes longer */
		{ "longer steps, but fewer prefills", { 10, 10 }, { 18, 2 },
			1.2e6,
			"the proportions of the work differ: prefill, 1 "
			"sequences, 512 tokens is 90.9 % of the time before, "
			"48.1 % after; iterations of equal work changed by "
			"+5.7 %" },
	};
	(void)state;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct arena a = { 0 };
		struct compared_run side[2];
		for (int s = 0; s < 2; s++) {
			const uint32_t *n = s ? cases[i].head : cases[i].base;
			side[s] = run(&a, s + 1, n[0] + n[1]);
			strata(&side[s], &a, n[0], n[1]);
			for (uint32_t k = 0; k < n[0] + n[1]; k++)
				side[s].iterations.iterations[k].dur_ns =
					k >= n[0] ? 10000000
					: s ? (int64_t)cases[i].head_decode_ns
					    : 1000000;
		}
		const char *text =
			compare_groups_changed(&side[0], 1, &side[1], 1, &a);
		if (cases[i].text)
			assert_string_equal(text ? text : cases[i].what,
				cases[i].text);
		else
			assert_null(text);
		arena_release(&a);
	}
}

/* A run of `n` iterations, each of another size in twenty operators. */
static struct compared_run of_many_sizes(struct arena *a, int64_t id,
	uint32_t n)
{
	enum { OPERATORS = 20 };
	struct compared_run r = run(a, id, n);
	struct work *list = arena_array(a, struct work, n * OPERATORS);
	r.iterations.strata = arena_array(a, struct stratum, n);
	r.iterations.strata_n = n;
	for (uint32_t i = 0; i < n; i++) {
		r.iterations.strata[i] = (struct stratum){ .text = "",
			.sequences = -1,
			.tokens = -1,
			.kv_tokens = -1,
			.iterations = 1 };
		r.iterations.iterations[i].stratum = i;
		for (uint32_t k = 0; k < OPERATORS; k++)
			list[i * OPERATORS + k] = (struct work){ i, WORK_OP,
				arena_printf(a, "aten::op%u", k),
				arena_printf(a, "[[%u,64]]", 100 + i), 1 };
	}
	works(&r, list, n * OPERATORS);
	return r;
}

/* As in a server whose batches have any size: each size is a group, and only
 * those with the most time are paired. A list of sizes takes only the memory of
 * its own rows: two thousand lists of 20 rows take 2 MiB, not
 * 115 MiB as lists of the largest size would. */
static void a_thousand_sizes_need_little_memory(void **state)
{
	enum { SIZES = 1000 };
	struct arena a = { 0 };
	struct comparison c;
	struct compared_run b = of_many_sizes(&a, 1, SIZES),
			    h = of_many_sizes(&a, 2, SIZES);
	size_t before = a.taken;
	(void)state;

	sides_compare(&b, 1, &h, 1, &a, &c);
	assert_in_range(a.taken - before, 1, 8 << 20);
	/* Of the 1,000 sizes of each side, 128 are paired. */
	assert_int_equal(c.groups_n, 2 * SIZES - 128);
	arena_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(other_sizes_are_other_work),
		cmocka_unit_test(sizes_of_another_form_are_reported),
		cmocka_unit_test(a_change_of_the_code_is_no_other_work),
		cmocka_unit_test(grids_tell_where_operators_do_not),
		cmocka_unit_test(other_launches_of_the_same_work),
		cmocka_unit_test(any_block_covers_the_same_items),
		cmocka_unit_test(launches_of_other_work_are_not_the_same),
		cmocka_unit_test(equal_shapes_are_the_same_work),
		cmocka_unit_test(phases_are_distinguished_by_their_work),
		cmocka_unit_test(each_kind_of_work_is_a_comparison),
		cmocka_unit_test(a_pair_that_is_not_there_is_an_error),
		cmocka_unit_test(phases_pair_by_the_sizes_that_both_sides_have),
		cmocka_unit_test(
			the_last_groups_without_a_common_name_are_a_pair),
		cmocka_unit_test(mixes_are_balanced),
		cmocka_unit_test(a_mix_that_cannot_be_balanced_keeps_one_kind),
		cmocka_unit_test(work_of_one_side_only_is_excluded),
		cmocka_unit_test(a_context_that_grows_is_the_same_work),
		cmocka_unit_test(changes_of_the_work_are_reported),
		cmocka_unit_test(a_thousand_sizes_need_little_memory),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
