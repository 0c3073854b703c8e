/* test_layer_seq.c - tests which device, stream and passes are used, and the
 * name and pass of each launch. */
#include "layer_world.h"

static void kernel(struct world *w, const char *name, int64_t start_ns,
	int64_t dur_ns, int32_t device, int64_t stream)
{
	trace_kernel_add(&w->t, &(struct kernel_row){ .start_ns = start_ns,
					.dur_ns = dur_ns,
					.name = rows_name(&w->t, name),
					.device = device,
					.stream = stream,
					.correlation = -1 });
}

static const char *name_of(const struct layer_seq *s, uint32_t item)
{
	uint32_t symbol = s->items[item].symbol;
	return symbol < s->profile->kernels_n
		       ? s->profile->kernels[symbol].name
		       : s->operations[symbol - s->profile->kernels_n];
}

/* "a0 b1": names with their lanes; "-" if the launch is in no pass. */
static const char *text(struct layer_world *l)
{
	const char *all = "";

	for (uint32_t i = 0; i < l->s.n; i++) {
		const struct layer_item *it = &l->s.items[i];
		all = arena_printf(&l->w->arena, "%s%s%s%s%u", all,
			*all ? " " : "", it->pass == LAYER_NONE ? "-" : "",
			name_of(&l->s, i), it->lane);
		if (i)
			assert_true(it->start_ns >= it[-1].start_ns);
	}
	return all;
}

static void the_busiest_device(void **state)
{
	struct layer_world l;
	struct world *w = *state;
	struct breakdown_params params = BREAKDOWN_DEFAULTS;

	kernel(w, "a", 0, 10, 3, 7);
	kernel(w, "b", 5, 90, 4, 7);
	kernel(w, "c", 20, 10, 3, 7);
	layer_world_init(&l, w);
	assert_true(layer_world_seq(&l, NULL));
	assert_int_equal(l.s.device, 4);
	assert_string_equal(text(&l), "b0");
	layer_seq_release(&l.s);
	params.device = 3;
	assert_true(layer_world_seq(&l, &params));
	assert_string_equal(text(&l), "a0 c0");
	/* rows belong to the process, not to the device */
	assert_int_equal(l.s.items[1].row, 2);
	assert_ptr_equal(l.s.items[1].is, &l.at.of[2]);
	layer_seq_release(&l.s);
	params.device = 5;
	assert_false(layer_world_seq(&l, &params));
	assert_int_equal(w->e.code, ERR_NOT_FOUND);
	assert_string_equal(w->e.text,
		"the run used no device 5; devices it used: 3, 4");
	layer_world_release(&l);
}

/* Collectives take the longest time and copies are the most numerous. Layers
 * are on the stream with most of the other kernels. */
static void the_main_stream(void **state)
{
	struct layer_world l;
	struct world *w = *state;

	kernel(w, "ncclDevKernel_AllReduce_Sum_bf16_RING_LL", 0, 900, 0, 20);
	kernel(w, "ncclDevKernel_AllReduce_Sum_bf16_RING_LL", 1000, 900, 0, 20);
	kernel(w, "ncclDevKernel_AllReduce_Sum_bf16_RING_LL", 2000, 900, 0, 20);
	kernel(w, "a", 10, 5, 0, 7);
	kernel(w, "b", 20, 5, 0, 7);
	kernel(w, "c", 30, 50, 0, 9);
	for (int i = 0; i < 5; i++)
		rows_copy(&w->t, "Memcpy DtoD (Device -> Device)", 40 + i, 1, 0,
			8, false);
	layer_world_init(&l, w);
	assert_true(layer_world_seq(&l, NULL));
	assert_int_equal(l.s.lanes, 4);
	assert_int_equal(l.s.streams[0], 7);
	assert_int_equal(l.s.streams[1], 20);
	assert_int_equal(l.s.streams[2], 9);
	assert_int_equal(l.s.streams[3], 0);
	layer_world_release(&l);
}

