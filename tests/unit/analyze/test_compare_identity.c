/* test_compare_identity.c - tests which kernels of two sides are compared as
 * one although their names differ. */
#include "sides.h"
#include "catalog.h"
#include <stdlib.h>

struct made {
	struct arena a;
	struct catalog *catalog;
	struct compared_run side[2];
	struct comparison out;
};

static int start(void **state)
{
	static struct made m;
	struct err e = { 0 };
	m = (struct made){ .catalog = catalog_new(NULL, &e) };
	m.side[0] = sides_run(&m.a, 1, 8);
	m.side[1] = sides_run(&m.a, 2, 8);
	*state = &m;
	return m.catalog ? 0 : -1;
}

static int stop(void **state)
{
	struct made *m = *state;
	catalog_free(m->catalog);
	arena_release(&m->a);
	return 0;
}

/* Adds a kernel of a side; they are launched in the order of the calls.
 * `grid` and `op` NULL: unknown. */
static struct pattern *kernel(struct made *m, int side, const char *name,
	int64_t ns, int64_t launches, const char *grid, const char *op)
{
	struct compared_run *r = &m->side[side];
	struct pattern *p = sides_kernel(&m->a, r, name, ns, launches);
	const char **texts = arena_array(&m->a, const char *, 2);
	texts[0] = grid;
	texts[1] = op;
	p->launch.order = r->patterns.n;
	if (grid)
		p->launch.grids = (struct pattern_texts){ texts, 1 };
	if (op)
		p->launch.operators = (struct pattern_texts){ texts + 1, 1 };
	return p;
}

static void run(struct made *m, int base, int head)
{
	for (int s = 0; s < 2; s++)
		compare_stems(m->catalog, &m->side[s], 1, &m->a);
	sides_compare(&m->side[base], 1, &m->side[head], 1, &m->a, &m->out);
	assert_true(m->out.comparable);
}

/* "gelu_2 > gelu_5 renamed", one line per row that its name alone does not
 * find, or that one side lacks, sorted by the name in the base. */
static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static const char *rows(struct made *m)
{
	static const char *const words[] = { "name", "renamed", "variant",
		"several" };
	const char **lines =
		arena_array(&m->a, const char *, m->out.rows_n + 1);
	const char *text = "";
	uint32_t n = 0;
	for (uint32_t i = 0; i < m->out.rows_n; i++) {
		const struct changed_row *r = &m->out.rows[i];
		bool one = !(r->change.base_ns > 0) || !(r->change.head_ns > 0);
		if (one)
			lines[n++] = arena_printf(&m->a, "%s %s", r->name,
				r->change.base_ns > 0 ? "gone" : "new");
		else if (r->identity != ROW_BY_NAME)
			lines[n++] = arena_printf(&m->a, "%s > %s %s", r->name,
				r->head_name ? r->head_name : r->name,
				words[r->identity]);
	}
	qsort(lines, n, sizeof *lines, by_text);
	for (uint32_t i = 0; i < n; i++)
		text = arena_printf(&m->a, "%s%s%s", text, i ? "; " : "",
			lines[i]);
	return text;
}

#define GELU "triton_poi_fused_add_gelu_"
#define A "64x1x1 / 128x1x1"
#define B "32x1x1 / 128x1x1"
#define OP "gelu bf16 tokens=64"

/* Only the number differs. Both directions give the same pair, and the times
 * are compared. */
