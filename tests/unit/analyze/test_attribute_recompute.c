/* test_attribute_recompute.c - tests which launches compute again what was computed
 * before, by the host operators around them. */
#include "attribute_world.h"
#include <string.h>

#define ENGINE "autograd::engine::evaluate_function: "
#define NODE(name, from, to)                    \
	{ ENGINE name, from, to, false },       \
	{                                       \
		name, (from) + 1, (to)-1, false \
	}
#define NUMBERED true
#define FORWARD                              \
	{                                    \
		"aten::mm", 10, 20, NUMBERED \
	}

enum { OPS_MOST = 10, UNIT = 100 };

/* Each aten::mm launches a GEMM of 3,000 ns. */
struct odd {
	const char *what;
	struct {
		const char *name;
		int from, to;
		bool numbered;
	} ops[OPS_MOST];
	int recomputed, known; /* number of GEMMs */
};

static const struct odd odd[] = {
	{ "no backward pass", { FORWARD }, 0, 1 },
	{ "a backward pass without checkpoints",
		{ FORWARD, NODE("MmBackward0", 30, 60),
			{ "aten::mm", 35, 40, false } },
		0, 2 },
	{ "below the node of a checkpoint, and its gradient there",
		{ FORWARD, NODE("CheckpointFunctionBackward", 30, 90),
			{ "aten::mm", 35, 40, NUMBERED },
			NODE("MmBackward0", 50, 80),
			{ "aten::mm", 60, 70, false } },
		1, 3 },
	{ "a checkpoint within a checkpoint is computed three times",
		{ FORWARD, NODE("CheckpointFunctionBackward", 30, 99),
			{ "CheckpointFunction", 33, 40, NUMBERED },
			{ "aten::mm", 35, 39, false },
			NODE("CheckpointFunctionBackward", 50, 80),
			{ "aten::mm", 60, 70, NUMBERED } },
		2, 3 },
	{ "in no operator of a node, which reads a saved tensor",
		{ FORWARD, NODE("MmBackward0", 30, 90),
			{ "aten::linear", 35, 50, NUMBERED },
			{ "aten::mm", 36, 40, false },
			{ "aten::mm", 60, 70, false } },
		1, 3 },
	{ "in a hook before the node",
		{ FORWARD, { ENGINE "MmBackward0", 30, 90, false },
			{ "aten::mm", 35, 40, NUMBERED },
			{ "MmBackward0", 50, 80, NUMBERED },
			{ "aten::mm", 60, 70, false } },
		1, 3 },
	{ "a gradient that is numbered has a gradient itself",
		{ FORWARD, NODE("MmBackward0", 30, 60),
			{ "aten::mm", 35, 40, NUMBERED },
			NODE("MulBackward0", 70, 90),
			{ "aten::mm", 75, 80, false } },
		0, 2 },
	{ "a compiled backward pass may recompute",
		{ FORWARD, NODE("CompiledFunctionBackward", 30, 60),
			{ "aten::mm", 35, 40, false } },
		0, 1 },
	{ "a checkpoint of an unknown library",
		{ FORWARD, NODE("OffloadedCheckpointerBackward", 30, 90),
			{ "aten::mm", 35, 40, NUMBERED },
			NODE("MmBackward0", 50, 80),
			{ "aten::mm", 60, 70, false } },
		0, 2 },
	{ "no numbers at all: only a node of a checkpoint shows it",
		{ { "aten::mm", 10, 20, false },
			NODE("CheckpointFunctionBackward", 30, 90),
			{ "aten::mm", 35, 40, false },
			NODE("MmBackward0", 50, 80),
			{ "aten::mm", 60, 70, false } },
		1, 2 },
	{ "nodes of 2020, which the engine does not record",
		{ FORWARD, { "CheckpointFunctionBackward", 30, 90, NUMBERED },
			{ "aten::mm", 35, 40, NUMBERED },
			{ "MmBackward", 50, 80, NUMBERED },
			{ "aten::mm", 60, 70, false } },
		1, 3 },
	{ "operators whose name only ends like that of a node",
		{ FORWARD, { "aten::checkpoint_backward", 30, 90, NUMBERED },
			{ "aten::mm", 35, 40, NUMBERED } },
		0, 2 },
};

static int odd_add(struct world *w, const struct odd *o)
{
	int gemms = 0;

	for (int i = 0; i < OPS_MOST && o->ops[i].name; i++) {
		bool mm = !strcmp(o->ops[i].name, "aten::mm");
		int64_t from = 1000 + UNIT * o->ops[i].from;
		uint32_t row =
			op(w, o->ops[i].name, mm ? "[[64,128],[128,256]]" : "",
				mm ? "[\"c10::Half\",\"c10::Half\"]" : "", from,
				UNIT * (o->ops[i].to - o->ops[i].from));
		w->t.op.numbered[row] = o->ops[i].numbered;
		if (mm)
			launch(w, "whatever", from + 10, 3000);
		gemms += mm;
	}
	return gemms;
}

