/* test_attribute_range_node.c - tests kernels of CUDA graphs that are
 * attributed by the ranges which were open when their nodes were created. */
#include "world.h"
#include <stdio.h>

#define MM "aten::mm, op_id = 3, sizes = [[4, 8], [8, 2]]"
#define NORM "rms_norm bf16 tokens=16 hidden=4096"
#define NCCL "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgs)"
#define NVJET "nvjet_tst_64x8_64x16_4x1_v_bz_TNT"
#define LAYER                                                     \
	"{'Module': 'm.qkv_proj', 'TrainableParams': {'weight': " \
	"[6144, 4096]}, 'Inputs': [[3, 7, 4096]]}"

/* The ranges open at a node, innermost first. */
static void node(struct world *w, int64_t id, const char *const *open)
{
	for (uint8_t depth = 0; open[depth]; depth++)
		trace_node_add(&w->t,
			&(struct node_row){ .node = id,
				.depth = depth,
				.name = rows_name(&w->t, open[depth]) });
}
#define OPEN(...) ((const char *const[]){ __VA_ARGS__, NULL })

/* A kernel of a replay, with its own start. */
static void replayed(struct world *w, const char *kernel, int64_t id,
	int64_t replay, int64_t stream)
{
	trace_kernel_add(&w->t,
		&(struct kernel_row){ .start_ns = 1000 + w->t.kernel.n * 100,
			.dur_ns = 5,
			.name = rows_name(&w->t, kernel),
			.stream = stream,
			.correlation = replay,
			.graph_node = id });
}

/* "node gemm m=4 n=2 k=8 calls=1": one line per shape, longest time first. */
static void are(struct world *w, const char *expected)
{
	static const char *const words[] = {
#define KNOWN(code, word, what) #word,
#include "known.def"
#undef KNOWN
	};
	const struct operators *o = &w->p.operators;
	char got[2000];
	size_t len = 0;

	w->t.processes = &w->process;
	w->t.processes_n = 1;
	assert_true(trace_sort(&w->t));
	w->process.pid = 7;
	w->process.rank = w->process.world_size = -1;
	assert_true(profile_from(&w->t, 0, w->families, NULL, &w->arena, &w->p,
		&w->e));
	for (uint32_t i = 0; i < o->shapes_n; i++) {
		const struct shape_stat *s = &o->shapes[i];
		const char *of = o->rows[s->operator_].name;
		len += (size_t)snprintf(got + len, sizeof got - len,
			"%s %s %s calls=%lld launches=%lld\n", words[s->known],
			of ? of : "-", s->text ? s->text : "-",
			(long long)s->call.instances, (long long)s->launches);
		assert_true(len < sizeof got);
	}
	assert_string_equal(got, expected);
}

static void with_sizes(void **state)
{
	struct world *w = *state;
	node(w, 11, OPEN(MM, "layer"));
	replayed(w, "k", 11, 1, 7);
	are(w, "node gemm m=4 n=2 k=8 calls=1 launches=1\n");
	assert_int_equal(w->p.operators.replayed, 1);
	assert_int_equal(w->p.operators.replayed_known, 1);
	assert_int_equal(w->p.notes.count[NOTE_graph_strange], 0);
}

/* A GEMM and its reduction are one call; each replay has its own. */
static void two_kernels_of_a_call(void **state)
{
	struct world *w = *state;
	node(w, 11, OPEN(MM));
	node(w, 12, OPEN(MM));
	for (int replay = 1; replay < 4; replay++) {
		replayed(w, "k", 11, replay, 7);
		replayed(w, "k", 12, replay, 7);
	}
	are(w, "node gemm m=4 n=2 k=8 calls=3 launches=6\n");
}

/* The second kernel was launched inside one more range, which gives no
 * attribution. */
static void call_with_ranges_inside(void **state)
{
	struct world *w = *state;
	node(w, 11, OPEN(MM, "layer"));
	node(w, 12, OPEN("step", MM, "layer"));
	replayed(w, "k", 11, 1, 7);
	replayed(w, "k", 12, 1, 7);
	are(w, "node gemm m=4 n=2 k=8 calls=1 launches=2\n");
}

/* A graph has two streams. Between the kernels of one operator call there may
 * be kernels of another call. */
