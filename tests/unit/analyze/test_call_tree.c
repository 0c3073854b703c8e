/* test_call_tree.c - merges call paths that are written by hand, and checks the
 * whole tree as text. */
#include "call_tree.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static const struct profile_kernel kernels[] = { { .name = "softmax" },
	{ .name = "gemm" } };

/* A line per node: "depth kind name ×members launches/ns" and " | launches/ns"
 * of a second side, "!" for user frames. */
static const char *drawn(struct arena *a, const struct call_tree *t,
	uint32_t sides)
{
	static const char *const kinds = "rmpokxy-^"; /* annotation … root */
	const char *text = "";
	for (uint32_t i = 0; i < t->n; i++) {
		const struct call_node *n = &t->nodes[i];
		uint32_t depth = 0;
		for (uint32_t at = i; at; at = t->nodes[at].parent)
			depth++;
		text = arena_printf(a, "%s%u%c %s x%u%s", text, depth,
			kinds[n->kind], n->name ? n->name : "", n->members,
			n->user ? " !" : "");
		for (uint32_t s = 0; s < sides; s++)
			text = arena_printf(a, "%s %lld/%lld", text,
				(long long)n->side[s].launches,
				(long long)n->side[s].total_ns);
		text = arena_printf(a, "%s\n", text);
	}
	return text;
}

/* The children of each node have its sums. */
static void closed(const struct call_tree *t)
{
	for (uint32_t i = 0; i < t->n; i++) {
		struct call_sum sum[CALL_TREE_SIDES] = { 0 };
		bool parent = false;
		for (uint32_t c = i + 1; c < t->n; c++)
			if (t->nodes[c].parent == i) {
				parent = true;
				for (uint32_t s = 0; s < CALL_TREE_SIDES; s++) {
					sum[s].launches +=
						t->nodes[c].side[s].launches;
					sum[s].total_ns +=
						t->nodes[c].side[s].total_ns;
				}
			}
		for (uint32_t s = 0; parent && s < CALL_TREE_SIDES; s++) {
			assert_int_equal(sum[s].launches,
				t->nodes[i].side[s].launches);
			assert_int_equal(sum[s].total_ns,
				t->nodes[i].side[s].total_ns);
		}
	}
}

/* Two layers with one softmax each, and a gemm in one of them:
 *
 *   train.py f > torch/a.py g > L_0 > softmax 10, gemm 4
 *                             > L_1 > softmax 12
 *   no call: gemm 3 */
static const struct frame layered_frames[] = { { 0 },
	{ 0, FRAME_PYTHON, "train.py(3): f" },
	{ 1, FRAME_PYTHON, "torch/a.py(7): g" },
	{ 2, FRAME_MODULE, "nn.Module: L_0" },
	{ 2, FRAME_MODULE, "nn.Module: L_1" } };
static const struct caller_stat layered_callers[] = {
	{ 0, CALLER_PATH, 3, 1, 10 }, { 0, CALLER_PATH, 4, 1, 12 },
	{ 1, CALLER_PATH, 3, 2, 4 }, { 1, CALLER_NO_CALL, 0, 1, 3 }
};
static const struct call_paths layered = { .frames = layered_frames,
	.callers = layered_callers,
	.kernels = kernels,
	.frames_n = 5,
	.callers_n = 4,
	.kernels_n = 2 };

static void instances_of_a_layer_are_one_node(void **state)
{
	struct arena a = { 0 };
	struct call_tree t;
	const struct call_paths *side = &layered;
	(void)state;
	call_tree_from(&t, &a, &side, 1, true);
	assert_string_equal(drawn(&a, &t, 1), "0^  x1 5/29\n"
					      "1p train.py(3): f x1 ! 4/26\n"
					      "2p torch/a.py(7): g x1 4/26\n"
					      "3m nn.Module: L_* x2 4/26\n"
					      "4k softmax x1 2/22\n"
					      "4k gemm x1 2/4\n"
					      "1y  x0 1/3\n"
					      "2k gemm x1 1/3\n");
	assert_int_equal(t.nodes[4].side[0].callers, 2);
	assert_string_equal(t.nodes[1].source, "train.py:3");
	assert_null(t.nodes[3].source);
	closed(&t);
	call_tree_from(&t, &a, &side, 1, false);
	assert_string_equal(drawn(&a, &t, 1), "0^  x1 5/29\n"
					      "1p train.py(3): f x1 ! 4/26\n"
					      "2p torch/a.py(7): g x1 4/26\n"
					      "3m nn.Module: L_0 x1 3/14\n"
					      "3m nn.Module: L_1 x1 1/12\n"
					      "4k softmax x1 1/10\n"
					      "4k softmax x1 1/12\n"
					      "4k gemm x1 2/4\n"
					      "1y  x0 1/3\n"
					      "2k gemm x1 1/3\n");
	closed(&t);
	arena_release(&a);
}

