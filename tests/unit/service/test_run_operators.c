/* test_run_operators.c - tests the reachable headroom of a run's operators, and the
 * utilization of their platform. */
#include "run_operators.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static struct fleet_best best[] = {
	{ "H20", "gemm", DTYPE_BF16, LEG_COMPUTE, 31, 0.5, 7 },
	{ "H20", "gemm", DTYPE_BF16, LEG_MEMORY, 20, 0.25, 8 },
	{ "H20", "collective", DTYPE_BF16, LEG_LINK, 20, 0.25, 9 },
};
static struct fleet_bests bests = { best, 3 };
static struct operator_stat rows[] = {
	{ .name = "gemm", .dtype = DTYPE_BF16, .bound_ns = 400 },
	{ .name = "collective", .dtype = DTYPE_BF16, .collective = true },
	{ .name = "gemm", .dtype = DTYPE_FP16 },
};
static const struct run_operators run = { .platform = "H20",
	.gpu_ns = 1000,
	.rows = rows,
	.n = 3 };
/* row, leg, size class, time, S */
static const struct bound_shape shapes[] = {
	{ 0, LEG_COMPUTE, 31, 101, 0.25 }, /* 50.5 */
	{ 0, LEG_COMPUTE, 31, 100, 0.75 }, /* better than the best: 0 */
	{ 0, LEG_MEMORY, 20, 100, 0.0625 }, /* 75 */
	{ 0, LEG_MEMORY, -1, 100, 0.0625 }, /* from before: unknown */
	{ 1, LEG_LINK, 20, 100, 0.0625 }, /* 75, waiting included */
	{ 2, LEG_COMPUTE, 31, 100, 0.25 }, /* no best of its type */
};

static void rows_add_up_what_their_shapes_would_save(void **state)
{
	struct arena a = { 0 };
	struct run_operators_table m = { .is = &run, .bests = &bests };
	(void)state;
	reachable_sort(&bests);
	const struct reachable_sum *sum =
		run_operators_reachable_from(&m, shapes, 6, &a);
	assert_true(sum[0].known == 301 && sum[0].saved == 51 + 75);
	assert_int_equal(sum[0].best->run, 8);
	assert_true(sum[1].known == 100 && sum[1].saved == 75);
	assert_int_equal(sum[1].best->run, 9);
	assert_true(sum[2].known == 0 && !sum[2].best);
	assert_int_equal(run_operators_reachable_ns(100, 0.25, sum[0].best), 0);
	assert_int_equal(run_operators_reachable_ns(99, 0.125, sum[0].best),
		50); /* 49.5 */
	assert_int_equal(run_operators_reachable_ns(100, 0.25, NULL), -1);
	m.bests = NULL;
	assert_null(run_operators_best(&m, &rows[0], LEG_COMPUTE, 31));
	arena_release(&a);
}

/* An H20 computes 148 bf16 and 44 fp32 operations per ps and moves 4 bytes per
 * ps. Two gemms of 1,480,000 bf16 and 440,000 fp32 operations (10 + 10 ns) and 8,000
 * bytes (2 ns), one of them in a kept iteration; the other one computes again what it
 * computed. A third one is of fp64, for which an H20 has no peak. Then the collective, and a gemm that moves 40,000 bytes (10 ns)
 * in no kept iteration. */
static struct costed_shape costed[] = {
	{ .operator_ = 0,
		.cost = { .flops = { [DTYPE_BF16] = 1480000,
				  [DTYPE_FP32] = 440000 },
			.read_bytes = 6000,
			.write_bytes = 2000 },
		.calls = 2,
		.total_ns = 300,
		.kept_calls = 1,
		.kept_ns = 100,
		.recomputed = { 1, 300 },
		.kept_recomputed = { 0, 75 } },
	{ .operator_ = 0,
		.cost = { .flops = { [DTYPE_FP64] = 1480000 } },
		.calls = 1,
		.total_ns = 100,
		.kept_calls = 1,
		.kept_ns = 100 },
	{ .operator_ = 2,
		.cost = { .read_bytes = 40000 },
		.calls = 1,
		.total_ns = 500,
		.kept_calls = 0,
		.kept_ns = 0 },
};
static struct operator_stat used[] = {
	{ .name = "gemm", .dtype = DTYPE_BF16, .total_ns = 400 },
	{ .name = "collective", .collective = true, .total_ns = 50 },
	{ .name = "gemm", .dtype = DTYPE_FP16, .total_ns = 500 },
	{ .name = NULL, .total_ns = 50 },
	{ .name = "memset", .total_ns = 0 },
};

