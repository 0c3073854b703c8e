/* test_fusion_pairs.c - which launches are pairs that one kernel could execute,
 * and who reads the tensor between them. */
#include "attribute_world.h"
#include <math.h>
#include <stdio.h>
#include <time.h>

#define FLOATS "[\"float\",\"float\"]"
/* 1024 * 1024 floats have 4 MiB. */
#define SQUARES "[[1024,1024],[1024,1024]]"
enum { MIB4 = 4 << 20 };

/* A host operator at a moment, and its kernel, which begins 100,000 ns after the
 * API call. The External id of the operator is the moment. */
static void call(struct world *w, const char *name, const char *dims,
	int64_t at_ns, int64_t dur_ns)
{
	op(w, name, dims, FLOATS, at_ns, 50);
	launch(w, "whatever", at_ns + 10, dur_ns);
}

/* mul [101010, 111010) and add [112010, 122010). */
static void two_elementwise(struct world *w)
{
	call(w, "aten::mul", SQUARES, 1000, 10000);
	call(w, "aten::add", SQUARES, 12000, 10000);
}

/* The rows as "pointwise 2 x (10000 + 10000 + 1000) 4194304 unknown", with
 * "graph" and "written" where they apply. */
static void pairs_are(const struct world *w, const char *want)
{
	static const char *const consumers[] = { "unknown", "second",
		"others" };
	const struct operators *o = &w->p.operators;
	char got[1000] = "";

	assert_true(o->fusions_known);
	for (uint32_t i = 0; i < o->fusions_n; i++) {
		const struct fusion_pair *p = &o->fusions[i];
		sprintf(got + strlen(got),
			"%s%s %lld x (%lld + %lld + %lld) %lld %s%s%s",
			i ? "; " : "", p->kind, (long long)p->pairs,
			(long long)p->first_ns, (long long)p->second_ns,
			(long long)p->gap_ns, (long long)p->bytes,
			consumers[p->consumers], p->replayed ? " graph" : "",
			p->must_write ? " written" : "");
	}
	assert_string_equal(got, want);
}

/* Between the kernels 1,000 ns are idle; the second API call began before. */
static void two_elementwise_operators_are_a_pair(void **state)
{
	struct world *w = *state;
	two_elementwise(w);
	analyse(w);
	pairs_are(w, "pointwise 1 x (10000 + 10000 + 1000) 4194304 unknown");
	const struct operators *o = &w->p.operators;
	assert_int_equal(o->shapes[o->fusions[0].first].cost.write_bytes, MIB4);
}

static void the_residual_sum_and_the_norm(void **state)
{
	struct world *w = *state;
	call(w, "aten::add", "[[16,4096],[16,4096]]", 1000, 3000);
	call(w, "aten::native_layer_norm", "[[16,4096],[],[4096],[4096],[]]",
		4000, 5000);
	analyse(w);
	pairs_are(w, "norm 1 x (3000 + 5000 + 0) 262144 unknown");
}

static void an_activation_and_the_product_with_its_gate(void **state)
{
	struct world *w = *state;
	call(w, "aten::silu", "[[1024,1024]]", 1000, 5000);
	call(w, "aten::mul", SQUARES, 6000, 8000);
	analyse(w);
	pairs_are(w, "pointwise 1 x (5000 + 8000 + 0) 4194304 unknown");
}

/* The catalog has elementwise kernels as parts of a GEMM. Then a GEMM reads what
 * the other GEMM wrote, which no single kernel does. */
static void the_epilogue_of_a_gemm(void **state)
{
	struct world *w = *state;
	call(w, "aten::mm", SQUARES, 1000, 50000);
	call(w, "aten::relu", "[[1024,1024]]", 51000, 6000);
	call(w, "aten::mm", SQUARES, 57000, 50000);
	call(w, "aten::mm", SQUARES, 107000, 50000);
	analyse(w);
	pairs_are(w, "epilogue 1 x (50000 + 6000 + 0) 4194304 unknown");
}

static void equal_pairs_are_added_up(void **state)
{
	struct world *w = *state;
	two_elementwise(w);
	launch(w, "whatever", 30000, 500);
	call(w, "aten::mul", SQUARES, 31000, 10000);
	call(w, "aten::add", SQUARES, 44000, 20000);
	analyse(w);
	pairs_are(w, "pointwise 2 x (20000 + 30000 + 4000) 4194304 unknown");
}

/* The API call begins 200 ns before its kernel does. The host did something
 * else in the 800 ns before. */
