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

/* Sets the operator of each captured launch: a GEMM whose m is its number + 1,
 * each launch one call. */
static void scene_attribute_all(struct scene *s)
{
	char shape[40];

	for (uint32_t i = 0; i < s->x.captured_n; i++) {
		snprintf(shape, sizeof shape, "m=%u n=4 k=2", i + 1);
		scene_attribute(s, i, "gemm", shape, i);
	}
}

/* The GEMM `c` and its reduction `d` are one call, and the record of `d` is
 * lost in the first replay, that of `a` in the second. */
static void record_lost(void **state)
{
	struct scene s;
	start(&s, state);
	capture(&s, "a b c d e f g h i j");
	replay(&s, "a b c e f g h i j");
	replay(&s, "b c d e f g h i j");
	captures(&s);
	scene_attribute_all(&s);
	scene_attribute(&s, 3, "gemm", "m=3 n=4 k=2", 2);
	graphs(&s, 10);
	is(&s, 0, "gemm m=1 n=4 k=2");
	is(&s, 2, "gemm");
	is(&s, 3, "gemm m=5 n=4 k=2");
	is(&s, 8, "gemm m=10 n=4 k=2");
	is(&s, 9, "gemm m=2 n=4 k=2");
	is(&s, 10, "gemm m=3 n=4 k=2");
	is(&s, 11, "gemm m=3 n=4 k=2");
	assert_int_equal(s.x.of[10].call, s.x.of[11].call);
	assert_int_equal(s.w->p.operators.replayed, 18);
	assert_int_equal(s.w->p.operators.replayed_known, 18);
	assert_int_equal(noted(&s, NOTE_graph_strange), 0);
	assert_int_equal(noted(&s, NOTE_graph_aligned), 18);
	assert_int_equal(noted(&s, NOTE_graph_unsure), 1);
	assert_string_equal(s.w->p.notes.detail[NOTE_graph_aligned],
		"9 of 9 replayed and 10 captured kernels match (94.7 %)");
	assert_int_equal(s.w->p.operators.matches_n, 2);
	for (uint32_t i = 0; i < 2; i++) {
		const struct graph_match *m = &s.w->p.operators.matches[i];
		assert_int_equal(m->replays, 1);
		assert_int_equal(m->kernels, 9);
		assert_int_equal(m->captured, 10);
		assert_int_equal(m->matched, 9);
		assert_int_equal(m->captures, 1);
	}
}

/* The capture lacks `x`. */
static void kernel_added(void **state)
{
	struct scene s;
	start(&s, state);
	capture(&s, "a b c d e f g h i j");
	replay(&s, "a b c x d e f g h i j");
	captures(&s);
	scene_attribute_all(&s);
	graphs(&s, 10);
	is(&s, 2, "gemm m=3 n=4 k=2");
	is(&s, 3, "-");
	is(&s, 4, "gemm m=4 n=4 k=2");
	assert_int_equal(noted(&s, NOTE_graph_strange), 1);
	assert_int_equal(noted(&s, NOTE_graph_aligned), 10);
	assert_int_equal(s.w->p.operators.replayed_known, 10);
}

static void too_many_lost(void **state)
{
	struct scene s;
	start(&s, state);
	capture(&s, "a b c d e f g h i j");
	replay(&s, "a b c d e f g h");
	captures(&s);
	scene_attribute_all(&s);
	graphs(&s, 10);
	is(&s, 0, "-");
	assert_int_equal(noted(&s, NOTE_graph_strange), 8);
	assert_int_equal(noted(&s, NOTE_graph_aligned), 0);
	assert_int_equal(s.w->p.operators.matches_n, 1);
	assert_int_equal(s.w->p.operators.matches[0].captures, 0);
}

/* One of 40 kernels is another variant, as when the graph was captured for
 * another batch size: the operators are known, the sizes are not. */
static void kernel_replaced(void **state)
{
	struct scene s;
	start(&s, state);
	capture(&s, "a b c d e f g h i j k l m n o p q r s t u v w x y z "
		    "A B C D E F G H I J K L M N");
	replay(&s, "a b c d e f g h i j k l m n o p q r s t 1 v w x y z "
		   "A B C D E F G H I J K L M N");
	captures(&s);
	assert_int_equal(s.x.captured_n, 40);
	scene_attribute_all(&s);
	graphs(&s, 40);
	for (uint32_t i = 0; i < 40; i++)
		is(&s, i, i == 20 ? "-" : "gemm");
	assert_int_equal(noted(&s, NOTE_graph_strange), 1);
	assert_int_equal(noted(&s, NOTE_graph_unsure), 39);
	assert_int_equal(noted(&s, NOTE_graph_sizes), 0);
}