static void is(const struct utilization *u, double mfu, double hfu, double mbu,
	double covered)
{
	assert_null(u->why);
	assert_null(run_operators_hfu_why(u));
	assert_true(fabs(run_operators_mfu(u) - mfu) < 1e-12);
	assert_true(fabs(run_operators_hfu(u) - hfu) < 1e-12);
	assert_true(fabs(run_operators_mbu(u) - mbu) < 1e-12);
	assert_true(fabs(run_operators_covered(u) - covered) < 1e-12);
}

static void is_unknown(const struct utilization *u, const char *why)
{
	assert_string_equal(u->why, why);
	assert_string_equal(run_operators_hfu_why(u), why);
	assert_true(isnan(run_operators_mfu(u)) &&
		    isnan(run_operators_hfu(u)) && isnan(run_operators_mbu(u)));
}

static void utilization_of_operators_and_of_the_run(void **state)
{
	struct arena a = { 0 };
	struct err e = { 0 };
	struct run_operators of = { .platform = "H20",
		.gpu_ns = 1000,
		.rows = used,
		.n = 5 };
	struct run_operators_table m = { .is = &of,
		.catalog = catalog_new(NULL, &e) };
	struct costed_shapes work = { .rows = costed,
		.n = 3,
		.devices = 2,
		.span_ns = 2000,
		.kept_ns = 500,
		.kept_gpu_ns = 250 };
	const struct run_utilization *use;
	(void)state;
	use = run_operators_utilization_from(&m, &work, &a);
	is(&use->rows[0], 20. / 400, 40. / 400, 4. / 400, 0.75);
	assert_true(run_operators_recompute_covered(&use->rows[0]) == 1);
	is_unknown(&use->rows[1],
		"a collective has neither operations nor memory traffic of its "
		"own");
	/* without operations, nothing can be computed again */
	is(&use->rows[2], 0, 0, 10. / 500, 1);
	assert_true(isnan(run_operators_recompute_covered(&use->rows[2])));
	is_unknown(&use->rows[3], "the work of none of its calls is known");
	assert_true(run_operators_covered(&use->rows[3]) == 0);
	is_unknown(&use->rows[4], "it took no time");
	assert_true(isnan(run_operators_covered(&use->rows[4])));
	/* both devices have 500 ns in which one known gemm ran for 100 of 250 */
	assert_true(use->kept);
	is(&use->whole, 20. / 1000, 20. / 1000, 2. / 1000, 0.4);
	assert_true(run_operators_recompute_covered(&use->whole) == 0.75);
	/* without kept iterations, all calls and the span */
	work.kept_ns = -1;
	use = run_operators_utilization_from(&m, &work, &a);
	assert_false(use->kept);
	is(&use->whole, 20. / 4000, 40. / 4000, 14. / 4000, 0.8);
	catalog_free((struct catalog *)m.catalog);
	arena_release(&a);
}