/* Head: the same code with another line of g, another layer, and a kernel that base
 * lacks. */
static void two_sides_share_their_paths(void **state)
{
	static const struct frame frames[] = { { 0 },
		{ 0, FRAME_PYTHON, "train.py(3): f" },
		{ 1, FRAME_PYTHON, "torch/a.py(9): g" },
		{ 2, FRAME_MODULE, "nn.Module: L_2" } };
	static const struct profile_kernel head_kernels[] = { { .name = "new" },
		{ .name = "softmax" } };
	static const struct caller_stat callers[] = {
		{ 0, CALLER_NO_RANGE, 0, 1, 5 }, { 1, CALLER_PATH, 3, 3, 30 }
	};
	static const struct call_paths head = { .frames = frames,
		.callers = callers,
		.kernels = head_kernels,
		.frames_n = 4,
		.callers_n = 2,
		.kernels_n = 2 };
	struct arena a = { 0 };
	struct call_tree t;
	const struct call_paths *sides[] = { &layered, &head };
	(void)state;
	call_tree_from(&t, &a, sides, 2, true);
	assert_string_equal(drawn(&a, &t, 2),
		"0^  x1 5/29 4/35\n"
		"1p train.py(3): f x1 ! 4/26 3/30\n"
		"2p torch/a.py(7): g x2 4/26 3/30\n"
		"3m nn.Module: L_* x3 4/26 3/30\n"
		"4k softmax x1 2/22 3/30\n"
		"4k gemm x1 2/4 0/0\n"
		"1y  x0 1/3 0/0\n"
		"2k gemm x1 1/3 0/0\n"
		"1x  x0 0/0 1/5\n"
		"2k new x1 0/0 1/5\n");
	assert_int_equal(t.nodes[9].kernel_side, 1);
	assert_int_equal(t.nodes[9].kernel, 0);
	closed(&t);
	arena_release(&a);
}

/* 3 of 29 ns are 10.3 %, 4 are 13.8 %: at 14 % both gemms are folded, the second
 * with its parent. At most 5 nodes: the share is raised until root, f, g and L_*
 * stay with softmax; the nodes that are added for the rest do not count. */
static void small_nodes_are_added_up(void **state)
{
	struct arena a = { 0 };
	struct call_tree t;
	const struct call_paths *side = &layered;
	const char *due = "0^  x1 5/29\n"
			  "1p train.py(3): f x1 ! 4/26\n"
			  "2p torch/a.py(7): g x1 4/26\n"
			  "3m nn.Module: L_* x2 4/26\n"
			  "4k softmax x1 2/22\n"
			  "4-  x1 2/4\n"
			  "1-  x2 1/3\n";
	(void)state;
	call_tree_from(&t, &a, &side, 1, true);
	call_tree_fold(&t, &a, 14, 100);
	assert_string_equal(drawn(&a, &t, 1), due);
	closed(&t);
	call_tree_from(&t, &a, &side, 1, true);
	call_tree_fold(&t, &a, 0, 5);
	assert_string_equal(drawn(&a, &t, 1), due);
	assert_true(t.min_share_pct > 100 * 4. / 29);
	call_tree_from(&t, &a, &side, 1, true);
	call_tree_fold(&t, &a, 0, 100);
	assert_int_equal(t.n, 8);
	/* all equal: none of them stays */
	call_tree_fold(&t, &a, 100.5, 100);
	assert_string_equal(drawn(&a, &t, 1), "0^  x1 5/29\n1-  x7 5/29\n");
	arena_release(&a);
}

static void nothing_was_launched(void **state)
{
	static const struct frame root[1];
	static const struct call_paths none = { .frames = root, .frames_n = 1 };
	struct arena a = { 0 };
	struct call_tree t;
	const struct call_paths *side = &none;
	(void)state;
	call_tree_from(&t, &a, &side, 1, true);
	call_tree_fold(&t, &a, 0.05, 10);
	assert_string_equal(drawn(&a, &t, 1), "0^  x1 0/0\n");
	arena_release(&a);
}

