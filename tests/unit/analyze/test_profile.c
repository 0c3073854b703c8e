/* test_profile.c - tests the profiles of small traces; every number is worked
 * out by hand. */
#include "world.h"

static const struct kernel_stat *line(const struct profile *p, enum split split,
	int at)
{
	for (uint32_t i = 0; i < p->stats_n; i++)
		if (p->stats[i].split == split && at-- == 0)
			return &p->stats[i];
	return NULL;
}

static void check(const struct profile *p, enum split split, int at,
	const char *name, int64_t total_ns, int64_t instances, double pct)
{
	const struct kernel_stat *s = line(p, split, at);
	assert_non_null(s);
	assert_string_equal(p->kernels[s->kernel].name, name);
	assert_int_equal(s->time.total_ns, total_ns);
	assert_int_equal(s->time.instances, instances);
	assert_true(s->time_pct == pct);
}

/* A decoder placed calls whose starts it does not know: durations are used, and
 * nothing that depends on the places is. */
static void calls_without_starts(void **state)
{
	struct world *w = *state;
	struct profile *p = &w->p;
	w->t.base_is_utc = true;
	for (int i = 0; i < 3; i++)
		rows_kernel(&w->t, "f", 200 * i, 100, 0, 1);
	note_add(&w->t.notes, NOTE_comm_no_start, 1, "f", 1);
	assert_true(world_analyse(w));
	assert_int_equal(p->content, CONTENT_DURATIONS);
	assert_int_equal(p->kernel_ns, 300);
	assert_int_equal(p->launches, 3);
	check(p, SPLIT_NONE, 0, "f", 300, 3, 100);
	assert_int_equal(p->span_ns, -1);
	assert_int_equal(p->busy_ns, -1);
	assert_int_equal(p->devices[0].busy_ns, -1);
	assert_int_equal(p->devices[0].launches, 3);
	assert_int_equal(p->started_utc_ns, -1);
	assert_int_equal(p->iterations.n, 0);
	assert_int_equal(p->patterns.n, 0);
	assert_int_equal(p->groups.n, 0);
}

/* Two devices that overlap, two grids, two spellings of one kernel:
 *
 *   device 0  f(int) 0…100      g 100…130          grid 1, 1
 *   device 1         _Z1fi 50…250                  grid 2
 *   device 0                            f(int) 300…330   no grid
 */
