/* test_breakdown_rows.c - tests rows, blocks and sections that are made from
 * launches. */
#include "row_scene.h"
#include <stdlib.h>

enum { NORM, GEMM, REDUCE, EXPERTS, SHARED, RING };

/* Two passes of two layers. A layer has a norm, a GEMM with its reduction,
 * experts, and a shared expert on another stream. The second layer of the
 * second pass also has a memory set and lacks the reduction. */
static void two_passes(struct scene *w)
{
	static const int64_t begins[] = { 1000, 2000, 11000, 12000 };

	scene_pass(w, 900, 3000);
	scene_pass(w, 10900, 13000);
	scene_section(w, SECTION_LAYER, "attention + moe");
	scene_place(w, NORM, 0, BLOCK_ATTENTION, ROLE_BIT(INPUT_NORM));
	scene_place(w, GEMM, 0, BLOCK_ATTENTION, ROLE_BIT(QKV));
	scene_place(w, REDUCE, 0, BLOCK_ATTENTION, 0);
	scene_place(w, SCENE_KERNELS, 0, BLOCK_OTHER, 0);
	scene_place(w, EXPERTS, 0, BLOCK_MOE, 0);
	scene_place(w, SHARED, 1, BLOCK_SHARED, 0);
	for (uint32_t i = 0; i < 4; i++) {
		int64_t at = begins[i];
		scene_instance(w, 0, i / 2, i % 2);
		scene_launch(w, 0, NORM, at, 10 + i, 0);
		scene_launch(w, 1, GEMM, at + 20, 300, i + 1);
		if (i < 3)
			scene_launch(w, 2, REDUCE, at + 320, 100, i + 1);
		else
			scene_launch(w, 3, SCENE_KERNELS, at + 330, 8, 0);
		scene_launch(w, 4, EXPERTS, at + 500, 400, 0);
		scene_launch(w, 5, SHARED, at + 550, 120, 0);
	}
}

static void times_of_rows(void **state)
{
	struct scene *w = *state;
	two_passes(w);
	const struct breakdown *b = scene_rows(w);
	assert_int_equal(b->rows_n, 6);
	const struct breakdown_row *norm = &b->rows[0];
	assert_int_equal(norm->time.instances, 4);
	assert_int_equal(norm->instances, 4);
	assert_true(norm->time.avg_ns == 11.5); /* 10, 11, 12, 13 */
	assert_true(norm->time.med_ns == 11.5);
	assert_true(norm->time.stddev_ns == 1.3); /* sqrt(5 / 3) */
	assert_int_equal(norm->time.min_ns, 10);
	assert_int_equal(norm->time.max_ns, 13);
	assert_true(norm->offset_ns == 0);
	assert_false(norm->extra);
	assert_int_equal(norm->roles, ROLE_BIT(INPUT_NORM));
	assert_true(b->rows[1].offset_ns == 20);
	assert_int_equal(b->rows[2].instances, 3);
	assert_false(b->rows[2].extra);
	const struct breakdown_row *set = &b->rows[3];
	assert_int_equal(set->kernel, ROW_NO_KERNEL);
	assert_string_equal(set->operation, "[CUDA memset]");
	assert_int_equal(set->instances, 1);
	assert_true(set->extra);
	assert_int_equal(b->rows[5].lane, 1);
}

/* Norms take 46, GEMMs 1,200 and reductions 300: 1,546 over four layers. */
static void sums_of_blocks(void **state)
{
	struct scene *w = *state;
	two_passes(w);
	const struct breakdown *b = scene_rows(w);
	static const struct {
		enum layer_block_kind kind;
		double sum_ns;
		int64_t exclusive_ns, overlapped_ns;
		uint32_t parallel_to;
	} blocks[] = {
		{ BLOCK_ATTENTION, 386.5, 1546, 0, UINT32_MAX },
		{ BLOCK_OTHER, 2, 8, 0, UINT32_MAX },
		{ BLOCK_MOE, 400, 1120, 480, UINT32_MAX },
		{ BLOCK_SHARED, 120, 0, 480, 2 },
	};
	assert_int_equal(b->blocks_n, 4);
	for (uint32_t i = 0; i < 4; i++) {
		assert_int_equal(b->blocks[i].kind, blocks[i].kind);
		assert_true(b->blocks[i].sum_ns == blocks[i].sum_ns);
		assert_int_equal(b->blocks[i].exclusive_ns,
			blocks[i].exclusive_ns);
		assert_int_equal(b->blocks[i].overlapped_ns,
			blocks[i].overlapped_ns);
		assert_int_equal(b->blocks[i].parallel_to,
			blocks[i].parallel_to);
	}
	assert_int_equal(b->wall_ns, 4200);
	assert_int_equal(b->overlap_ns, 480);
	assert_int_equal(b->other_ns, 0);
}

static void layers_and_passes(void **state)
{
	struct scene *w = *state;
	two_passes(w);
	const struct breakdown *b = scene_rows(w);
	assert_int_equal(b->passes, 2);
	assert_true(b->pass.avg_ns == 2100);
	assert_int_equal(b->layers, 2);
	assert_int_equal(b->layered.instances, 2);
	assert_true(b->layered.avg_ns == 1900); /* 1,000 to 2,900 */
	const struct breakdown_section *s = &b->sections[0];
	assert_string_equal(s->name, "attention + moe");
	assert_int_equal(s->instances, 4);
	assert_int_equal(s->per_pass, 2);
	assert_int_equal(s->first, 0);
	assert_true(s->time.avg_ns == 900);
	assert_true(s->similarity == 19.0 / 20); /* everything except the set */
	assert_int_equal(b->instances_n, 4);
	assert_int_equal(b->instances[3].launches, 5);
}