static void the_gap_before_the_api_call_is_not_counted(void **state)
{
	struct world *w = *state;
	op(w, "aten::mul", SQUARES, FLOATS, 1000, 50);
	rows_call(&w->t, "cudaLaunchKernel", "1", 1010, 1, 1);
	rows_launched(&w->t, "a", 2000, 500, 1);
	op(w, "aten::add", SQUARES, FLOATS, 3250, 300);
	rows_call(&w->t, "cudaLaunchKernel", "1", 3300, 100, 2);
	rows_launched(&w->t, "b", 3500, 700, 2);
	analyse(w);
	pairs_are(w, "pointwise 1 x (500 + 700 + 200) 4194304 unknown");
}

/* The second reads a quarter of what the first writes. */
static void the_second_reads_less_than_the_first_writes(void **state)
{
	struct world *w = *state;
	call(w, "aten::mul", SQUARES, 1000, 10000);
	call(w, "aten::relu", "[[512,512]]", 11000, 1000);
	analyse(w);
	pairs_are(w, "");
}

/* It has no sizes, so that its cost is unknown. */
static void the_second_is_known_to_read_nothing(void **state)
{
	struct world *w = *state;
	call(w, "aten::mul", SQUARES, 1000, 10000);
	call(w, "aten::arange", "", 11000, 1000);
	call(w, "aten::mul", SQUARES, 12000, 10000);
	call(w, "aten::bernoulli_", "", 22000, 1000);
	analyse(w);
	/* The numbers of arange may be a factor of the second mul. */
	pairs_are(w, "pointwise 1 x (1000 + 10000 + 0) -1 unknown");
}

/* The gradients of the input, which has 2 MiB, and of the weights. */
static void the_first_has_several_results(void **state)
{
	struct world *w = *state;
	op(w, "aten::cudnn_convolution_backward",
		"[[64,8,32,32],[64,8,32,32],[8,8,3,3]]",
		"[\"float\",\"float\",\"float\"]", 1000, 50);
	launch(w, "whatever", 1010, 10000);
	call(w, "aten::add", "[[64,8,32,32],[64,8,32,32]]", 12000, 10000);
	analyse(w);
	pairs_are(w, "");
}

static void the_second_reads_nothing(void **state)
{
	struct world *w = *state;
	call(w, "aten::mul", SQUARES, 1000, 10000);
	call(w, "aten::uniform_", "[[1024,1024],[],[],[]]", 11000, 1000);
	analyse(w);
	pairs_are(w, "");
}

static void an_unattributed_launch_between_them(void **state)
{
	struct world *w = *state;
	call(w, "aten::mul", SQUARES, 1000, 10000);
	launch(w, "whatever", 12000, 10);
	call(w, "aten::add", SQUARES, 13000, 10000);
	analyse(w);
	pairs_are(w, "");
}

static void a_copy_between_them(void **state)
{
	struct world *w = *state;
	two_elementwise(w);
	rows_copy(&w->t, "Memcpy DtoD (Device -> Device)", 111500, 10, 0, 8,
		false);
	analyse(w);
	pairs_are(w, "");
}

static void an_opaque_graph_between_them(void **state)
{
	struct world *w = *state;
	two_elementwise(w);
	rows_graph(&w->t, 1, 1, 111500, 10, 0);
	analyse(w);
	pairs_are(w, "");
}

static void a_copy_of_another_stream_between_them(void **state)
{
	struct world *w = *state;
	two_elementwise(w);
	trace_copy_add(&w->t,
		&(struct copy_row){ .start_ns = 111500,
			.dur_ns = 10,
			.name = rows_name(&w->t, "Memset (Device)"),
			.stream = 7,
			.bytes = 8,
			.is_set = 1 });
	analyse(w);
	/* The copy takes 10 ns of the 1,000 ns between them. */
	pairs_are(w, "pointwise 1 x (10000 + 10000 + 990) 4194304 unknown");
}

/* A kernel of another stream. */
static void elsewhere(struct world *w, const char *name, int64_t start_ns,
	int64_t dur_ns)
{
	rows_launched(&w->t, name, start_ns, dur_ns, -1);
	w->t.kernel.stream[w->t.kernel.n - 1] = 7;
}

#define ALL_REDUCE                                                       \
	"ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStor" \
	"age<4096ul>)"

/* mul [101010, 111010) and add [121010, 131010), with a kernel that begins
 * between them. */
static void with_kernel_between(struct world *w, const char *name,
	int64_t start_ns, int64_t dur_ns)
{
	call(w, "aten::mul", SQUARES, 1000, 10000);
	elsewhere(w, name, start_ns, dur_ns);
	call(w, "aten::add", SQUARES, 21000, 10000);
	analyse(w);
}