static void test_one(void **state)
{
	struct made *m = *state;
	for (int s = 0; s < 2; s++) {
		kernel(m, s, "gemm", 500000, 1, NULL, NULL);
		kernel(m, s, s ? GELU "5" : GELU "2", s ? 130000 : 100000, 1, A,
			OP);
	}
	run(m, 0, 1);
	assert_string_equal(rows(m), GELU "2 > " GELU "5 renamed");
	const struct changed_row *r = sides_row(&m->out, GELU "2");
	assert_float_equal(r->change.base_ns, 100000, 0);
	assert_float_equal(r->change.head_ns, 130000, 0);
	assert_float_equal(r->base_launches, 1, 0);
	assert_float_equal(r->head_launches, 1, 0);
	assert_int_equal(r->change.is, CHANGE_REGRESSED);
	assert_string_equal(r->reason,
		"renamed (inferred): the names are equal except for the number; "
		"equal: grid and block, operator shapes, launches per "
		"iteration, place in the sequence of launches");
	assert_string_equal(sides_finding(&m->out, FINDING_kernels_renamed),
		"kernels that a compiler named differently were matched (each "
		"row says by what): " GELU "2 → " GELU "5 (+30.0 %)");
	run(m, 1, 0);
	assert_string_equal(rows(m), GELU "5 > " GELU "2 renamed");
}

/* Numbers that both sides have are exchanged: only their grids identify
 * the kernels. */
static void test_exchanged_grids(void **state)
{
	struct made *m = *state;
	kernel(m, 0, GELU "2", 100000, 1, A, NULL);
	kernel(m, 0, GELU "5", 400000, 1, B, NULL);
	kernel(m, 1, GELU "5", 100000, 1, A, NULL);
	kernel(m, 1, GELU "2", 400000, 1, B, NULL);
	run(m, 0, 1);
	assert_string_equal(rows(m),
		GELU "2 > " GELU "5 renamed; " GELU "5 > " GELU "2 renamed");
	assert_int_equal(m->out.count[CHANGE_REGRESSED], 0);
	assert_int_equal(m->out.count[CHANGE_IMPROVED], 0);
	run(m, 1, 0);
	assert_string_equal(rows(m),
		GELU "2 > " GELU "5 renamed; " GELU "5 > " GELU "2 renamed");
}

/* The kernels differ only in their place. */
static void test_exchanged_places(void **state)
{
	struct made *m = *state;
	kernel(m, 0, GELU "2", 100000, 1, A, OP);
	kernel(m, 0, "gemm", 500000, 1, NULL, NULL);
	kernel(m, 0, GELU "5", 101000, 1, A, OP);
	kernel(m, 1, GELU "5", 100000, 1, A, OP);
	kernel(m, 1, "gemm", 500000, 1, NULL, NULL);
	kernel(m, 1, GELU "2", 151000, 1, A, OP);
	run(m, 0, 1);
	assert_string_equal(rows(m),
		GELU "2 > " GELU "5 renamed; " GELU "5 > " GELU "2 renamed");
	assert_int_equal(sides_row(&m->out, GELU "5")->change.is,
		CHANGE_REGRESSED);
	assert_int_equal(m->out.count[CHANGE_REGRESSED], 1);
}

/* Without numbers that changed, names decide, also if a grid changed. */
static void test_same_names(void **state)
{
	struct made *m = *state;
	for (int s = 0; s < 2; s++) {
		kernel(m, s, GELU "2", 100000, 1, s ? B : A, OP);
		kernel(m, s, "gemm", 500000, 1, NULL, NULL);
		kernel(m, s, GELU "5", 100000, 1, A, OP);
	}
	run(m, 0, 1);
	assert_string_equal(rows(m), "");
	assert_int_equal(m->out.rows_n, 3);
}

/* A kernel is new, with a number that the base has for another kernel. */
static void test_new_and_renamed(void **state)
{
	struct made *m = *state;
	kernel(m, 0, "gemm", 500000, 1, NULL, NULL);
	kernel(m, 0, GELU "2", 100000, 1, A, OP);
	kernel(m, 1, GELU "2", 90000, 1, B, "gelu bf16 tokens=32");
	kernel(m, 1, "gemm", 500000, 1, NULL, NULL);
	kernel(m, 1, GELU "3", 100000, 1, A, OP);
	run(m, 0, 1);
	assert_string_equal(rows(m),
		GELU "2 > " GELU "3 renamed; " GELU "2 new");
	run(m, 1, 0);
	assert_string_equal(rows(m),
		GELU "2 gone; " GELU "3 > " GELU "2 renamed");
}