/* It is unknown which of two kernels with one name was lost. */
static void either_lost(void **state)
{
	struct scene s;
	start(&s, state);
	capture(&s, "a b b c d d e f g h");
	replay(&s, "a b c d d e f g h");
	replay(&s, "a b b c d e f g h");
	captures(&s);
	scene_attribute_all(&s);
	scene_attribute(&s, 5, "rms_norm", "tokens=8 hidden=4", 5);
	graphs(&s, 10);
	is(&s, 0, "gemm m=1 n=4 k=2");
	is(&s, 1, "gemm");
	is(&s, 2, "gemm m=4 n=4 k=2");
	is(&s, 4, "rms_norm tokens=8 hidden=4");
	is(&s, 9 + 1, "gemm m=2 n=4 k=2");
	is(&s, 9 + 2, "gemm m=3 n=4 k=2");
	is(&s, 9 + 4, "-");
	assert_int_equal(noted(&s, NOTE_graph_unclear), 1);
	assert_int_equal(noted(&s, NOTE_graph_unsure), 1);
	assert_int_equal(noted(&s, NOTE_graph_strange), 0);
}

/* The capture has one `b`; it is unknown which of two it is. */
static void either_added(void **state)
{
	struct scene s;
	start(&s, state);
	capture(&s, "a b c d e f g h");
	replay(&s, "a b b c d e f g h");
	captures(&s);
	scene_attribute_all(&s);
	graphs(&s, 8);
	is(&s, 0, "gemm m=1 n=4 k=2");
	is(&s, 1, "-");
	is(&s, 2, "-");
	is(&s, 3, "gemm m=3 n=4 k=2");
	assert_int_equal(noted(&s, NOTE_graph_unclear), 2);
}

/* Two captures lack one kernel each of which the replay has one. */
static void captures_fit_equally(void **state)
{
	struct scene s;
	start(&s, state);
	capture(&s, "a b c d e f g h i j");
	capture(&s, "a b c d e f g h i k");
	replay(&s, "a b c d e f g h i");
	captures(&s);
	scene_attribute_all(&s);
	/* they agree on `a` and on the operators of all others but `b` */
	scene_attribute(&s, 10, "gemm", "m=1 n=4 k=2", 10);
	scene_attribute(&s, 11, "rms_norm", NULL, 11);
	graphs(&s, 20);
	is(&s, 0, "gemm m=1 n=4 k=2");
	is(&s, 1, "-");
	is(&s, 2, "gemm");
	assert_int_equal(noted(&s, NOTE_graph_unclear), 1);
	assert_int_equal(noted(&s, NOTE_graph_sizes), 7);
	assert_int_equal(s.w->p.operators.matches[0].captures, 2);
}

/* The nearest capture is used, also if the other one is of this run. At the
 * same distance that of this run is used. */
static void nearest_capture(void **state)
{
	static const char *const names[] = { "a", "b", "c", "d", "e", "f", "g",
		"h", "i", "j", "k", "l", "m", "n", "o", "p", "q", "r", "s", "t",
		"u", "v", "w", "x", "y", "z", "A", "B", "C", "D", "E", "F", "G",
		"H", "I", "J", "K", "L", "M", "N" };
	struct graph_node_known nodes[40];
	struct graph_known graph = { .nodes = nodes, .n = 40 };
	struct graph_book book = { .graphs = &graph, .n = 1 };
	struct scene s;
	start(&s, state);
	for (uint32_t i = 0; i < 40; i++)
		nodes[i] = (struct graph_node_known){ names[i], "rms_norm",
			NULL, DTYPE_BF16, i };
	capture(&s, "a b c d e f g h i j k l m n o p q r s t u v w x y z "
		    "A B C D E F G H I J K L M N O");
	/* 1 from the book's, 2 from the run's */
	replay(&s, "b c d e f g h i j k l m n o p q r s t u v w x y z "
		   "A B C D E F G H I J K L M N");
	/* 1 from the run's, 2 from the book's */
	replay(&s, "b c d e f g h i j k l m n o p q r s t u v w x y z "
		   "A B C D E F G H I J K L M N O");
	s.w->book = &book;
	captures(&s);
	scene_attribute_all(&s);
	graphs(&s, 41);
	is(&s, 0, "rms_norm");
	is(&s, 39, "gemm m=2 n=4 k=2");
	assert_int_equal(noted(&s, NOTE_graph_aligned), 79);
}

/* A capture of another upload lacks one kernel. It is used unless captures that are
 * not in the book may be as near; a capture of this upload is preferred to
 * these. */