/* The sum over ranks is what the add reads, and not the product. */
static void an_all_reduce_of_another_stream_between_them(void **state)
{
	struct world *w = *state;
	with_kernel_between(w, ALL_REDUCE, 112000, 8000);
	pairs_are(w, "");
}

/* An all-reduce that began during the mul, and ends between them. */
static void an_all_reduce_that_ends_between_them(void **state)
{
	struct world *w = *state;
	with_kernel_between(w, ALL_REDUCE, 105000, 6011);
	pairs_are(w, "");
}

/* It ends when the mul does, so that it is not between them. */
static void an_all_reduce_that_ends_with_the_first(void **state)
{
	struct world *w = *state;
	with_kernel_between(w, ALL_REDUCE, 105000, 6010);
	pairs_are(w, "pointwise 1 x (10000 + 10000 + 10000) 4194304 unknown");
}

/* The device is idle for 2,000 ns of the 10,000 between them: 990 before the
 * kernel of the other stream, and 1,010 after it. */
static void another_stream_works_between_them(void **state)
{
	struct world *w = *state;
	with_kernel_between(w, "whatever", 112000, 8000);
	pairs_are(w, "pointwise 1 x (10000 + 10000 + 2000) 4194304 unknown");
}

/* A graph and a copy of another stream, in the order of their starts: idle
 * [111010, 112000), [114000, 115000) and [116000, 121010). */
static void a_graph_and_a_copy_work_between_them(void **state)
{
	struct world *w = *state;
	rows_graph(&w->t, 1, 1, 112000, 2000, 0);
	rows_copy(&w->t, "Memset (Device)", 115000, 1000, 0, 8, true);
	w->t.graph.stream[0] = w->t.copy.stream[0] = 7;
	call(w, "aten::mul", SQUARES, 1000, 10000);
	call(w, "aten::add", SQUARES, 21000, 10000);
	analyse(w);
	pairs_are(w, "pointwise 1 x (10000 + 10000 + 7000) 4194304 unknown");
}

static void launches_of_two_streams(void **state)
{
	struct world *w = *state;
	two_elementwise(w);
	w->t.kernel.stream[1] = 7;
	analyse(w);
	pairs_are(w, "");
}

static void launches_of_two_devices(void **state)
{
	struct world *w = *state;
	two_elementwise(w);
	w->t.kernel.device[1] = 1;
	analyse(w);
	pairs_are(w, "");
}

/* Each step has a pair. The add of a step and the mul of the next are none. */
static void the_border_of_two_iterations(void **state)
{
	struct world *w = *state;
	static const char *const steps[] = { "ProfilerStep#1", "ProfilerStep#2",
		"ProfilerStep#3" };
	for (int i = 0; i < 3; i++) {
		int64_t at = 1000 + i * 21000;
		rows_range(&w->t, RANGE_ANNOTATION, steps[i], "1", at - 500,
			21000);
		call(w, "aten::mul", SQUARES, at, 10000);
		call(w, "aten::add", SQUARES, at + 10500, 10000);
	}
	analyse(w);
	assert_int_equal(w->p.iterations.n, 3);
	pairs_are(w, "pointwise 3 x (30000 + 30000 + 1500) 4194304 unknown");
}

/* ---- what a pair saves per iteration: of 24 MiB that both move, 8 MiB are the
 * tensor, so that traffic is a third of their time */

/* Steps of 21,000 ns with a mul, and an add of this time; 0: without a pair. */
static void three_steps(struct world *w, const int64_t add_ns[3])
{
	static const char *const steps[] = { "ProfilerStep#1", "ProfilerStep#2",
		"ProfilerStep#3" };
	for (int i = 0; i < 3; i++) {
		int64_t at = 1000 + i * 21000;
		rows_range(&w->t, RANGE_ANNOTATION, steps[i], "1", at - 500,
			21000);
		call(w, "aten::mul", SQUARES, at, 5000);
		if (!add_ns[i])
			launch(w, "whatever", at + 5200, 500);
		call(w, "aten::add", SQUARES, at + 6000,
			add_ns[i] ? add_ns[i] : 7000);
	}
	analyse(w);
	assert_int_equal(w->p.iterations.kept_n, 3);
	assert_int_equal(w->p.operators.fusions_n, 1);
}

static void saves(const struct world *w, double saved_ns, double error_ns)
{
	const struct fusion_pair *p = w->p.operators.fusions;
	if (fabs(p->saved_ns - saved_ns) > 0.01 ||
		fabs(p->saved_error_ns - error_ns) > 0.01)
		fail_msg("%f, %f", p->saved_ns, p->saved_error_ns);
}