/* Other work at another place is not the same kernel. */
static void test_gone_and_new(void **state)
{
	struct made *m = *state;
	kernel(m, 0, GELU "2", 100000, 1, A, OP);
	kernel(m, 0, "gemm", 500000, 1, NULL, NULL);
	kernel(m, 1, "gemm", 500000, 1, NULL, NULL);
	kernel(m, 1, GELU "3", 100000, 1, B, "gelu bf16 tokens=32");
	run(m, 0, 1);
	assert_string_equal(rows(m), GELU "2 gone; " GELU "3 new");
}

/* Two kernels become one, and nothing says which: their sums are compared. */
static void test_several(void **state)
{
	struct made *m = *state;
	kernel(m, 0, GELU "2", 100000, 1, A, OP);
	kernel(m, 0, GELU "5", 100000, 1, A, OP);
	kernel(m, 0, "gemm", 500000, 1, NULL, NULL);
	kernel(m, 1, GELU "0", 200000, 1, A, OP);
	kernel(m, 1, "gemm", 500000, 1, NULL, NULL);
	run(m, 0, 1);
	assert_string_equal(rows(m), GELU "2 + " GELU "5 > " GELU "0 several");
	const struct changed_row *r = sides_row(&m->out, GELU "2 + " GELU "5");
	assert_float_equal(r->change.base_ns, 200000, 0);
	assert_float_equal(r->change.head_ns, 200000, 0);
	assert_string_equal(r->reason,
		"renamed (inferred): the names are equal except for the number, "
		"and several kernels fit equally well (2 of the base, 1 of the "
		"head); their sums are compared");
	run(m, 1, 0);
	assert_string_equal(rows(m), GELU "0 > " GELU "2 + " GELU "5 several");
}

/* Without grids, shapes and order, as in runs from before these were stored. */
static void test_nothing_known(void **state)
{
	struct made *m = *state;
	for (int s = 0; s < 2; s++) {
		kernel(m, s, "gemm", 500000, 1, NULL, NULL)->launch.order = 0;
		kernel(m, s, s ? "fusion_3" : "fusion_12", 100000, 1, NULL,
			NULL)
			->launch.order = 0;
		kernel(m, s, s ? GELU "1" : GELU "2", 100000, 2, NULL, NULL)
			->launch.order = 0;
		kernel(m, s, s ? GELU "2" : GELU "4", 100000, 2, NULL, NULL)
			->launch.order = 0;
	}
	run(m, 0, 1);
	assert_string_equal(rows(m),
		"fusion_12 > fusion_3 renamed; " GELU "2 + " GELU "4 > " GELU
		"1 + " GELU "2 several");
	assert_string_equal(sides_row(&m->out, "fusion_12")->reason,
		"renamed (inferred): the names are equal except for the number; "
		"equal: launches per iteration; unknown: grid and block, "
		"operator shapes, place in the sequence of launches");
}

/* One kernel in a loop against many kernels of its stem. */
static void test_very_different_counts(void **state)
{
	struct made *m = *state;
	kernel(m, 0, "gemm", 500000, 1, NULL, NULL);
	kernel(m, 0, "loop_fusion", 400000, 40, A, NULL);
	kernel(m, 1, "gemm", 500000, 1, NULL, NULL);
	for (int i = 0; i < 40; i++)
		kernel(m, 1, arena_printf(&m->a, "loop_fusion_%d", i + 1),
			10000, 1, A, NULL);
	run(m, 0, 1);
	assert_string_equal(rows(m),
		"loop_fusion > loop_fusion_1 + loop_fusion_10 + loop_fusion_11 "
		"+ 37 more several");
	const struct changed_row *r = sides_row(&m->out, "loop_fusion");
	assert_float_equal(r->change.head_ns, 400000, 0);
	assert_int_equal(r->head_names_n, 40);
	assert_int_equal(m->out.count[CHANGE_APPEARED], 0);
}