static void launches_that_compute_again(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
		void *made;
		assert_int_equal(world_start(&made), 0);
		struct world *w = made;
		int gemms = odd_add(w, &odd[i]);
		analyse(w);
		const struct shape_stat *s = &w->p.operators.shapes[0];
		assert_int_equal(w->p.operators.shapes_n, 1);
		assert_int_equal(s->call.instances, gemms);
		if (s->recomputed.calls != odd[i].recomputed ||
			s->recomputed.known_ns != 3000 * odd[i].known)
			fail_msg("%s: %d recomputed of %d ns known",
				odd[i].what, (int)s->recomputed.calls,
				(int)s->recomputed.known_ns);
		world_stop(&made);
	}
}

/* Six steps, of which the first is warm-up; each computes a GEMM, and again. */
static void the_part_of_kept_iterations(void **state)
{
	static const char *const steps[] = { "ProfilerStep#1", "ProfilerStep#2",
		"ProfilerStep#3", "ProfilerStep#4", "ProfilerStep#5",
		"ProfilerStep#6" };
	struct world *w = *state;
	for (int i = 0; i < 6; i++) {
		int64_t at = 1000 + i * 100000, ns = i ? 3000 : 30000;
		rows_range(&w->t, RANGE_ANNOTATION, steps[i], "1", at, 90000);
		for (int again = 0; again < 2; again++) {
			if (again)
				op(w, "CheckpointFunctionBackward", "", "",
					at + 1000, 1000);
			op(w, "aten::mm", "[[64,128],[128,256]]",
				"[\"c10::Half\",\"c10::Half\"]",
				at + 10 + again * 1000, 500);
			launch(w, "whatever", at + 20 + again * 1000, ns);
		}
	}
	analyse(w);
	const struct shape_stat *s = &w->p.operators.shapes[0];
	assert_int_equal(s->call.instances, 12);
	assert_int_equal(s->recomputed.calls, 6);
	assert_int_equal(s->recomputed.known_ns, 2 * (30000 + 5 * 3000));
	assert_int_equal(s->kept_recomputed.calls, 5);
	assert_int_equal(s->kept_recomputed.known_ns, 2 * 5 * 3000);
	const struct iteration_work *work = &w->p.operators.work.rows[1];
	for (int i = 0; i < 6; i++) {
		assert_int_equal(work->recompute_known_ns[i], i ? 6000 : 60000);
		assert_true(work->recomputed_flops[i] == 2. * 64 * 128 * 256);
		assert_true(work->flops[i] == 2 * 2. * 64 * 128 * 256);
	}
}

/* An annotation gives the sizes, and no host operator is recorded. */
static void without_host_operators_it_is_unknown(void **state)
{
	struct world *w = *state;
	rows_range(&w->t, RANGE_ANNOTATION, "gemm fp16 m=64 n=256 k=128", "1",
		1000, 500);
	launch(w, "whatever", 1010, 3000);
	analyse(w);
	expect(w, 0, "gemm", "m=64 n=256 k=128", KNOWN_SIZES, 3000);
	assert_int_equal(w->p.operators.shapes[0].recomputed.calls, 0);
	assert_int_equal(w->p.operators.shapes[0].recomputed.known_ns, 0);
}

/* A replayed graph contains whatever was captured, also a backward pass. */
static void of_replays_it_is_unknown(void **state)
{
	struct world *w = *state;
	op(w, "aten::mm", "[[64,128],[128,256]]",
		"[\"c10::Half\",\"c10::Half\"]", 1000, 500);
	rows_call(&w->t, "cudaGraphLaunch", "1", 1010, 1, 1010);
	rows_launched(&w->t, "ampere_fp16_s16816gemm_fp16_128x64_tn", 2000,
		3000, 1010);
	analyse(w);
	assert_int_equal(w->p.operators.shapes[0].recomputed.known_ns, 0);
}

/* All launches are in the innermost of many nested operators; the outermost of them
 * has the dims, and only it is numbered. */
static void launches_below_many_nested_operators(void **state)
{
	enum { NESTED = 200000, LAUNCHES = 200000, END = 1000000 };
	static const char types[] = "[\"c10::Half\",\"c10::Half\"]";
	struct world *w = *state;

	op(w, "MmBackward0", "", "", 1000, END);
	op(w, "aten::mm", "[[64,128],[128,256]]", types, 1001, 9);
	launch(w, "whatever", 1002, 7);
	for (int i = 0; i < NESTED; i++) {
		uint32_t row =
			op(w, "aten::mm", i ? "" : "[[64,128],[128,256]]",
				types, 1020 + i, END - 100 - 2 * i);
		w->t.op.numbered[row] = !i;
	}
	for (int i = 0; i < LAUNCHES; i++)
		launch(w, "whatever", 1020 + NESTED + i, 1);
	analyse(w);
	assert_int_equal(w->p.operators.shapes_n, 1);
	expect(w, 0, "gemm", "m=64 n=256 k=128", KNOWN_OP_SIZES, 7 + LAUNCHES);
	const struct shape_stat *s = &w->p.operators.shapes[0];
	assert_int_equal(s->call.instances, 2);
	assert_int_equal(s->recomputed.calls, 1);
	assert_int_equal(s->recomputed.known_ns, 7 + LAUNCHES);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(launches_that_compute_again),
		WORLD_TEST(the_part_of_kept_iterations),
		WORLD_TEST(without_host_operators_it_is_unknown),
		WORLD_TEST(of_replays_it_is_unknown),
		WORLD_TEST(launches_below_many_nested_operators),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