/* 4,000, 5,000 and 6,000 ns, and a gap of 1,000 ns in each. */
static void the_mean_over_iterations(void **state)
{
	struct world *w = *state;
	three_steps(w, (const int64_t[]){ 7000, 10000, 13000 });
	saves(w, 6000, 577.35);
}

/* 5,000, 0 and 5,000 ns. */
static void an_iteration_without_the_pair(void **state)
{
	struct world *w = *state;
	three_steps(w, (const int64_t[]){ 7000, 0, 7000 });
	saves(w, 10000 / 3.0, 5000 / 3.0);
}

static void one_iteration_has_no_error(void **state)
{
	struct world *w = *state;
	two_elementwise(w);
	analyse(w);
	const struct fusion_pair *p = w->p.operators.fusions;
	assert_true(fabs(p->saved_ns - (20000 / 3.0 + 1000)) < 0.01);
	assert_true(isnan(p->saved_error_ns));
}

/* Both devices could save this at the same time. */
static void the_pairs_of_two_devices(void **state)
{
	struct world *w = *state;
	call(w, "aten::mul", SQUARES, 1000, 10000);
	call(w, "aten::mul", SQUARES, 1100, 10000);
	call(w, "aten::add", SQUARES, 12000, 10000);
	call(w, "aten::add", SQUARES, 12100, 10000);
	w->t.kernel.device[1] = w->t.kernel.device[3] = 1;
	analyse(w);
	assert_int_equal(w->p.operators.fusions->pairs, 2);
	const struct fusion_pair *p = w->p.operators.fusions;
	assert_true(fabs(p->saved_ns - (20000 / 3.0 + 1000)) < 0.01);
}

/* Its cost, and so what it saves, is unknown. */
static void a_pair_without_a_cost_saves_an_unknown_time(void **state)
{
	struct world *w = *state;
	call(w, "aten::arange", "", 1000, 1000);
	call(w, "aten::mul", SQUARES, 2000, 10000);
	analyse(w);
	pairs_are(w, "pointwise 1 x (1000 + 10000 + 0) -1 unknown");
	assert_true(isnan(w->p.operators.fusions->saved_ns));
}

/* Kernels of one operator call follow each other without being a pair. */
static void two_kernels_of_one_operator_call(void **state)
{
	struct world *w = *state;
	op(w, "aten::mul", SQUARES, FLOATS, 1000, 50);
	launch(w, "a", 1010, 100);
	launch(w, "b", 1020, 100);
	analyse(w);
	pairs_are(w, "");
}

/* The times are those of whole calls. */
static void the_first_call_has_two_kernels(void **state)
{
	struct world *w = *state;
	op(w, "aten::native_layer_norm", "[[16,4096],[],[4096],[4096],[]]",
		"[\"float\",\"\",\"float\",\"float\"]", 1000, 1050);
	launch(w, "a", 1010, 100);
	launch(w, "b", 1210, 200);
	call(w, "aten::add", "[[16,4096],[16,4096]]", 3000, 500);
	analyse(w);
	pairs_are(w, "norm 1 x (300 + 500 + 1600) 262144 unknown");
}

/* Operators of replays are known by the kernels' names, without sizes. */
static void replay(struct world *w, int64_t correlation, int64_t at_ns)
{
	rows_call(&w->t, "cudaGraphLaunch", "1", at_ns, 10, correlation);
	for (int i = 0; i < 2; i++) {
		rows_launched(&w->t,
			i ? "void at::native::vectorized_elementwise_kernel<4, "
			    "at::native::CUDAFunctor_add<float>>"
			  : "void at::native::vectorized_elementwise_kernel<4, "
			    "at::native::BinaryFunctor<float>>",
			at_ns + 1000 + i * 500, 100, correlation);
		w->t.kernel.graph_node[w->t.kernel.n - 1] = i + 1;
	}
}

/* Within each replay 400 ns are idle, which is no launch gap. The last kernel of
 * a replay and the first of the next are no pair. */
static void a_graph_replay_has_no_launch_gap(void **state)
{
	struct world *w = *state;
	replay(w, 1, 1000);
	replay(w, 2, 3000);
	analyse(w);
	/* Without host operators a backward pass is not visible. */
	pairs_are(w, "pointwise 2 x (200 + 200 + 0) -1 unknown graph written");
}

/* ---- execution traces: mul is function 1 and writes memory 10, add is 2 */