/* Two kernels move in the sequence; their grids find them. */
static void test_moved(void **state)
{
	struct made *m = *state;
	kernel(m, 0, GELU "2", 100000, 1, A, OP);
	kernel(m, 0, "gemm", 500000, 1, NULL, NULL);
	kernel(m, 0, "norm", 100000, 1, NULL, NULL);
	kernel(m, 1, "gemm", 500000, 1, NULL, NULL);
	kernel(m, 1, "norm", 100000, 1, NULL, NULL);
	kernel(m, 1, GELU "5", 100000, 1, A, OP);
	run(m, 0, 1);
	assert_string_equal(rows(m), GELU "2 > " GELU "5 renamed");
	assert_string_equal(sides_row(&m->out, GELU "2")->reason,
		"renamed (inferred): the names are equal except for the number; "
		"equal: grid and block, operator shapes, launches per "
		"iteration; different: place in the sequence of launches");
}

/* Different stems are different kernels. */
static void test_other_stem(void **state)
{
	struct made *m = *state;
	for (int s = 0; s < 2; s++)
		kernel(m, s, "gemm", 500000, 1, NULL, NULL);
	kernel(m, 0, GELU "2", 100000, 1, A, OP);
	kernel(m, 1, "triton_poi_fused_add_relu_2", 100000, 1, A, OP);
	run(m, 0, 1);
	assert_string_equal(rows(m),
		GELU "2 gone; triton_poi_fused_add_relu_2 new");
}

#define TILE_1 "ampere_bf16_s16816gemm_bf16_128x64_ldg8_f2f_stages_64x3_tn"
#define TILE_2 "ampere_bf16_s16816gemm_bf16_64x64_ldg8_f2f_stages_64x5_tn"

/* A GEMM runs with another tile. */
static void test_variant(void **state)
{
	struct made *m = *state;
	for (int s = 0; s < 2; s++) {
		kernel(m, s, "norm", 100000, 1, NULL, NULL);
		kernel(m, s, s ? TILE_2 : TILE_1, s ? 309000 : 300000, 1,
			s ? A : B, "gemm bf16 m=512 n=512 k=64");
	}
	run(m, 0, 1);
	assert_string_equal(rows(m), TILE_1 " > " TILE_2 " variant");
	assert_string_equal(sides_row(&m->out, TILE_1)->reason,
		"another variant: the same operator with the same shape (gemm "
		"bf16 m=512 n=512 k=64) runs another kernel of GEMM kernels of "
		"cuBLAS and CUTLASS");
	assert_string_equal(sides_finding(&m->out, FINDING_kernel_variants),
		"the same calls now run another variant of a kernel: " TILE_1
		" → " TILE_2 " (+3.0 %)");
}

/* A GEMM whose product was summed by a second kernel runs as one kernel: both of
 * the base are one row with it. The second time the sides are exchanged. */
static void test_variant_with_split_k(void **state)
{
	struct made *m = *state;
	for (int s = 0; s < 2; s++)
		kernel(m, s, "norm", 100000, 1, NULL, NULL);
	kernel(m, 0, TILE_1, 300000, 1, A, "gemm bf16 m=64 n=512 k=4096");
	kernel(m, 0, "void splitKreduce_kernel<32, 16, int>(float)", 20000, 1,
		B, "gemm bf16 m=64 n=512 k=4096");
	kernel(m, 1, TILE_2, 310000, 1, A, "gemm bf16 m=64 n=512 k=4096");
	run(m, 0, 1);
	assert_string_equal(rows(m), TILE_1
		" + void splitKreduce_kernel<32, 16, int>(float) > " TILE_2
		" variant");
	assert_true(
		m->out.rows[0].change.base_ns + m->out.rows[1].change.base_ns ==
		420000);
	run(m, 1, 0);
	assert_string_equal(rows(m), TILE_2
		" > " TILE_1
		" + void splitKreduce_kernel<32, 16, int>(float) variant");
}