static void book_has_a_cut(void **state)
{
	static const char *const names[] = { "a", "b", "c", "d", "e", "f", "g",
		"h", "i" };
	static const struct {
		uint32_t cut; /* 0: no cut */
		int64_t upload;
		enum graph_source source;
	} cases[] = {
		{ 0, 7, GRAPH_SOURCE_OTHER },
		{ 2, 7, GRAPH_SOURCE_OTHER },
		{ 1, 7, GRAPH_SOURCE_NONE },
		{ 1, 0, GRAPH_SOURCE_UPLOAD },
	};
	struct graph_node_known nodes[9];
	struct graph_known graph = { .nodes = nodes, .n = 9 };
	struct graph_wanted *wanted;
	uint32_t n;
	for (uint32_t i = 0; i < 9; i++)
		nodes[i] = (struct graph_node_known){ names[i], "gemm", NULL,
			DTYPE_BF16, i };
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct graph_cut cut = { .distance = cases[i].cut };
		struct graph_book book = { &graph, 1, cut.distance != 0, &cut };
		struct scene s;
		if (i) {
			world_stop(state);
			world_start(state);
		}
		start(&s, state);
		replay(&s, "a b c d e f g h");
		rows_done(&s.w->t, &s.w->process);
		assert_true(
			attribute_wanted(&s.w->t, 0, &s.w->arena, &wanted, &n));
		assert_int_equal(n, 1);
		memcpy(cut.key, wanted[0].key, sizeof cut.key);
		graph.upload = cases[i].upload;
		s.w->book = &book;
		captures(&s);
		graphs(&s, 0);
		const struct graph_match *m = &s.w->p.operators.matches[0];
		bool used = cases[i].source != GRAPH_SOURCE_NONE;
		assert_int_equal(m->source, cases[i].source);
		assert_int_equal(m->upload, used ? cases[i].upload : 0);
		assert_int_equal(m->attributed, used ? 8 : 0);
		assert_int_equal(m->matched, used ? 8 : 0);
		assert_int_equal(m->total_ns, 64);
		assert_int_equal(m->reason,
			used ? GRAPH_REASON_NONE : GRAPH_REASON_SKIPPED);
		assert_true((m->sketch == NULL) == used);
		is(&s, 0, used ? "gemm" : "-");
	}
}

enum { MANY = 200, KERNELS = 3000, REPLAYS = 30 };

/* 200 captures of 3,000 kernels differ from each of 30 replays, which differ
 * too: a second is not enough for all. */
static void too_many_to_compare(void **state)
{
	static struct graph_node_known nodes[KERNELS];
	static struct graph_known many[MANY];
	struct graph_book book = { .graphs = many, .n = MANY };
	struct scene s;
	start(&s, state);
	for (uint32_t i = 0; i < KERNELS; i++)
		nodes[i] = (struct graph_node_known){
			.kernel = arena_printf(&s.w->arena, "k%u", i),
			.op = "gemm",
			.call = i,
		};
	for (uint32_t i = 0; i < MANY; i++) {
		many[i] = (struct graph_known){ .nodes = nodes, .n = KERNELS };
		many[i].key[0] = (uint8_t)i;
	}
	for (uint32_t r = 0; r < REPLAYS; r++) {
		call(&s, "cudaGraphLaunch", "main");
		for (uint32_t i = 0; i < KERNELS; i++, s.now += 10)
			if (i != r * 90)
				rows_launched(&s.w->t, nodes[i].kernel, s.now,
					8, s.correlation);
	}
	s.w->book = &book;
	captures(&s);
	graphs(&s, 0);
	is(&s, 0, "gemm");
	is(&s, REPLAYS * (KERNELS - 1) - 1, "-");
	int64_t skipped = noted(&s, NOTE_graph_skipped);
	assert_in_range(skipped, 1, (REPLAYS - 1) * (KERNELS - 1));
	assert_int_equal(skipped % (KERNELS - 1), 0);
	assert_int_equal(noted(&s, NOTE_graph_strange), 0);
	assert_int_equal(s.w->p.operators.replayed_known + skipped,
		REPLAYS * (KERNELS - 1));
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
	struct graph_book book = { .graphs = graphs_known, .n = 2 };
	struct graph_wanted *wanted;
	uint32_t n;
	struct scene s;
	start(&s, state);
	replay(&s, "c a b");
	replay(&s, "a b");
	replay(&s, "c a b");
	rows_done(&s.w->t, &s.w->process);
	assert_true(attribute_wanted(&s.w->t, 0, &s.w->arena, &wanted, &n));
	assert_int_equal(n, 2);
	memcpy(graphs_known[0].key, wanted[0].key, 32);
	memcpy(graphs_known[1].key, wanted[1].key, 32);
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
	struct graph_wanted *wanted;
	uint32_t n;
	struct scene s;
	start(&s, state);
	launch(&s, "a", "main");
	rows_launched(&s.w->t, "a", s.now, 5, s.correlation);
	captures(&s);
	assert_true(attribute_wanted(&s.w->t, 0, &s.w->arena, &wanted, &n));
	assert_int_equal(n, 0);
	graphs(&s, 0);
	assert_int_equal(s.w->p.operators.replayed, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(captured_and_replayed),
		WORLD_TEST(one_kernel_missing),
		WORLD_TEST(record_lost),
		WORLD_TEST(kernel_added),
		WORLD_TEST(too_many_lost),
		WORLD_TEST(kernel_replaced),
		WORLD_TEST(either_lost),
		WORLD_TEST(either_added),
		WORLD_TEST(captures_fit_equally),
		WORLD_TEST(nearest_capture),
		WORLD_TEST(book_has_a_cut),
		WORLD_TEST(too_many_to_compare),
		WORLD_TEST(another_order),
		WORLD_TEST(equal_names_other_sizes),
		WORLD_TEST(step_determines_which),
		WORLD_TEST(differ_in_more_than_tokens),
		WORLD_TEST(from_the_book),
		WORLD_TEST(nothing_replayed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
