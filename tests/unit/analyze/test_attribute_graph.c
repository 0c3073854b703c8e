/* test_attribute_graph.c - tests graphs learned from stream captures, and
 * replays attributed by these graphs. */
#include "graph_capture.h"
#include "graph_scene.h"

/* The stream capture and its replays are in one trace. A GEMM and its
 * reduction are one call in each replay; a kernel of the runtime has no
 * node. */
static void captured_and_replayed(void **state)
{
	struct scene s;
	start(&s, state);
	capture(&s, "a b c");
	replay(&s, "a b __amd_rocclr_fillBufferAligned c");
	replay(&s, "a b c");
	captures(&s);
	assert_int_equal(s.x.captured_n, 3);
	scene_attribute(&s, 0, "gemm", "m=8 n=4 k=2", 5);
	scene_attribute(&s, 1, "gemm", "m=8 n=4 k=2", 5);
	scene_attribute(&s, 2, "rms_norm", "tokens=8 hidden=4", 6);
	graphs(&s, 7);
	is(&s, 0, "gemm m=8 n=4 k=2");
	is(&s, 1, "gemm m=8 n=4 k=2");
	is(&s, 2, "-");
	is(&s, 3, "rms_norm tokens=8 hidden=4");
	is(&s, 6, "rms_norm tokens=8 hidden=4");
	assert_int_equal(s.x.of[0].sizes->dtype, DTYPE_BF16);
	assert_int_equal(s.x.of[0].call, 7);
	assert_int_equal(s.x.of[1].call, 7);
	assert_int_equal(s.x.of[3].call, 8);
	assert_int_equal(s.x.of[4].call, 9);
	assert_int_equal(s.x.calls, 11);
	assert_int_equal(s.w->p.operators.learned_n, 1);
	assert_int_equal(s.w->p.operators.replayed, 6);
	assert_int_equal(s.w->p.operators.replayed_known, 6);
	assert_int_equal(noted(&s, NOTE_graph_strange), 0);
}

static void one_kernel_missing(void **state)
{
	struct scene s;
	start(&s, state);
	capture(&s, "a b c");
	replay(&s, "a c");
	replay(&s, "a b c c");
	captures(&s);
	for (uint32_t i = 0; i < 3; i++)
		scene_attribute(&s, i, "gemm", NULL, i);
	graphs(&s, 3);
	for (uint32_t i = 0; i < 6; i++)
		is(&s, i, "-");
	assert_int_equal(s.w->p.operators.replayed, 6);
	assert_int_equal(s.w->p.operators.replayed_known, 0);
	assert_int_equal(noted(&s, NOTE_graph_strange), 6);
}

/* The streams of a graph run in another order in each replay. The shape of a
 * kernel is known if all kernels of its name in the graph have that shape. */
static void another_order(void **state)
{
	struct scene s;
	start(&s, state);
	capture(&s, "a b a c b");
	replay(&s, "b a c a b");
	captures(&s);
	scene_attribute(&s, 0, "gemm", "m=8 n=4 k=2", 0);
	scene_attribute(&s, 1, "rms_norm", "tokens=8 hidden=4", 1);
	scene_attribute(&s, 2, "gemm", "m=8 n=4 k=2", 2);
	scene_attribute(&s, 3, "softmax", NULL, 3);
	scene_attribute(&s, 4, "rms_norm", "tokens=9 hidden=4", 4);
	graphs(&s, 5);
	is(&s, 0, "rms_norm");
	is(&s, 1, "gemm m=8 n=4 k=2");
	is(&s, 2, "softmax");
	is(&s, 3, "gemm m=8 n=4 k=2");
	is(&s, 4, "rms_norm");
	assert_int_equal(s.x.of[1].call, 5);
	assert_int_equal(s.x.of[3].call, 7);
	assert_int_equal(noted(&s, NOTE_graph_sizes), 2);
}

/* The graph was captured for 16, 32 and 64 tokens. Sizes that do not depend on
 * the tokens are known. The others are known only if the step determines
 * them. */
static void sizes_differ(struct scene *s)
{
	static const char *const sizes[][2] = {
		{ "m=16 n=4 k=2", "tokens=16 hidden=4" },
		{ "m=32 n=4 k=2", "tokens=32 hidden=4" },
		{ "m=64 n=4 k=2", "tokens=64 hidden=4" },
	};
	captures(s);
	assert_int_equal(s->x.captured_n, 9);
	for (uint32_t i = 0; i < 3; i++) {
		scene_attribute(s, i * 3, "gemm", sizes[i][0], i * 3);
		scene_attribute(s, i * 3 + 1, "rms_norm", sizes[i][1],
			i * 3 + 1);
		scene_attribute(s, i * 3 + 2, "gemm", "m=1 n=4 k=2", i * 3 + 2);
	}
	graphs(s, 9);
	assert_int_equal(s->w->p.operators.learned_n, 3);
}

static void three_captures(struct scene *s, void **state)
{
	start(s, state);
	for (int i = 0; i < 3; i++)
		capture(s, "a b c");
}