static void numbered(struct world *w, int64_t external_id, int64_t function)
{
	static struct op_function list[8];
	struct trace *t = &w->t;
	t->op_functions = list;
	list[t->op_functions_n++] =
		(struct op_function){ external_id, function };
}

static void uses_bytes(struct world *w, int64_t function, int64_t storage,
	int64_t bytes, bool written)
{
	static struct tensor_use list[16];
	struct trace *t = &w->t;
	t->tensor_uses = list;
	list[t->tensor_uses_n++] =
		(struct tensor_use){ function, storage, bytes, written };
}

static void uses(struct world *w, int64_t function, int64_t storage,
	bool written)
{
	uses_bytes(w, function, storage, MIB4, written);
}

static void reads(struct world *w, int64_t function, int64_t storage)
{
	uses(w, function, storage, false);
}

static void writes(struct world *w, int64_t function, int64_t storage)
{
	uses(w, function, storage, true);
}

/* An allocation of function 9, which gets the memory of the tensor. */
static void allocated_again(struct world *w)
{
	op(w, "aten::empty", "", "", 40000, 10);
	numbered(w, 40000, 9);
	writes(w, 9, 10);
}

static void observed(struct world *w)
{
	two_elementwise(w);
	numbered(w, 12000, 2);
	numbered(w, 1000, 1);
	reads(w, 1, 8);
	writes(w, 1, 10);
	reads(w, 2, 9);
	reads(w, 2, 10);
	writes(w, 2, 11);
}

#define PAIR "pointwise 1 x (10000 + 10000 + 1000) 4194304 "

static void only_the_second_reads_the_tensor(void **state)
{
	struct world *w = *state;
	observed(w);
	reads(w, 3, 11);
	allocated_again(w);
	analyse(w);
	pairs_are(w, PAIR "second");
}

static void another_operator_reads_the_tensor_later(void **state)
{
	struct world *w = *state;
	observed(w);
	reads(w, 3, 10);
	analyse(w);
	pairs_are(w, PAIR "others written");
}

/* Function 3 gets the memory of the tensor for its result. */
static void the_memory_is_allocated_again(void **state)
{
	struct world *w = *state;
	observed(w);
	op(w, "aten::neg", "", "", 30000, 10);
	numbered(w, 30000, 3);
	reads(w, 3, 11);
	writes(w, 3, 10);
	reads(w, 4, 10);
	analyse(w);
	pairs_are(w, PAIR "second");
}

/* Function 3 reads the tensor and writes its result into it. */
static void another_operator_works_in_place(void **state)
{
	struct world *w = *state;
	observed(w);
	reads(w, 3, 10);
	writes(w, 3, 10);
	analyse(w);
	pairs_are(w, PAIR "others written");
}

static void the_second_works_in_place(void **state)
{
	struct world *w = *state;
	two_elementwise(w);
	numbered(w, 1000, 1);
	numbered(w, 12000, 2);
	writes(w, 1, 10);
	reads(w, 2, 10);
	writes(w, 2, 10);
	reads(w, 3, 10);
	analyse(w);
	pairs_are(w, PAIR "second");
}

static void the_second_reads_another_tensor(void **state)
{
	struct world *w = *state;
	two_elementwise(w);
	numbered(w, 1000, 1);
	numbered(w, 12000, 2);
	writes(w, 1, 10);
	reads(w, 2, 9);
	analyse(w);
	pairs_are(w, "");
}

/* It was written again before the second call. */
static void the_second_reads_a_later_tensor_of_the_memory(void **state)
{
	struct world *w = *state;
	two_elementwise(w);
	numbered(w, 1000, 1);
	numbered(w, 12000, 2);
	writes(w, 1, 10);
	writes(w, 5, 10);
	reads(w, 2, 10);
	analyse(w);
	pairs_are(w, "");
}

/* A foreach operator that writes into its arguments returns nothing. */
static void the_first_has_no_result(void **state)
{
	struct world *w = *state;
	two_elementwise(w);
	numbered(w, 1000, 1);
	numbered(w, 12000, 2);
	reads(w, 1, 10);
	reads(w, 2, 10);
	analyse(w);
	pairs_are(w, PAIR "unknown");
}

/* The execution trace ended before the second call. */
static void the_second_was_not_observed(void **state)
{
	struct world *w = *state;
	two_elementwise(w);
	numbered(w, 1000, 1);
	numbered(w, 12000, 2);
	writes(w, 1, 10);
	analyse(w);
	pairs_are(w, PAIR "unknown");
}