/* Of the second layers, one has a reduction of 100 and the other a set of 8. */
static void bars_are_means_over_passes(void **state)
{
	struct scene *w = *state;
	two_passes(w);
	const struct breakdown *b = scene_rows(w);
	static const struct breakdown_bar bars[] = { { 0, 0, 411 },
		{ 0, 2, 400 }, { 0, 3, 120 }, { 1, 0, 362 }, { 1, 1, 4 },
		{ 1, 2, 400 }, { 1, 3, 120 } };
	assert_int_equal(b->bars_n, 7);
	for (uint32_t i = 0; i < 7; i++) {
		assert_int_equal(b->bars[i].layer, bars[i].layer);
		assert_int_equal(b->bars[i].block, bars[i].block);
		assert_true(b->bars[i].mean_ns == bars[i].mean_ns);
	}
}

/* A ring kernel that runs alone from 100 to 150, and a record outside all
 * passes. */
static void exposed_time_and_time_outside_passes(void **state)
{
	struct scene *w = *state;
	w->kernels[RING].source.family = "collective (NCCL)";
	scene_pass(w, 0, 1000);
	scene_section(w, SECTION_FLAT, NULL);
	scene_place(w, RING, 1, BLOCK_COMMUNICATION, 0);
	scene_place(w, GEMM, 0, BLOCK_OTHER, 0);
	scene_instance(w, 0, 0, 0);
	scene_launch(w, 0, RING, 100, 100, 0);
	scene_launch(w, 1, GEMM, 150, 200, 0);
	scene_launch(w, LAYER_NONE, NORM, 990, 50, 0);
	const struct breakdown *b = scene_rows(w);
	assert_int_equal(b->exposed_comm_ns, 50);
	assert_int_equal(b->other_ns, 10);
	assert_int_equal(b->overlap_ns, 50);
	assert_int_equal(b->idle_ns, 1000 - 260);
	assert_int_equal(b->blocks[0].parallel_to,
		UINT32_MAX); /* half of its time */
}

/* The second section has no launches. */
static void the_similarity_of_nothing_is_unknown(void **state)
{
	struct scene *w = *state;
	scene_pass(w, 0, 1000);
	scene_section(w, SECTION_LAYER, NULL);
	scene_place(w, GEMM, 0, BLOCK_OTHER, 0);
	scene_section(w, SECTION_AFTER, NULL);
	scene_instance(w, 0, 0, 0);
	scene_launch(w, 0, GEMM, 150, 200, 0);
	const struct breakdown *b = scene_rows(w);
	assert_int_equal(b->sections[0].instances, 1);
	assert_true(b->sections[0].similarity == 1);
	assert_int_equal(b->sections[1].instances, 0);
	assert_true(isnan(b->sections[1].similarity));
}

static void nothing_is_reported_of_nothing(void **state)
{
	struct scene *w = *state;
	w->l.why = "nothing ran on a GPU";
	const struct breakdown *b = scene_rows(w);
	assert_int_equal(b->rows_n, 0);
	assert_int_equal(b->passes, 0);
	assert_true(isnan(b->pass.avg_ns));
	assert_string_equal(b->why, "nothing ran on a GPU");
}

/* There are more places than rows. The places with the shortest time share one
 * row. */
static void rows_beyond_the_limit_are_merged(void **state)
{
	struct scene *w = *state;
	enum { MORE = 5, N = BREAKDOWN_ROWS_MOST + MORE };
	w->s.items = calloc(N, sizeof *w->s.items);
	w->l.places = calloc(N, sizeof *w->l.places);
	struct layer_named *named = calloc(N, sizeof *named);
	w->l.instance = calloc(N, sizeof(uint32_t));
	w->l.place = calloc(N, sizeof(uint32_t));
	scene_pass(w, 0, INT64_C(1) << 40);
	scene_section(w, SECTION_FLAT, NULL);
	w->sections[0].places_n = w->l.places_n = w->s.n = N;
	scene_instance(w, 0, 0, 0);
	for (uint32_t i = 0; i < N; i++) {
		named[i].block = BLOCK_OTHER;
		w->l.place[i] = i;
		w->s.items[i] = (struct layer_item){ .start_ns = i * 1000,
			.dur_ns = i < MORE ? 1 : 900,
			.row = i };
	}
	struct breakdown *b = &w->p.breakdown;
	w->at.of = NULL;
	uint32_t *group_of = malloc(N * sizeof *group_of);
	memset(group_of, 0xFF, N * sizeof *group_of);
	assert_true(breakdown_rows(&w->at, &w->s, &w->l, named, group_of,
		&w->keep, b));
	assert_int_equal(b->rows_n, BREAKDOWN_ROWS_MOST + 1);
	const struct breakdown_row *rest = &b->rows[BREAKDOWN_ROWS_MOST];
	assert_string_equal(rest->operation, BREAKDOWN_ROW_REST);
	assert_int_equal(rest->time.instances, MORE);
	assert_int_equal(rest->exclusive_ns, MORE);
	free(w->s.items);
	free(w->l.places);
	free(named);
	free(w->l.instance);
	free(w->l.place);
	free(group_of);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCENE_TEST(times_of_rows),
		SCENE_TEST(sums_of_blocks),
		SCENE_TEST(layers_and_passes),
		SCENE_TEST(bars_are_means_over_passes),
		SCENE_TEST(exposed_time_and_time_outside_passes),
		SCENE_TEST(the_similarity_of_nothing_is_unknown),
		SCENE_TEST(nothing_is_reported_of_nothing),
		SCENE_TEST(rows_beyond_the_limit_are_merged),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