/* Another shape is another call, and an unknown shape says nothing. */
static void test_no_variant(void **state)
{
	struct made *m = *state;
	for (int s = 0; s < 2; s++)
		kernel(m, s, "norm", 100000, 1, NULL, NULL);
	kernel(m, 0, TILE_1, 300000, 1, A, "gemm bf16 m=512 n=512 k=64");
	kernel(m, 1, TILE_2, 300000, 1, A, "gemm bf16 m=64 n=512 k=64");
	run(m, 0, 1);
	assert_string_equal(rows(m), TILE_1 " gone; " TILE_2 " new");
	m->side[0].patterns.rows[1].launch.operators.n = 0;
	run(m, 0, 1);
	assert_string_equal(rows(m), TILE_1 " gone; " TILE_2 " new");
}

/* Runs of one side have different numbers; each is matched with the first. */
static void test_numbers_within_a_side(void **state)
{
	struct made *m = *state;
	struct compared_run side[2];
	for (int s = 0; s < 2; s++) {
		kernel(m, s, "gemm", 500000, 1, NULL, NULL);
		kernel(m, s, s ? GELU "5" : GELU "2", 100000, 1, A, OP);
		compare_stems(m->catalog, &m->side[s], 1, &m->a);
	}
	struct compared_run head = m->side[0];
	head.id = 3;
	side[0] = m->side[0];
	side[1] = m->side[1];
	sides_compare(side, 2, &head, 1, &m->a, &m->out);
	assert_string_equal(rows(m), "");
	assert_int_equal(m->out.rows_n, 2);
	assert_float_equal(sides_row(&m->out, GELU "2")->change.base_ns, 100000,
		0);
}

/* Sets the origins of a kernel: one node, and its operator. */
static void origin(struct made *m, struct pattern *p, const char *node,
	const char *op)
{
	const char **texts = arena_array(&m->a, const char *, 2);
	texts[0] = node;
	texts[1] = op;
	p->launch.origin_nodes = (struct pattern_texts){ texts, 1 };
	p->launch.origin_operators = (struct pattern_texts){ texts + 1, 1 };
}

/* Two kernels that only their origins distinguish run in another order. The
 * second time the sides are exchanged: the pairs are the same. */
static void test_origins(void **state)
{
	struct made *m = *state;
	origin(m, kernel(m, 0, GELU "2", 100000, 1, A, OP), "mul", "mul");
	origin(m, kernel(m, 0, GELU "3", 200000, 1, A, OP), "mul_1", "mul");
	origin(m, kernel(m, 1, GELU "7", 200000, 1, A, OP), "mul_1", "mul");
	origin(m, kernel(m, 1, GELU "8", 100000, 1, A, OP), "mul", "mul");
	run(m, 0, 1);
	assert_string_equal(rows(m),
		GELU "2 > " GELU "8 renamed; " GELU "3 > " GELU "7 renamed");
	assert_string_equal(sides_row(&m->out, GELU "2")->reason,
		"renamed (by provenance): only these two were generated from "
		"the nodes mul");
	run(m, 1, 0);
	assert_string_equal(rows(m),
		GELU "7 > " GELU "3 renamed; " GELU "8 > " GELU "2 renamed");
}