static void a_run_without_utilization_says_why(void **state)
{
	struct arena a = { 0 };
	struct err e = { 0 };
	struct run_operators of = { .platform = "H20",
		.gpu_ns = 1000,
		.rows = used,
		.n = 4 };
	struct run_operators_table m = { .is = &of,
		.catalog = catalog_new(NULL, &e) };
	struct costed_shapes work = { .rows = costed,
		.n = 3,
		.devices = 1,
		.span_ns = -1,
		.kept_ns = -1 };
	const struct run_utilization *use;
	(void)state;
	use = run_operators_utilization_from(&m, &work, &a);
	is_unknown(&use->whole,
		"the trace has no time from its first launch to its last");
	is(&use->rows[0], 20. / 400, 40. / 400, 4. / 400, 0.75);
	work.kept_ns = 500;
	work.kept_gpu_ns = -1;
	use = run_operators_utilization_from(&m, &work, &a);
	is_unknown(&use->whole,
		"the run was analyzed before the work of its iterations was "
		"stored; `kernsiftd rebuild` analyzes it again");
	assert_true(isnan(run_operators_covered(&use->whole)));
	of.platform = NULL;
	use = run_operators_utilization_from(&m, &work, &a);
	is_unknown(&use->whole, "the peaks of its platform are unknown");
	is_unknown(&use->rows[0], "the peaks of its platform are unknown");
	assert_true(run_operators_covered(&use->rows[0]) == 0);
	catalog_free((struct catalog *)m.catalog);
	arena_release(&a);
}

/* Without host operators, and in a run from before it was stored. */
static void without_known_repetition_mfu_contains_it(void **state)
{
	struct arena a = { 0 };
	struct err e = { 0 };
	struct run_operators of = { .platform = "H20",
		.gpu_ns = 1000,
		.rows = used,
		.n = 4 };
	struct run_operators_table m = { .is = &of,
		.catalog = catalog_new(NULL, &e) };
	struct costed_shape one = costed[0];
	struct costed_shapes work = { &one, 1, 1, 2000, -1, -1 };
	const struct run_utilization *use;
	(void)state;
	one.recomputed = (struct recomputed){ 0, 0 };
	use = run_operators_utilization_from(&m, &work, &a);
	assert_true(fabs(run_operators_mfu(&use->rows[0]) - 0.1) < 1e-12);
	assert_true(isnan(run_operators_hfu(&use->rows[0])));
	assert_string_equal(run_operators_hfu_why(&use->rows[0]),
		"nothing recorded shows which of its operations repeat earlier "
		"ones");
	assert_true(run_operators_recompute_covered(&use->rows[0]) == 0);
	one.recomputed = (struct recomputed){ -1, -1 };
	use = run_operators_utilization_from(&m, &work, &a);
	assert_true(fabs(run_operators_mfu(&use->rows[0]) - 0.1) < 1e-12);
	assert_true(isnan(run_operators_hfu(&use->rows[0])));
	assert_string_equal(run_operators_hfu_why(&use->rows[0]),
		"the run was analyzed before recomputed work was stored; "
		"`kernsiftd rebuild` analyzes it again");
	assert_true(isnan(run_operators_recompute_covered(&use->rows[0])));
	catalog_free((struct catalog *)m.catalog);
	arena_release(&a);
}

/* Per iteration of an H20: gemms of 1,480,000 bf16 and 440,000 fp32 operations
 * (10 + 10 ns) and 8,000 bytes (2 ns), memory traffic of 40,000 bytes (10 ns), fp64,
 * for which there is no peak, and calls of unknown work. The second iteration has
 * twice as many gemms, of which half are computed again, the third only calls of
 * unknown work, the fourth no call. */
static double gemm_flops[] = { 440000, 880000, 0, 0, 1480000, 2960000, 0, 0 };
static double again_flops[] = { 0, 440000, 0, 0, 0, 1480000, 0, 0 };
static double gemm_bytes[] = { 8000, 16000, 0, 0 };
static double moved_bytes[] = { 40000, 40000, 0, 0 }, no_flops[4];
static double fp64_flops[] = { 1e6, 0, 0, 0 }, no_bytes[4];
static int64_t gemm_ns[] = { 100, 200, 0, 0 }, moved_ns[] = { 20, 20, 0, 0 },
	       fp64_ns[] = { 40, 0, 0, 0 }, unknown_ns[] = { 40, 0, 70, 0 },
	       shown_ns[] = { 50, 200, 0, 0 }, no_ns[4];