static void one_of_everything(void **state)
{
	struct world *w = *state;
	struct profile *p = &w->p;
	rows_kernel(&w->t, "f(int)", 0, 100, 0, 1);
	rows_kernel(&w->t, "_Z1fi", 50, 200, 1, 2);
	rows_kernel(&w->t, "g", 100, 30, 0, 1);
	rows_kernel(&w->t, "f(int)", 300, 30, 0, 0);
	rows_copy(&w->t, "Memset (Device)", 340, 5, 0, 64, true);
	rows_copy(&w->t, "Memcpy HtoD (Pageable -> Device)", 350, 20, 1, 1000,
		false);
	rows_copy(&w->t, "Memcpy HtoD (Pinned -> Device)", 380, 10, 0, -1,
		false);
	assert_true(world_analyse(w));

	assert_int_equal(p->pid, 7);
	assert_int_equal(p->launches, 4);
	assert_int_equal(p->kernel_ns, 360);
	assert_int_equal(p->busy_ns, 280); /* 0…250 and 300…330 */
	assert_int_equal(p->span_ns, 390);
	assert_int_equal(p->copies, 3);
	assert_int_equal(p->copy_ns, 35);
	assert_int_equal(p->kernels_n, 2);

	check(p, SPLIT_NONE, 0, "f(int)", 330, 3, 91.7);
	check(p, SPLIT_NONE, 1, "g", 30, 1, 8.3);
	assert_null(line(p, SPLIT_NONE, 2));
	/* g and the last f have equal times and counts: by name */
	check(p, SPLIT_DEVICE, 0, "f(int)", 200, 1, 55.6);
	check(p, SPLIT_DEVICE, 1, "f(int)", 130, 2, 36.1);
	check(p, SPLIT_DEVICE, 2, "g", 30, 1, 8.3);
	assert_int_equal(line(p, SPLIT_DEVICE, 0)->device, 1);
	check(p, SPLIT_GRID, 0, "f(int)", 200, 1, 55.6);
	check(p, SPLIT_GRID, 1, "f(int)", 100, 1, 27.8);
	check(p, SPLIT_GRID, 2, "f(int)", 30, 1, 8.3);
	check(p, SPLIT_GRID, 3, "g", 30, 1, 8.3);
	assert_int_equal(line(p, SPLIT_GRID, 0)->grid[0], 2);
	assert_int_equal(line(p, SPLIT_GRID, 0)->block[0], 128);
	assert_int_equal(line(p, SPLIT_GRID, 2)->grid[0], -1);
	assert_string_equal(p->kernels[line(p, SPLIT_NONE, 0)->kernel]
				    .short_name,
		"f");

	assert_int_equal(p->copy_stats_n, 2 + 3);
	const struct copy_stat *c = p->copy_stats;
	assert_string_equal(c[0].operation, "[CUDA memcpy Host-to-Device]");
	assert_int_equal(c[0].time.total_ns, 30);
	assert_int_equal(c[0].bytes, 1000);
	assert_int_equal(c[0].sized, 1);
	assert_true(c[0].time_pct == 85.7);
	assert_string_equal(c[1].operation, "[CUDA memset]");

	assert_int_equal(p->devices_n, 2);
	assert_int_equal(p->devices[0].number, 0);
	assert_int_equal(p->devices[0].launches, 3);
	assert_int_equal(p->devices[0].busy_ns, 160);
	assert_int_equal(p->devices[1].busy_ns, 200);
	assert_int_equal(p->devices[1].sm_count, -1);

	assert_int_equal(p->notes.count[NOTE_no_grid], 1);
	assert_int_equal(p->notes.count[NOTE_no_device_name], 2);
	assert_int_equal(p->notes.count[NOTE_uncorrelated], 4);
	assert_int_equal(p->notes.count[NOTE_no_kernels], 0);
	assert_int_equal(p->started_utc_ns, -1);
}

static void nothing_on_the_gpu(void **state)
{
	struct world *w = *state;
	trace_op_add(&w->t, &(struct op_row){ .start_ns = 5 });
	assert_true(world_analyse(w));
	assert_int_equal(w->p.stats_n + w->p.copy_stats_n + w->p.devices_n, 0);
	assert_int_equal(w->p.span_ns, 0);
	assert_int_equal(w->p.notes.count[NOTE_no_kernels], 1);
}

static void copies_only(void **state)
{
	struct world *w = *state;
	rows_copy(&w->t, "Memcpy DtoD (Device -> Device)", 10, 4, 3, 8, false);
	assert_true(world_analyse(w));
	assert_int_equal(w->p.span_ns, 4);
	assert_int_equal(w->p.busy_ns, 0);
	assert_int_equal(w->p.devices_n, 1);
	assert_int_equal(w->p.devices[0].number, 3);
	assert_int_equal(w->p.devices[0].launches, 0);
}

/* A kernel without a usable name gets a fixed name; sizes beyond 64 bits are
 * unknown. */
static void odd_values(void **state)
{
	struct world *w = *state;
	rows_kernel(&w->t, "", 0, 0, -1, 1);
	rows_kernel(&w->t, "_Z9f", 1, 0, 2147483647, 1);
	rows_copy(&w->t, "Memset (Device)", 2, 1, 0, INT64_MAX, true);
	rows_copy(&w->t, "Memset (Device)", 3, 1, 0, 1, true);
	rows_copy(&w->t, "", 4, 1, 0, 1, false);
	assert_true(world_analyse(w));
	check(&w->p, SPLIT_NONE, 0, "(unnamed)", 0, 1, 0);
	check(&w->p, SPLIT_NONE, 1, "_Z9f", 0, 1, 0);
	assert_int_equal(w->p.notes.count[NOTE_demangle_bound], 1);
	assert_string_equal(w->p.notes.detail[NOTE_demangle_bound], "_Z9f");
	assert_int_equal(w->p.copy_stats[0].bytes, INT64_MAX);
	assert_int_equal(w->p.copy_stats[0].sized, 1);
	assert_string_equal(w->p.copy_stats[1].operation, "(unnamed)");
}