/* Equal names with exchanged origins: the origins decide. */
static void test_origins_of_equal_names(void **state)
{
	struct made *m = *state;
	origin(m, kernel(m, 0, GELU "2", 100000, 1, A, OP), "mul", "mul");
	origin(m, kernel(m, 0, GELU "3", 200000, 1, A, OP), "erf", "erf");
	origin(m, kernel(m, 1, GELU "2", 200000, 1, A, OP), "erf", "erf");
	origin(m, kernel(m, 1, GELU "3", 100000, 1, A, OP), "mul", "mul");
	run(m, 0, 1);
	assert_string_equal(rows(m),
		GELU "2 > " GELU "3 renamed; " GELU "3 > " GELU "2 renamed");
}

/* The nodes have other numbers, because the program has another node before
 * them; their operators distinguish the kernels. */
static void test_origin_operators(void **state)
{
	struct made *m = *state;
	origin(m, kernel(m, 0, GELU "2", 100000, 1, A, OP), "mul_1", "mul");
	origin(m, kernel(m, 0, GELU "3", 200000, 1, A, OP), "erf_1", "erf");
	origin(m, kernel(m, 1, GELU "7", 200000, 1, A, OP), "erf_2", "erf");
	origin(m, kernel(m, 1, GELU "8", 100000, 1, A, OP), "mul_2", "mul");
	run(m, 0, 1);
	assert_string_equal(rows(m),
		GELU "2 > " GELU "8 renamed; " GELU "3 > " GELU "7 renamed");
	assert_string_equal(sides_row(&m->out, GELU "2")->reason,
		"renamed (by provenance): only these two were generated from "
		"the operators mul");
}

/* The name has other words, and only the nodes are equal. */
static void test_origins_of_other_stem(void **state)
{
	struct made *m = *state;
	for (int s = 0; s < 2; s++)
		kernel(m, s, "gemm", 500000, 1, NULL, NULL);
	origin(m, kernel(m, 0, GELU "2", 100000, 1, A, OP), "mul", "mul");
	origin(m,
		kernel(m, 1, "triton_per_fused_gelu_add_0", 100000, 1, B, NULL),
		"mul", "mul");
	run(m, 0, 1);
	assert_string_equal(rows(m),
		GELU "2 > triton_per_fused_gelu_add_0 renamed");
}

/* Two kernels were generated from the same nodes: their places decide. A kernel
 * of other operators fits neither, although grid and place do. */
static void test_origins_that_do_not_decide(void **state)
{
	struct made *m = *state;
	for (int s = 0; s < 2; s++)
		kernel(m, s, "gemm", 500000, 1, NULL, NULL);
	origin(m, kernel(m, 0, GELU "2", 100000, 1, A, OP), "sum", "sum");
	origin(m, kernel(m, 0, GELU "3", 200000, 1, A, OP), "sum", "sum");
	origin(m, kernel(m, 1, GELU "7", 100000, 1, A, OP), "sum", "sum");
	origin(m, kernel(m, 1, GELU "8", 200000, 1, A, OP), "sum", "sum");
	run(m, 0, 1);
	assert_string_equal(rows(m),
		GELU "2 > " GELU "7 renamed; " GELU "3 > " GELU "8 renamed");
	origin(m, &m->side[1].patterns.rows[1], "erf", "erf");
	origin(m, &m->side[1].patterns.rows[2], "erf", "erf");
	run(m, 0, 1);
	assert_string_equal(rows(m),
		GELU "2 gone; " GELU "3 gone; " GELU "7 new; " GELU "8 new");
}

/* In two repeats the numbers 1 and 2 are exchanged: the floor is that of their
 * sum, 0, and not that of one name. */