static void a_backward_pass_may_need_the_tensor(void **state)
{
	struct world *w = *state;
	two_elementwise(w);
	op(w, "autograd::engine::evaluate_function: MulBackward0", "", "",
		30000, 10);
	analyse(w);
	pairs_are(w, PAIR "unknown written");
}

static void a_backward_pass_that_was_not_observed(void **state)
{
	struct world *w = *state;
	observed(w);
	op(w, "autograd::engine::evaluate_function: MulBackward0", "", "",
		30000, 10);
	analyse(w);
	pairs_are(w, PAIR "unknown written");
}

static void a_backward_pass_that_was_observed(void **state)
{
	struct world *w = *state;
	observed(w);
	op(w, "autograd::engine::evaluate_function: MulBackward0", "", "",
		30000, 10);
	w->t.backward_uses = true;
	allocated_again(w);
	analyse(w);
	pairs_are(w, PAIR "second");
}

/* Readers after the end of the execution trace are not in it. */
static void the_memory_is_not_written_again(void **state)
{
	struct world *w = *state;
	observed(w);
	analyse(w);
	pairs_are(w, PAIR "unknown");
}

/* The next write is of a call that the trace of the profiler lacks. */
static void the_next_write_has_no_time(void **state)
{
	struct world *w = *state;
	observed(w);
	writes(w, 9, 10);
	analyse(w);
	pairs_are(w, PAIR "unknown");
}

/* Its tensors are unknown, and it may read the product. */
static void a_kernel_without_tensors_before_the_next_write(void **state)
{
	struct world *w = *state;
	observed(w);
	launch(w, "whatever", 30000, 10);
	allocated_again(w);
	analyse(w);
	pairs_are(w, PAIR "unknown");
}

static void a_kernel_without_tensors_after_the_next_write(void **state)
{
	struct world *w = *state;
	observed(w);
	allocated_again(w);
	launch(w, "whatever", 41000, 10);
	analyse(w);
	pairs_are(w, PAIR "second");
}

/* The moment of its launch is unknown. */
static void a_kernel_without_an_api_call(void **state)
{
	struct world *w = *state;
	observed(w);
	allocated_again(w);
	rows_launched(&w->t, "whatever", 150000, 10, -1);
	analyse(w);
	pairs_are(w, PAIR "unknown");
}

/* The kernels of a replay have no operator of the execution trace. */
static void a_graph_replay_before_the_next_write(void **state)
{
	struct world *w = *state;
	observed(w);
	rows_call(&w->t, "cudaGraphLaunch", "1", 30000, 10, 70000);
	rows_graph(&w->t, 1, 1, 150000, 10, 0);
	w->t.graph.correlation[0] = 70000;
	allocated_again(w);
	analyse(w);
	pairs_are(w, PAIR "unknown");
}

/* ---- the size of the tensor: mul writes 4 MiB, add reads them and 4 MiB */

static void sized(struct world *w, int64_t read_bytes)
{
	two_elementwise(w);
	numbered(w, 1000, 1);
	numbered(w, 12000, 2);
	writes(w, 1, 10);
	uses_bytes(w, 2, 10, read_bytes, false);
}

/* The rest of the tensor may be needed later, or by nothing. */
static void the_second_reads_a_part_and_nothing_the_rest(void **state)
{
	struct world *w = *state;
	sized(w, MIB4 / 4);
	allocated_again(w);
	analyse(w);
	pairs_are(w, "pointwise 1 x (10000 + 10000 + 1000) -1 second");
}

static void the_second_reads_a_part_and_another_the_rest(void **state)
{
	struct world *w = *state;
	sized(w, MIB4 / 4);
	reads(w, 3, 10);
	analyse(w);
	pairs_are(w,
		"pointwise 1 x (10000 + 10000 + 1000) 1048576 others written");
}

/* As three results in the parts of one memory, and a square. */
static void uses_of_one_memory_count_once(void **state)
{
	struct world *w = *state;
	two_elementwise(w);
	numbered(w, 1000, 1);
	numbered(w, 12000, 2);
	writes(w, 1, 10);
	writes(w, 1, 10);
	reads(w, 2, 10);
	reads(w, 2, 10);
	allocated_again(w);
	analyse(w);
	pairs_are(w, PAIR "second");
}

/* ---- files made to take long */

enum { MANY = 100000 };

/* The uses of a call were compared with each other before they were sorted. Each of
 * these cases takes less than 0.3 s, with the sanitizers. */
static void analyse_soon(struct world *w)
{
	clock_t from = clock();
	analyse(w);
	assert_true(clock() - from < 5 * CLOCKS_PER_SEC);
}