/* Correlations that are far apart are found like those that are close. */
static void correlations(void **state)
{
	static const int64_t far = INT64_C(1) << 60;
	struct world *w = *state;
	for (int i = 0; i < 4; i++)
		trace_kernel_add(&w->t,
			&(struct kernel_row){ .start_ns = i,
				.name = rows_name(&w->t, "k"),
				.correlation = i < 2 ? i + 1 : far + i });
	trace_call_add(&w->t, &(struct call_row){ .correlation = 1 });
	assert_true(world_analyse(w));
	assert_int_equal(w->p.notes.count[NOTE_uncorrelated], 3);
	trace_call_add(&w->t, &(struct call_row){ .correlation = far + 3 });
	trace_call_add(&w->t, &(struct call_row){ .correlation = -1 });
	assert_true(world_analyse(w));
	assert_int_equal(w->p.notes.count[NOTE_uncorrelated], 2);
}

static void a_moment_and_a_device_that_are_given(void **state)
{
	struct world *w = *state;
	struct device d[] = {
		{ .process = -1,
			.number = 4,
			.name = rows_name(&w->t, "H20"),
			.sm_count = 78,
			.compute_major = 9 },
		{ .process = 1,
			.number = 4,
			.name = rows_name(&w->t, "not"),
			.sm_count = 1 },
	};
	w->t.devices = d;
	w->t.devices_n = 2;
	w->t.base_ns = 1700000000000000000;
	w->t.base_is_utc = true;
	trace_op_add(&w->t, &(struct op_row){ .start_ns = 11 });
	rows_kernel(&w->t, "k", 40, 1, 4, 1);
	assert_true(world_analyse(w));
	assert_int_equal(w->p.started_utc_ns, 1700000000000000011);
	assert_string_equal(w->p.devices[0].name, "H20");
	assert_int_equal(w->p.devices[0].sm_count, 78);
	assert_int_equal(w->p.notes.count[NOTE_no_device_name], 0);
}

static void more_time_than_a_trace_can_hold(void **state)
{
	struct world *w = *state;
	rows_kernel(&w->t, "k", 0, TRACE_TIME_MAX_NS, 0, 1);
	rows_kernel(&w->t, "k", 0, 1, 0, 1);
	assert_false(world_analyse(w));
	assert_int_equal(w->e.code, ERR_TRACE);
	assert_string_equal(w->e.text,
		"the durations of process 7 add up to more than a trace can "
		"hold (104 days)");
}

/* With any memory limit the function succeeds or reports that the arena is
 * full. */
static void no_room(void **state)
{
	struct world *w = *state;
	bool done = false;
	for (int i = 0; i < 50; i++)
		rows_kernel(&w->t, i % 2 ? "_Z1fIiEvT_" : "g", i, 1, i % 3, i);
	rows_copy(&w->t, "Memset (Device)", 2, 1, 0, 4, true);
	for (size_t kib = 1; !done; kib += 3) {
		w->arena = (struct arena){ .ceiling = kib << 10 };
		w->e = (struct err){ 0 };
		done = world_analyse(w);
		if (!done)
			assert_int_equal(w->e.code, ERR_TOO_LARGE);
		assert_true(w->arena.taken <= w->arena.ceiling);
		arena_release(&w->arena);
		assert_true(kib < 4096);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(one_of_everything),
		WORLD_TEST(calls_without_starts),
		WORLD_TEST(nothing_on_the_gpu),
		WORLD_TEST(copies_only),
		WORLD_TEST(odd_values),
		WORLD_TEST(correlations),
		WORLD_TEST(a_moment_and_a_device_that_are_given),
		WORLD_TEST(more_time_than_a_trace_can_hold),
		WORLD_TEST(no_room),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
