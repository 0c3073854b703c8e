/* test_tables.c - tests runs that are made of tables: given values, summed
 * values and unknown values. Every number is worked out by hand. */
#include "analyze.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

struct world {
	struct arena trace_arena, arena;
	struct trace t;
	struct process process;
	struct catalog *families;
	struct profile p;
	struct err e;
};

static int start(void **state)
{
	static struct world w;
	w = (struct world){ 0 };
	w.families = catalog_new(NULL, &w.e);
	trace_init(&w.t, &w.trace_arena);
	w.t.format = "nsys-stats";
	w.process = (struct process){ .pid = 7, .rank = -1, .world_size = -1 };
	w.t.processes = &w.process;
	w.t.processes_n = 1;
	*state = &w;
	return w.families ? 0 : -1;
}

static int stop(void **state)
{
	struct world *w = *state;
	catalog_free(w->families);
	arena_release(&w->trace_arena);
	arena_release(&w->arena);
	return 0;
}

static bool analyse(struct world *w)
{
	w->arena.ceiling = 16 << 20;
	return trace_sort(&w->t) && profile_from(&w->t, 0, w->families, NULL,
					    &w->arena, &w->p, &w->e);
}

static uint32_t name(struct world *w, const char *s)
{
	return names_put(&w->t.names, s, strlen(s));
}

/* A row of a table; grid 0 covers all grids. */
static void stat(struct world *w, const char *kernel, int32_t grid,
	int64_t instances, int64_t total_ns, int64_t min_ns, int64_t max_ns)
{
	struct launch_shape s = { { grid, 1, 1 }, { 128, 1, 1 }, -1, -1 };
	trace_stat_add(&w->t,
		&(struct stat_row){ .row = w->t.stat.n,
			.name = name(w, kernel),
			.device = -1,
			.launch = grid ? trace_launch_shape(&w->t, &s) : 0,
			.instances = instances,
			.total_ns = total_ns,
			.min_ns = min_ns,
			.max_ns = max_ns,
			.avg_ns = 1.5,
			.med_ns = NAN,
			.stddev_ns = 0.25,
			.time_pct = NAN });
}

/* Rows are kept unchanged and in the order of the table, even if two rows have
 * one kernel. A share that is not given is computed from the sum: 30 of 40, 10
 * of 40. */
static void test_values_as_written(void **state)
{
	struct world *w = *state;
	stat(w, "small", 0, 2, 10, 5, 5);
	stat(w, "large", 0, 3, 30, -1, 20);
	stat(w, "small", 0, 1, 0, 0, 0);
	assert_true(analyse(w));
	const struct profile *p = &w->p;
	assert_int_equal(p->content, CONTENT_STATISTICS);
	assert_int_equal(p->kernels_n, 2);
	assert_int_equal(p->stats_n, 3);
	assert_int_equal(p->launches, 6);
	assert_int_equal(p->kernel_ns, 40);
	assert_int_equal(p->span_ns, -1);
	assert_int_equal(p->busy_ns, -1);
	assert_int_equal(p->devices_n, 0);
	assert_int_equal(p->notes.count[NOTE_statistics_only], 3);
	assert_int_equal(p->notes.count[NOTE_no_kernels], 0);
	assert_string_equal(p->kernels[p->stats[1].kernel].name, "large");
	assert_int_equal(p->stats[2].kernel, p->stats[0].kernel);
	assert_true(p->stats[0].time_pct == 25 && p->stats[1].time_pct == 75);
	const struct time_stats *t = &p->stats[1].time;
	assert_true(t->min_ns == -1 && t->max_ns == 20 && t->avg_ns == 1.5);
	assert_true(isnan(t->med_ns) && isnan(t->p90_ns) && isnan(t->p99_ns));
}