static void test_floor_of_repeats(void **state)
{
	struct made *m = *state;
	struct compare_options o = COMPARE_OPTIONS;
	struct err e = { 0 };
	struct repeat_mean first[] = { { GELU "1", 100000 },
		{ GELU "2", 400000 }, { "gemm", 500000 } };
	struct repeat_mean second[] = { { GELU "1", 400000 },
		{ GELU "2", 100000 }, { "gemm", 500000 } };
	struct repeat_run runs[] = { { 7, 0, 0, false, NULL, first, 3, NULL },
		{ 8, 0, 0, false, NULL, second, 3, NULL } };
	struct repeats repeats = { runs, 2, NULL };

	compare_repeat_stems(m->catalog, &repeats, &m->a);
	assert_float_equal(first[1].mean_ns, 500000, 0);
	assert_int_equal(runs[0].means_n, 2);
	for (int s = 0; s < 2; s++) {
		kernel(m, s, "gemm", 500000, 1, NULL, NULL);
		kernel(m, s, s ? GELU "5" : GELU "2", 100000, 1, A, OP);
		compare_stems(m->catalog, &m->side[s], 1, &m->a);
	}
	assert_true(compare_from(&m->side[0], 1, &m->side[1], 1, &repeats, &o,
		&m->a, &m->out, &e));
	const struct change *c = &sides_row(&m->out, GELU "2")->change;
	assert_int_equal(c->floor_from, FLOOR_LEARNED);
	assert_float_equal(c->floor, sides_row(&m->out, "gemm")->change.floor,
		1e-12);
}

/* A table of statistics has no types. The row is a collective whichever side
 * has only statistics. */
static void test_collectives_of_statistics(void **state)
{
	static const char *const names[] = { "cross_device_reduce_1stage",
		"gemm" };
	static const struct time_stats times[] = {
		{ .instances = 10, .total_ns = 3000 },
		{ .instances = 10, .total_ns = 9000 },
	};
	struct made *m = *state;
	struct compared_run *r = &m->side[0], *trace = &m->side[1];
	*r = sides_run(&m->a, 1, 0);
	r->content = CONTENT_STATISTICS;
	r->stat_names = arena_array(&m->a, const char *, 2);
	memcpy(r->stat_names, names, sizeof names);
	r->stats = times;
	r->stats_n = 2;
	sides_function(&m->a, trace, names[0], FUNCTION_gpu_comm, "GPU 0", 800,
		2);
	sides_kernel(&m->a, trace, names[1], 900, 1);
	for (int base = 0; base < 2; base++) {
		for (int s = 0; s < 2; s++)
			compare_stems(m->catalog, &m->side[s], 1, &m->a);
		sides_compare(&m->side[base], 1, &m->side[!base], 1, &m->a,
			&m->out);
		assert_int_equal(m->out.rows_n, 2);
		assert_int_equal(sides_row(&m->out, names[0])->type,
			FUNCTION_gpu_comm);
		assert_int_equal(sides_row(&m->out, names[1])->type,
			FUNCTION_gpu_compute);
	}
}

int main(void)
{
#define IDENTITY_TEST(f) cmocka_unit_test_setup_teardown(f, start, stop)
	const struct CMUnitTest tests[] = {
		IDENTITY_TEST(test_one),
		IDENTITY_TEST(test_exchanged_grids),
		IDENTITY_TEST(test_exchanged_places),
		IDENTITY_TEST(test_same_names),
		IDENTITY_TEST(test_new_and_renamed),
		IDENTITY_TEST(test_gone_and_new),
		IDENTITY_TEST(test_several),
		IDENTITY_TEST(test_nothing_known),
		IDENTITY_TEST(test_very_different_counts),
		IDENTITY_TEST(test_moved),
		IDENTITY_TEST(test_other_stem),
		IDENTITY_TEST(test_variant),
		IDENTITY_TEST(test_variant_with_split_k),
		IDENTITY_TEST(test_no_variant),
		IDENTITY_TEST(test_numbers_within_a_side),
		IDENTITY_TEST(test_origins),
		IDENTITY_TEST(test_origins_of_equal_names),
		IDENTITY_TEST(test_origin_operators),
		IDENTITY_TEST(test_origins_of_other_stem),
		IDENTITY_TEST(test_origins_that_do_not_decide),
		IDENTITY_TEST(test_floor_of_repeats),
		IDENTITY_TEST(test_collectives_of_statistics),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