static struct iteration_work iteration_work[] = {
	{ .time_ns = unknown_ns },
	{ true, 1 << DTYPE_FP32 | 1 << DTYPE_BF16, gemm_flops, gemm_bytes,
		gemm_ns, again_flops, shown_ns },
	{ true, 0, no_flops, moved_bytes, moved_ns, no_flops, no_ns },
	{ true, 1 << DTYPE_FP64, fp64_flops, no_bytes, fp64_ns, no_flops,
		no_ns },
};
static struct iteration lasted[] = { { .dur_ns = 200 }, { .dur_ns = 200 },
	{ .dur_ns = 200 }, { .dur_ns = 0 } };

static void utilization_of_iterations(void **state)
{
	struct arena a = { 0 };
	struct err e = { 0 };
	struct catalog *k = catalog_new(NULL, &e);
	const struct platform *h20 = catalog_platform(k, "H20");
	struct iteration_works work = { iteration_work, 4, 4, 2 };
	struct iterations page = { .iterations = lasted, .n = 4 };
	const struct utilization *u;
	(void)state;
	u = run_operators_utilization_iterations(h20, &work, &page, 0, &a);
	is(&u[0], 20. / 400, 20. / 400, 12. / 400, 0.6);
	assert_true(run_operators_recompute_covered(&u[0]) == 0.5);
	is(&u[1], 20. / 400, 40. / 400, 14. / 400, 1);
	is_unknown(&u[2], "the work of none of its calls is known");
	assert_true(run_operators_covered(&u[2]) == 0);
	is_unknown(&u[3], "it took no time");
	assert_true(isnan(run_operators_covered(&u[3])));
	/* a page that begins with the second iteration */
	page = (struct iterations){ .iterations = lasted + 1, .n = 1 };
	u = run_operators_utilization_iterations(h20, &work, &page, 1, &a);
	is(&u[0], 20. / 400, 40. / 400, 14. / 400, 1);
	/* as in a run from before migration 0036 */
	struct iteration_work before = iteration_work[1];
	before.recomputed_flops = NULL;
	before.recompute_known_ns = NULL;
	work = (struct iteration_works){ &before, 1, 4, 2 };
	u = run_operators_utilization_iterations(h20, &work, &page, 1, &a);
	assert_true(fabs(run_operators_mfu(&u[0]) - 40. / 400) < 1e-12);
	assert_true(isnan(run_operators_hfu(&u[0])));
	catalog_free(k);
	arena_release(&a);
}

static void an_iteration_without_utilization_says_why(void **state)
{
	struct arena a = { 0 };
	struct err e = { 0 };
	struct catalog *k = catalog_new(NULL, &e);
	const struct platform *h20 = catalog_platform(k, "H20");
	struct iteration_works work = { .iterations_n = 4, .devices = 2 };
	struct iterations page = { .iterations = lasted, .n = 1 };
	const struct utilization *u;
	(void)state;
	u = run_operators_utilization_iterations(h20, &work, &page, 0, &a);
	is_unknown(&u[0],
		"the run was analyzed before the work of its iterations was "
		"stored; `kernsiftd rebuild` analyzes it again");
	assert_true(isnan(run_operators_covered(&u[0])));
	u = run_operators_utilization_iterations(h20, NULL, &page, 0, &a);
	is_unknown(&u[0],
		"work is stored only for the iterations that were found when "
		"the run was analyzed");
	work = (struct iteration_works){ iteration_work, 4, 4, 2 };
	u = run_operators_utilization_iterations(NULL, &work, &page, 0, &a);
	is_unknown(&u[0], "the peaks of its platform are unknown");
	assert_true(run_operators_covered(&u[0]) == 0);
	catalog_free(k);
	arena_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_add_up_what_their_shapes_would_save),
		cmocka_unit_test(utilization_of_operators_and_of_the_run),
		cmocka_unit_test(a_run_without_utilization_says_why),
		cmocka_unit_test(without_known_repetition_mfu_contains_it),
		cmocka_unit_test(utilization_of_iterations),
		cmocka_unit_test(an_iteration_without_utilization_says_why),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