static struct tensor_use *list_of_many(struct world *w, uint32_t n)
{
	struct tensor_use *list =
		arena_array(&w->trace_arena, struct tensor_use, n);
	w->t.tensor_uses = list;
	w->t.tensor_uses_n = n;
	return list;
}

/* It reads each memory that it writes, but the one that it writes first last. */
static void a_call_that_returns_many_arguments(void **state)
{
	struct world *w = *state;
	struct tensor_use *list = list_of_many(w, 2 * MANY);
	for (int i = 0; i < MANY; i++) {
		list[i] = (struct tensor_use){ 3, 1000 + i, 4, true };
		list[2 * MANY - 1 - i] =
			(struct tensor_use){ 3, 1000 + i, 4, false };
	}
	two_elementwise(w);
	op(w, "aten::dropout", "", "", 5000, 20);
	numbered(w, 5000, 3);
	analyse_soon(w);
	pairs_are(w, PAIR "unknown");
}

/* Each of them is read by many calls. */
static void a_call_with_many_results(void **state)
{
	struct world *w = *state;
	struct tensor_use *list = list_of_many(w, 2 * MANY + 2);
	for (int i = 0; i < MANY; i++) {
		list[i] = (struct tensor_use){ 1, 1000 + i, 4, true };
		list[MANY + i] = (struct tensor_use){ 10 + i, 1000, 4, false };
	}
	list[2 * MANY] = (struct tensor_use){ 2, 1000, 4, false };
	list[2 * MANY + 1] = (struct tensor_use){ 2, 1001, 4, false };
	two_elementwise(w);
	numbered(w, 1000, 1);
	numbered(w, 12000, 2);
	analyse_soon(w);
	pairs_are(w, "pointwise 1 x (10000 + 10000 + 1000) 8 others written");
}

/* ---- calls that return their argument */

/* Function 3 between the product, the memory 10, and the add. */
static void with_call_between(struct world *w, bool sets)
{
	call(w, "aten::mul", SQUARES, 1000, 10000);
	op(w, sets ? "aten::zero_" : "aten::dropout", "", "", 5000, 20);
	if (sets) {
		rows_call(&w->t, "cudaMemsetAsync", "1", 5005, 5, 5005);
		rows_copy(&w->t, "Memset (Device)", 109000, 10, 0, 8, true);
		w->t.copy.stream[0] = 7;
		w->t.copy.correlation[0] = 5005;
	}
	call(w, "aten::add", SQUARES, 12000, 10000);
	numbered(w, 1000, 1);
	numbered(w, 5000, 3);
	numbered(w, 12000, 2);
	writes(w, 1, 10);
	reads(w, 3, 10);
	writes(w, 3, 10);
	reads(w, 2, 10);
	allocated_again(w);
	analyse(w);
}

static void dropout_of_inference_is_a_view(void **state)
{
	struct world *w = *state;
	with_call_between(w, false);
	pairs_are(w, PAIR "second");
}

/* The add reads the zeros, and not the product. */
static void a_set_between_them_works_in_place(void **state)
{
	struct world *w = *state;
	with_call_between(w, true);
	pairs_are(w, "");
}

/* ---- fusion_family.def */

static const struct family {
	const char *first, *second;
	bool epilogue;
} families[] = {
#define READS_NOTHING(name, why)
#define FUSION(first, second, kind, why) { first, second, false },
#define EPILOGUE(first, second, kind, why) { first, second, true },
#include "fusion_family.def"
#undef READS_NOTHING
#undef FUSION
#undef EPILOGUE
};
static const char *const no_readers[] = {
#define READS_NOTHING(name, why) name,
#define FUSION(first, second, kind, why)
#define EPILOGUE(first, second, kind, why)
#include "fusion_family.def"
};
enum { FAMILIES = sizeof families / sizeof *families };

static bool is(const struct operator_info *op, const char *word)
{
	return !strcmp(op->name, word) ||
	       (op->group && !strcmp(op->group, word));
}

/* The line that decides about a pair; FAMILIES if none does. */
static size_t line_of(const struct operator_info *first,
	const struct operator_info *second)
{
	size_t at = 0;
	for (size_t i = 0; i < sizeof no_readers / sizeof *no_readers; i++)
		if (!strcmp(second->name, no_readers[i]))
			return FAMILIES;
	while (at < FAMILIES &&
		(!is(first, families[at].first) ||
			!is(second, families[at].second) ||
			(families[at].epilogue &&
				catalog_fit(first, second) != FIT_PART)))
		at++;
	return at;
}