static void equal_names_other_sizes(void **state)
{
	struct scene s;
	three_captures(&s, state);
	replay(&s, "a b c");
	sizes_differ(&s);
	is(&s, 0, "gemm");
	is(&s, 1, "rms_norm");
	is(&s, 2, "gemm m=1 n=4 k=2");
	assert_int_equal(s.w->p.operators.replayed_known, 3);
	assert_int_equal(noted(&s, NOTE_graph_sizes), 2);
	assert_int_equal(noted(&s, NOTE_graph_strange), 0);
}

static void step_determines_which(void **state)
{
	static const struct {
		const char *step, *gemm;
	} cases[] = {
		{ "step[DECODE bs=32]", "gemm m=32 n=4 k=2" },
		/* padded to the next larger capture, because the next smaller
		 * is known */
		{ "step[DECODE bs=33]", "gemm m=64 n=4 k=2" },
		{ "step[DECODE bs=17]", "gemm m=32 n=4 k=2" },
		{ "step[DECODE bs=16]", "gemm m=16 n=4 k=2" },
		/* a capture for 8 may exist */
		{ "step[DECODE bs=7]", "gemm" },
		/* no capture holds that many */
		{ "step[DECODE bs=65]", "gemm" },
		{ "step[EXTEND bs=65]", "gemm" },
	};
	struct scene s;
	three_captures(&s, state);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		rows_range(&s.w->t, RANGE_ANNOTATION, cases[i].step, "main",
			s.now, 100);
		replay(&s, "a b c");
		s.now += 100;
	}
	sizes_differ(&s);
	for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++)
		is(&s, i * 3, cases[i].gemm);
}

/* The graph of another model with the same kernels: the shapes differ in more
 * than one number, so the step does not decide. */
static void differ_in_more_than_tokens(void **state)
{
	struct scene s;
	start(&s, state);
	capture(&s, "a b c");
	capture(&s, "a b c");
	rows_range(&s.w->t, RANGE_ANNOTATION, "step[DECODE bs=16]", "main",
		s.now, 100);
	replay(&s, "a b c");
	captures(&s);
	scene_attribute(&s, 0, "gemm", "m=16 n=4 k=2", 0);
	scene_attribute(&s, 3, "gemm", "m=32 n=8 k=2", 3);
	graphs(&s, 6);
	is(&s, 0, "gemm");
	is(&s, 1, "-");
}

/* Graphs that another run taught are found by the keys of the replay. Two
 * kernels are too few for a match. */
static void from_the_book(void **state)
{
	static const struct graph_node_known three[] = {
		{ "c", "gemm", "m=8 n=4 k=2", DTYPE_BF16, 0 },
		{ "a", "operator of an older catalog", "m=8", DTYPE_BF16, 1 },
		{ "b", NULL, NULL, DTYPE_UNKNOWN, 2 },
	};
	static const struct graph_node_known two[] = {
		{ "a", "gemm", NULL, DTYPE_BF16, 0 },
		{ "b", "gemm", NULL, DTYPE_BF16, 1 },
	};
	struct graph_known graphs_known[2] = { { .nodes = three, .n = 3 },
		{ .nodes = two, .n = 2 } };
	struct graph_book book = { graphs_known, 2 };
	uint8_t(*keys)[32];
	uint32_t n;
	struct scene s;
	start(&s, state);
	replay(&s, "c a b");
	replay(&s, "a b");
	replay(&s, "c a b");
	rows_done(&s.w->t, &s.w->process);
	assert_true(attribute_keys(&s.w->t, 0, &s.w->arena, &keys, &n));
	assert_int_equal(n, 2);
	memcpy(graphs_known[0].key, keys[0], 32);
	memcpy(graphs_known[1].key, keys[1], 32);
	if (graph_capture_compare(&graphs_known[0], &graphs_known[1]) > 0) {
		struct graph_known swap = graphs_known[0];
		graphs_known[0] = graphs_known[1];
		graphs_known[1] = swap;
	}
	s.w->book = &book;
	captures(&s);
	graphs(&s, 0);
	is(&s, 0, "gemm m=8 n=4 k=2");
	is(&s, 1, "-");
	is(&s, 2, "-");
	is(&s, 3, "-");
	is(&s, 5, "gemm m=8 n=4 k=2");
	assert_int_equal(s.w->p.operators.replayed_known, 2);
	assert_int_equal(noted(&s, NOTE_graph_strange), 2);
}

static void nothing_replayed(void **state)
{
	uint8_t(*keys)[32];
	uint32_t n;
	struct scene s;
	start(&s, state);
	launch(&s, "a", "main");
	rows_launched(&s.w->t, "a", s.now, 5, s.correlation);
	captures(&s);
	assert_true(attribute_keys(&s.w->t, 0, &s.w->arena, &keys, &n));
	assert_int_equal(n, 0);
	graphs(&s, 0);
	assert_int_equal(s.w->p.operators.replayed, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(captured_and_replayed),
		WORLD_TEST(one_kernel_missing),
		WORLD_TEST(another_order),
		WORLD_TEST(equal_names_other_sizes),
		WORLD_TEST(step_determines_which),
		WORLD_TEST(differ_in_more_than_tokens),
		WORLD_TEST(from_the_book),
		WORLD_TEST(nothing_replayed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