/* Launches of 0 ns have shares of the launches. */
static void launches_without_time(void **state)
{
	static const struct frame root[1];
	static const struct caller_stat callers[] = {
		{ 0, CALLER_NO_CALL, 0, 9, 0 }, { 1, CALLER_NO_CALL, 0, 1, 0 }
	};
	static const struct call_paths p = { .frames = root,
		.callers = callers,
		.kernels = kernels,
		.frames_n = 1,
		.callers_n = 2,
		.kernels_n = 2 };
	struct arena a = { 0 };
	struct call_tree t;
	const struct call_paths *side = &p;
	(void)state;
	call_tree_from(&t, &a, &side, 1, true);
	call_tree_fold(&t, &a, 20, 10);
	assert_string_equal(drawn(&a, &t, 1), "0^  x1 10/0\n"
					      "1y  x0 10/0\n"
					      "2k softmax x1 9/0\n"
					      "2-  x1 1/0\n");
	arena_release(&a);
}

/* A path of 500 frames keeps all of them. */
static void a_path_of_500_frames(void **state)
{
	enum { DEPTH = 500 };
	struct arena a = { 0 };
	struct call_tree t;
	struct frame *f = arena_array(&a, struct frame, DEPTH + 1);
	struct caller_stat c = { 0, CALLER_PATH, DEPTH, 1, 7 };
	(void)state;
	for (uint32_t i = 1; i <= DEPTH; i++)
		f[i] = (struct frame){ i - 1, FRAME_PYTHON,
			arena_printf(&a, "deep.py(%u): f", i) };
	const struct call_paths p = { .frames = f,
		.callers = &c,
		.kernels = kernels,
		.frames_n = DEPTH + 1,
		.callers_n = 1,
		.kernels_n = 1 };
	const struct call_paths *side = &p;
	call_tree_from(&t, &a, &side, 1, true);
	call_tree_fold(&t, &a, 0.05, 5000);
	assert_int_equal(t.n, DEPTH + 2);
	assert_int_equal(t.nodes[DEPTH + 1].parent, DEPTH);
	assert_int_equal(t.nodes[DEPTH + 1].kind, CALL_KERNEL);
	/* only the innermost one is the nearest */
	assert_true(t.nodes[DEPTH].user);
	assert_false(t.nodes[DEPTH - 1].user);
	arena_release(&a);
}

static const struct {
	const char *name;
	bool user;
} code[] = {
	{ "train.py(3): main", true },
	{ "transformers/models/owlv2/modeling_owlv2.py(412): forward", true },
	{ "/usr/lib/python3/dist-packages/vllm/engine.py(1): step", true },
	{ "/data/torch_experiments/x.py(2): f", true },
	{ "torchvision_of_mine.py(2): f", true },
	{ "torch/nn/modules/module.py(1743): _call_impl", false },
	{ "/x/lib/python3.12/site-packages/torch/a.py(1): f", false },
	{ "/x/lib/python3.12/site-packages/mine/a.py(1): f", true },
	{ "/usr/lib/python3.12/random.py(1): f", false },
	{ "contextlib.py(78): inner", false },
	{ "multiprocessing/spawn.py(122): spawn_main", false },
	{ "<built-in method mm of type object>", false },
	{ "<string>(1): <module>", false },
	{ "<frozen runpy>(88): _run_code", false },
	{ "no line", false },
	{ "", false },
};

static void nearest_user_frames(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof code / sizeof *code; i++) {
		const struct frame f[] = { { 0, FRAME_PYTHON, code[i].name },
			{ 0, FRAME_OP, "aten::mm" } };
		assert_int_equal(call_tree_user_frame(f, 2),
			code[i].user ? 0 : -1);
	}
	assert_int_equal(call_tree_user_frame(NULL, 0), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(instances_of_a_layer_are_one_node),
		cmocka_unit_test(two_sides_share_their_paths),
		cmocka_unit_test(small_nodes_are_added_up),
		cmocka_unit_test(nothing_was_launched),
		cmocka_unit_test(launches_without_time),
		cmocka_unit_test(a_path_of_500_frames),
		cmocka_unit_test(nearest_user_frames),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