/* Grids alone are summed: 10 + 31 ns in 2 + 1 launches, mean 13.666… */
static void test_grids_alone(void **state)
{
	struct world *w = *state;
	stat(w, "f", 8, 2, 10, 4, 6);
	stat(w, "g", 8, 1, 50, 50, 50);
	stat(w, "f", 16, 1, 31, 31, 31);
	assert_true(analyse(w));
	const struct profile *p = &w->p;
	assert_int_equal(p->stats_n, 5);
	assert_int_equal(p->kernel_ns, 91);
	assert_int_equal(p->launches, 4);
	assert_int_equal(p->notes.count[NOTE_statistics_only], 2);
	/* by total: g is one line, as given */
	const struct kernel_stat *g = &p->stats[0], *f = &p->stats[1];
	assert_string_equal(p->kernels[g->kernel].name, "g");
	assert_true(g->split == SPLIT_NONE && g->grid[0] == -1);
	assert_true(g->time.avg_ns == 1.5 && g->time.min_ns == 50);
	assert_int_equal(f->time.instances, 3);
	assert_int_equal(f->time.total_ns, 41);
	assert_true(f->time.avg_ns == 13.7);
	assert_true(f->time.min_ns == 4 && f->time.max_ns == 31);
	assert_true(isnan(f->time.med_ns) && isnan(f->time.stddev_ns));
	assert_true(f->time_pct == 45.1); /* 45.05… */
	assert_int_equal(p->stats[2].split, SPLIT_GRID);
	assert_int_equal(p->stats[4].grid[0], 16);
}

/* If both tables are given, nothing counts twice. */
static void test_both_tables(void **state)
{
	struct world *w = *state;
	stat(w, "f", 8, 2, 10, 4, 6);
	stat(w, "f", 0, 2, 10, 4, 6);
	assert_true(analyse(w));
	assert_int_equal(w->p.stats_n, 2);
	assert_int_equal(w->p.kernel_ns, 10);
	assert_int_equal(w->p.launches, 2);
	assert_int_equal(w->p.stats[0].split, SPLIT_NONE);
	assert_int_equal(w->p.notes.count[NOTE_statistics_only], 1);
}

/* No decoder accepts these values, but a capture file could hold them. */
static void test_impossible(void **state)
{
	static const struct {
		int64_t instances, total_ns;
	} rows[] = { { 0, 1 }, { -1, 1 }, { 1, -1 }, { INT64_MAX, 1 },
		{ 1, TRACE_TIME_MAX_NS } };
	struct world *w = *state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		w->t.stat.n = 0;
		w->e = (struct err){ 0 };
		stat(w, "f", 0, 1, 1, 1, 1);
		stat(w, "f", 0, rows[i].instances, rows[i].total_ns, 1, 1);
		assert_false(analyse(w));
		assert_int_equal(w->e.code, ERR_TRACE);
		assert_string_equal(w->e.text,
			"the times or counts of the table add up to more than "
			"a trace can hold (104 days), or are negative");
	}
}

static void pattern(struct world *w, int64_t iteration, const char *function,
	const char *device, const char *metric, int64_t instances,
	int64_t dur_ns)
{
	trace_pattern_add(&w->t, &(struct pattern_row){ .row = w->t.pattern.n,
					 .iteration = iteration,
					 .iteration_start_ns = -1,
					 .iteration_ns = -1,
					 .name = name(w, function),
					 .func_type = name(w, "gpu_compute"),
					 .device = name(w, device),
					 .metric = name(w, metric),
					 .dur_ns = dur_ns,
					 .instances = instances });
}