static void all_kinds_of_records(void **state)
{
	struct layer_world l;
	struct world *w = *state;

	kernel(w, "a", 0, 10, 0, 0);
	rows_copy(&w->t, "Memcpy HtoD (Pageable -> Device)", 5, 1, 0, 8, false);
	rows_copy(&w->t, "Memset (Device)", 6, 1, 0, 8, true);
	rows_graph(&w->t, 4, 9, 7, 1, 0);
	rows_graph(&w->t, 4, 10, 8, 1, 0);
	rows_graph(&w->t, 5, 11, 9, 1, 0);
	layer_world_init(&l, w);
	assert_true(layer_world_seq(&l, NULL));
	assert_string_equal(text(&l),
		"a0 [CUDA memcpy Host-to-Device]0 [CUDA memset]0 "
		"[CUDA graph 4]0 [CUDA graph 4]0 [CUDA graph 5]0");
	assert_int_equal(l.s.symbols, 5);
	assert_null(l.s.items[1].is);
	layer_world_release(&l);
}

static void nothing_at_all(void **state)
{
	struct layer_world l;
	layer_world_init(&l, *state);
	assert_true(layer_world_seq(&l, NULL));
	assert_int_equal(l.s.n, 0);
	assert_int_equal(l.s.device, -1);
	assert_int_equal(l.s.passes_n, 0);
	layer_world_release(&l);
}

static void without_iterations_all_is_one_pass(void **state)
{
	struct layer_world l;
	struct world *w = *state;

	kernel(w, "a", 100, 10, 0, 0);
	kernel(w, "b", 105, 90, 0, 0);
	kernel(w, "c", 120, 10, 0, 0);
	layer_world_init(&l, w);
	w->p.iterations = (struct iterations){ 0 };
	for (int i = 0; i < 3; i++)
		l.iterations.kernel[i] = ITERATION_NONE;
	assert_true(layer_world_seq(&l, NULL));
	assert_int_equal(l.s.passes_n, 1);
	assert_int_equal(l.s.passes[0].start_ns, 100);
	assert_int_equal(l.s.passes[0].end_ns, 195);
	assert_int_equal(l.s.passes[0].iteration, LAYER_NONE);
	assert_int_equal(l.s.stratum, LAYER_NONE);
	assert_string_equal(text(&l), "a0 b0 c0");
	layer_world_release(&l);
}

/* Iterations of two strata are given. The second stratum takes more time with
 * fewer launches. */
static void the_stratum_of_most_time(void **state)
{
	struct layer_world l;
	struct world *w = *state;
	struct iteration iterations[] = {
		{ .start_ns = 0, .dur_ns = 10, .stratum = 0 },
		{ .start_ns = 10,
			.dur_ns = 10,
			.stratum = 0,
			.use = ITERATION_WARMUP },
		{ .start_ns = 20, .dur_ns = 40, .stratum = 1 },
		{ .start_ns = 60, .dur_ns = 10, .stratum = 0 },
		{ .start_ns = 70,
			.dur_ns = 10,
			.stratum = 2,
			.use = ITERATION_PARTIAL },
	};
	struct stratum strata[3] = { { 0 } };
	struct breakdown_params params = BREAKDOWN_DEFAULTS;

	kernel(w, "a", 1000, 5, 0, 0);
	kernel(w, "b", 1010, 99, 0, 0);
	kernel(w, "c", 1020, 12, 0, 0);
	kernel(w, "d", 1060, 5, 0, 0);
	kernel(w, "e", 1070, 5, 0, 0);
	kernel(w, "f", 1080, 5, 0, 0);
	layer_world_init(&l, w);
	w->p.iterations = (struct iterations){ .iterations = iterations,
		.strata = strata,
		.n = 5,
		.strata_n = 3 };
	for (uint32_t i = 0; i < 5; i++)
		l.iterations.kernel[i] = i;
	l.iterations.kernel[5] = ITERATION_NONE;
	assert_true(layer_world_seq(&l, NULL));
	assert_int_equal(l.s.stratum, 1);
	assert_string_equal(text(&l), "-a0 -b0 c0 -d0 -e0 -f0");
	assert_int_equal(l.s.passes[0].start_ns, 1020);
	assert_int_equal(l.s.passes[0].end_ns, 1060);
	assert_int_equal(l.s.passes[0].iteration, 2);
	layer_seq_release(&l.s);
	params.stratum = 0;
	assert_true(layer_world_seq(&l, &params));
	assert_string_equal(text(&l), "a0 -b0 -c0 d0 -e0 -f0");
	assert_int_equal(l.s.items[3].pass, 1);
	layer_seq_release(&l.s);
	params.stratum = 2;
	assert_false(layer_world_seq(&l, &params));
	assert_string_equal(w->e.text,
		"no iteration of stratum 2 that counts did "
		"anything on device 0");
	layer_seq_release(&l.s);
	params.stratum = 3;
	assert_false(layer_world_seq(&l, &params));
	assert_int_equal(w->e.code, ERR_NOT_FOUND);
	assert_string_equal(w->e.text,
		"there is no stratum 3; the run has 3, counted from 0");
	layer_world_release(&l);
}