static void calls_side_by_side(void **state)
{
	struct world *w = *state;
	node(w, 11, OPEN(MM));
	node(w, 12, OPEN(MM));
	node(w, 21, OPEN(NORM));
	node(w, 22, OPEN(NORM));
	replayed(w, "k", 11, 1, 7);
	replayed(w, "k", 21, 1, 8);
	replayed(w, "k", 12, 1, 7);
	replayed(w, "k", 22, 1, 8);
	are(w, "node gemm m=4 n=2 k=8 calls=1 launches=2\n"
	       "node rms_norm tokens=16 hidden=4096 calls=1 launches=2\n");
}

/* The same operator in two layers makes two calls. */
static void distinguished_by_the_ranges_around(void **state)
{
	struct world *w = *state;
	node(w, 11, OPEN(NORM, "layer 0"));
	node(w, 12, OPEN(NORM, "layer 1"));
	replayed(w, "k", 11, 1, 7);
	replayed(w, "k", 12, 1, 7);
	are(w, "node rms_norm tokens=16 hidden=4096 calls=2 launches=2\n");
}

static void sizes_further_out(void **state)
{
	struct world *w = *state;
	node(w, 11,
		OPEN("step", "aten::rms_norm", "nothing known", NORM, "model"));
	replayed(w, "k", 11, 1, 7);
	are(w, "node rms_norm tokens=16 hidden=4096 calls=1 launches=1\n");
}

/* A range of another operator between the two hides the shape. */
static void shapes_after_another_range(void **state)
{
	struct world *w = *state;
	node(w, 11, OPEN("aten::rms_norm", "aten::mm", NORM));
	replayed(w, "k", 11, 1, 7);
	are(w, "node rms_norm - calls=1 launches=1\n");
}

static void collective_within_a_gemm(void **state)
{
	struct world *w = *state;
	node(w, 11, OPEN(MM));
	replayed(w, NCCL, 11, 1, 7);
	are(w, "rule collective - calls=1 launches=1\n");
}

/* The same node, read for two kernels of different kinds. */
static void layer_of_two_kernels(void **state)
{
	struct world *w = *state;
	node(w, 11, OPEN(LAYER));
	replayed(w, NVJET, 11, 1, 7);
	replayed(w, "k", 11, 2, 7);
	replayed(w, NVJET, 11, 3, 7);
	are(w, "node gemm m=21 n=6144 k=4096 calls=2 launches=2\n"
	       "not - - calls=1 launches=1\n");
}

static void node_that_is_unknown(void **state)
{
	struct world *w = *state;
	node(w, 11, OPEN(MM));
	replayed(w, "k", 12, 1, 7);
	are(w, "not - - calls=1 launches=1\n");
	assert_int_equal(w->p.operators.replayed_known, 0);
	assert_int_equal(w->p.notes.count[NOTE_graph_strange], 1);
}

/* Of two rows with one depth, the first counts. Rows come in any order. */
static void depths_in_disorder(void **state)
{
	struct world *w = *state;
	static const struct {
		uint8_t depth;
		const char *name;
	} rows[] = { { 3, MM }, { 200, MM }, { 0, "step" }, { 1, NORM },
		{ 1, MM } };
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		trace_node_add(&w->t,
			&(struct node_row){ .node = 11,
				.depth = rows[i].depth,
				.name = rows_name(&w->t, rows[i].name) });
	replayed(w, "k", 11, 1, 7);
	are(w, "node rms_norm tokens=16 hidden=4096 calls=1 launches=1\n");
}

/* Without a call and a correlation, each kernel is a call of its own. */
static void without_correlation(void **state)
{
	struct world *w = *state;
	node(w, 11, OPEN(MM));
	replayed(w, "k", 11, -1, 7);
	replayed(w, "k", 11, -1, 7);
	are(w, "node gemm m=4 n=2 k=8 calls=2 launches=2\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(with_sizes),
		WORLD_TEST(two_kernels_of_a_call),
		WORLD_TEST(call_with_ranges_inside),
		WORLD_TEST(calls_side_by_side),
		WORLD_TEST(distinguished_by_the_ranges_around),
		WORLD_TEST(sizes_further_out),
		WORLD_TEST(shapes_after_another_range),
		WORLD_TEST(collective_within_a_gemm),
		WORLD_TEST(layer_of_two_kernels),
		WORLD_TEST(node_that_is_unknown),
		WORLD_TEST(depths_in_disorder),
		WORLD_TEST(without_correlation),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