/* A device with an unknown number is separate from the line of all devices. */
static void test_pattern_devices(void **state)
{
	struct world *w = *state;
	pattern(w, 1, "f", "GPU 10", "a", 2, 30);
	pattern(w, 1, "f", "GPU 10", "b", 2, 30);
	pattern(w, 1, "f", "accelerator", "a", 1, 15);
	pattern(w, 2, "f", "GPU 10", "a", 2, 31);
	assert_true(analyse(w));
	const struct profile *p = &w->p;
	assert_int_equal(p->content, CONTENT_PATTERNS);
	assert_int_equal(p->kernel_ns, 76);
	assert_int_equal(p->launches, 5);
	assert_int_equal(p->stats_n, 3);
	assert_true(p->stats[0].split == SPLIT_NONE &&
		    p->stats[0].time.total_ns == 76 &&
		    p->stats[0].time.avg_ns == 15.2);
	assert_true(p->stats[1].device == 10 &&
		    p->stats[1].time.total_ns == 61 &&
		    p->stats[1].time.avg_ns == 15.3); /* 15.25 */
	assert_true(
		p->stats[2].device == -1 && p->stats[2].time.total_ns == 15);
	assert_int_equal(p->devices_n, 2);
	assert_int_equal(p->devices[0].number, -1);
	assert_int_equal(p->devices[1].launches, 4);
	assert_int_equal(p->devices[1].busy_ns, -1);
	assert_true(isnan(p->devices[1].throttled_pct));
	assert_int_equal(p->notes.count[NOTE_patterns_only], 2);
	assert_int_equal(p->notes.count[NOTE_pattern_conflict], 0);
}

/* The iterations of two anchors cover the same time, which counts once. */
static void test_pattern_anchors(void **state)
{
	struct world *w = *state;
	pattern(w, 1, "f", "GPU 0", "a", 2, 30);
	pattern(w, 1, "f", "GPU 0", "a", 2, 31);
	pattern(w, 2, "f", "GPU 0", "a", 2, 31);
	w->t.pattern.anchor[1] = w->t.pattern.anchor[2] = name(w, "layer");
	assert_true(analyse(w));
	assert_int_equal(w->p.kernel_ns, 30);
	assert_int_equal(w->p.launches, 2);
	assert_int_equal(w->p.notes.count[NOTE_patterns_only], 1);
	assert_int_equal(w->p.notes.count[NOTE_pattern_anchor], 2);
	assert_string_equal(w->p.notes.detail[NOTE_pattern_anchor], "layer");
	assert_int_equal(w->p.notes.count[NOTE_pattern_conflict], 0);
}

static void test_pattern_without_instance(void **state)
{
	struct world *w = *state;
	pattern(w, 1, "f", "GPU 10", "a", 0, 30);
	assert_false(analyse(w));
	assert_int_equal(w->e.code, ERR_TRACE);
	assert_string_equal(w->e.text, "a row counts no instance");
}

/* A table decides for the run, and records next to it are reported. */
static void test_records_with_a_table(void **state)
{
	struct world *w = *state;
	stat(w, "f", 0, 2, 100, 40, 60);
	trace_graph_add(&w->t, &(struct graph_row){ .dur_ns = 500000 });
	trace_copy_add(&w->t, &(struct copy_row){ .dur_ns = 7 });
	assert_true(analyse(w));
	assert_int_equal(w->p.content, CONTENT_STATISTICS);
	assert_int_equal(w->p.kernel_ns, 100);
	assert_int_equal(w->p.notes.count[NOTE_outside_table], 2);
}

/* Kernels take precedence over any table. */
static void test_kernels_with_a_table(void **state)
{
	struct world *w = *state;
	stat(w, "f", 0, 2, 100, 40, 60);
	trace_kernel_add(&w->t,
		&(struct kernel_row){ .dur_ns = 9, .name = name(w, "g") });
	assert_true(analyse(w));
	assert_int_equal(w->p.content, CONTENT_LAUNCHES);
	assert_int_equal(w->p.kernel_ns, 9);
	assert_int_equal(w->p.notes.count[NOTE_outside_table], 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, stop)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_values_as_written),
		TEST(test_grids_alone),
		TEST(test_both_tables),
		TEST(test_impossible),
		TEST(test_records_with_a_table),
		TEST(test_kernels_with_a_table),
		TEST(test_pattern_devices),
		TEST(test_pattern_anchors),
		TEST(test_pattern_without_instance),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