static const char *path(const struct layer_world *l, uint32_t frame)
{
	const char *all = "";
	for (; frame; frame = l->s.frames[frame].parent) {
		assert_true(frame < l->s.frames_n);
		assert_true(l->s.frames[frame].parent < frame);
		all = arena_printf(&l->w->arena, "%s%s%s",
			l->s.frames[frame].name, *all ? " > " : "", all);
	}
	return all;
}

static void replayed(struct world *w, const char *name, int64_t start_ns,
	int64_t node)
{
	trace_kernel_add(&w->t, &(struct kernel_row){ .start_ns = start_ns,
					.dur_ns = 5,
					.name = rows_name(&w->t, name),
					.correlation = 2,
					.graph_node = node });
}

/* A replayed kernel takes the range that was open when its node was made,
 * even if another range is around the replay. */
static void ranges_around(void **state)
{
	struct layer_world l;
	struct world *w = *state;
	static const char *const open[] = { "mlp", "layer 3" };

	rows_range(&w->t, RANGE_MODULE, "nn.Module: Block_0", "a", 0, 100);
	rows_range(&w->t, RANGE_MODULE, "nn.Module: Linear_1", "a", 10, 20);
	rows_call(&w->t, "cudaLaunchKernel", "a", 15, 2, 1);
	rows_call(&w->t, "cudaGraphLaunch", "a", 50, 2, 2);
	rows_launched(&w->t, "a", 200, 5, 1);
	replayed(w, "b", 210, 77);
	replayed(w, "c", 220, 78);
	rows_launched(&w->t, "d", 230, 5, -1);
	for (uint8_t d = 0; d < 2; d++)
		trace_node_add(&w->t,
			&(struct node_row){ .node = 77,
				.depth = d,
				.name = rows_name(&w->t, open[d]) });
	layer_world_init(&l, w);
	assert_true(layer_world_seq(&l, NULL));
	assert_string_equal(path(&l, l.s.items[0].frame),
		"nn.Module: Block_0 > nn.Module: Linear_1");
	assert_string_equal(path(&l, l.s.items[1].frame), "layer 3 > mlp");
	assert_string_equal(path(&l, l.s.items[2].frame), "nn.Module: Block_0");
	assert_int_equal(l.s.items[3].frame, 0);
	layer_world_release(&l);
}

static void no_room(void **state)
{
	struct layer_world l;
	struct world *w = *state;
	bool done = false;

	for (int i = 0; i < 50; i++)
		kernel(w, i % 2 ? "a" : "b", i * 10, 5, 0, i % 3);
	trace_node_add(&w->t,
		&(struct node_row){ .node = 1, .name = rows_name(&w->t, "r") });
	layer_world_init(&l, w);
	for (size_t kib = 1; !done; kib += 3) {
		struct arena tight = { .ceiling = kib << 10 };
		struct arena *roomy = l.at.arena;
		l.at.arena = &tight;
		done = layer_world_seq(&l, NULL);
		assert_true(done || w->e.code == ERR_TOO_LARGE);
		assert_true(kib < 4096);
		layer_seq_release(&l.s);
		arena_release(&tight);
		l.at.arena = roomy;
	}
	layer_world_release(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(the_busiest_device),
		WORLD_TEST(the_main_stream),
		WORLD_TEST(all_kinds_of_records),
		WORLD_TEST(nothing_at_all),
		WORLD_TEST(without_iterations_all_is_one_pass),
		WORLD_TEST(the_stratum_of_most_time),
		WORLD_TEST(ranges_around),
		WORLD_TEST(no_room),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