static void each_line_decides_about_a_pair_of_the_catalog(void **state)
{
	struct world *w = *state;
	const struct operator_info *const *all;
	uint32_t n = catalog_operators(w->families, &all);
	bool decides[FAMILIES + 1] = { false };
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t j = 0; j < n; j++)
			decides[line_of(all[i], all[j])] = true;
	for (size_t i = 0; i < FAMILIES; i++)
		if (!decides[i])
			fail_msg("no pair is %s, then %s", families[i].first,
				families[i].second);
	for (size_t i = 0; i < sizeof no_readers / sizeof *no_readers; i++)
		assert_non_null(catalog_operator(w->families, no_readers[i]));
}

static void a_trace_without_kernels(void **state)
{
	struct world *w = *state;
	op(w, "aten::mm", "", "", 1000, 50);
	analyse(w);
	pairs_are(w, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(two_elementwise_operators_are_a_pair),
		WORLD_TEST(the_residual_sum_and_the_norm),
		WORLD_TEST(an_activation_and_the_product_with_its_gate),
		WORLD_TEST(the_epilogue_of_a_gemm),
		WORLD_TEST(equal_pairs_are_added_up),
		WORLD_TEST(the_gap_before_the_api_call_is_not_counted),
		WORLD_TEST(the_second_reads_less_than_the_first_writes),
		WORLD_TEST(the_second_is_known_to_read_nothing),
		WORLD_TEST(the_first_has_several_results),
		WORLD_TEST(the_second_reads_nothing),
		WORLD_TEST(an_unattributed_launch_between_them),
		WORLD_TEST(a_copy_between_them),
		WORLD_TEST(an_opaque_graph_between_them),
		WORLD_TEST(a_copy_of_another_stream_between_them),
		WORLD_TEST(an_all_reduce_of_another_stream_between_them),
		WORLD_TEST(an_all_reduce_that_ends_between_them),
		WORLD_TEST(an_all_reduce_that_ends_with_the_first),
		WORLD_TEST(another_stream_works_between_them),
		WORLD_TEST(a_graph_and_a_copy_work_between_them),
		WORLD_TEST(launches_of_two_streams),
		WORLD_TEST(launches_of_two_devices),
		WORLD_TEST(the_border_of_two_iterations),
		WORLD_TEST(the_mean_over_iterations),
		WORLD_TEST(an_iteration_without_the_pair),
		WORLD_TEST(one_iteration_has_no_error),
		WORLD_TEST(the_pairs_of_two_devices),
		WORLD_TEST(a_pair_without_a_cost_saves_an_unknown_time),
		WORLD_TEST(two_kernels_of_one_operator_call),
		WORLD_TEST(the_first_call_has_two_kernels),
		WORLD_TEST(a_graph_replay_has_no_launch_gap),
		WORLD_TEST(only_the_second_reads_the_tensor),
		WORLD_TEST(another_operator_reads_the_tensor_later),
		WORLD_TEST(the_memory_is_allocated_again),
		WORLD_TEST(another_operator_works_in_place),
		WORLD_TEST(the_second_works_in_place),
		WORLD_TEST(the_second_reads_another_tensor),
		WORLD_TEST(the_second_reads_a_later_tensor_of_the_memory),
		WORLD_TEST(the_first_has_no_result),
		WORLD_TEST(the_second_was_not_observed),
		WORLD_TEST(a_backward_pass_may_need_the_tensor),
		WORLD_TEST(a_backward_pass_that_was_not_observed),
		WORLD_TEST(a_backward_pass_that_was_observed),
		WORLD_TEST(the_memory_is_not_written_again),
		WORLD_TEST(the_next_write_has_no_time),
		WORLD_TEST(a_kernel_without_tensors_before_the_next_write),
		WORLD_TEST(a_kernel_without_tensors_after_the_next_write),
		WORLD_TEST(a_kernel_without_an_api_call),
		WORLD_TEST(a_graph_replay_before_the_next_write),
		WORLD_TEST(the_second_reads_a_part_and_nothing_the_rest),
		WORLD_TEST(the_second_reads_a_part_and_another_the_rest),
		WORLD_TEST(uses_of_one_memory_count_once),
		WORLD_TEST(a_call_that_returns_many_arguments),
		WORLD_TEST(a_call_with_many_results),
		WORLD_TEST(dropout_of_inference_is_a_view),
		WORLD_TEST(a_set_between_them_works_in_place),
		WORLD_TEST(each_line_decides_about_a_pair_of_the_catalog),
		WORLD_TEST(a_trace_without_kernels),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
