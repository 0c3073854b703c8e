/* test_importance_interval.c - compares intervals with individual draws. */
#include "fleet_importance.h"
#include "xoshiro.h"
#include <stdlib.h>

/* Twelve workloads with two operators; the second is in only two of them. */
enum { K = 12 };

static void many(struct world_run runs[K])
{
	static const char *const names[K] = { "a", "b", "c", "d", "e", "f", "g",
		"h", "i", "j", "k", "l" };
	for (int i = 0; i < K; i++) {
		double s = 1 + i * i % 7;
		runs[i] =
			(struct world_run){ "p", names[i], "H20", 1 + i % 3, 20,
				{ { .op = "gemm", .dtype = DTYPE_BF16, .s = s },
					{ .op = "rms_norm",
						.dtype = DTYPE_BF16,
						.s = 2 } },
				i < 2 ? 2 : 1 };
	}
}

static int by_value(const void *x, const void *y)
{
	const double *a = x, *b = y;
	return (*a > *b) - (*a < *b);
}

/* Sorted individual draws of operator o over the twelve workloads. */
static void naive(const struct world_run *runs, int o,
	enum importance_weight weight, double *low, double *high)
{
	static double v[IMPORTANCE_DRAWS];
	struct xoshiro r;
	xoshiro_init(&r, 1);
	for (int d = 0; d < IMPORTANCE_DRAWS; d++) {
		double part = 0, whole = 0;
		for (int k = 0; k < K; k++) {
			const struct world_run *w = &runs[xoshiro_below(&r, K)];
			double s = o < w->n ? w->uses[o].s : 0;
			part += weight == WEIGHT_TIME ? w->hours * s
						      : s / w->gpu_s;
			whole += weight == WEIGHT_TIME ? w->hours * w->gpu_s
				 : weight == WEIGHT_MEAN || o < w->n ? 1
								     : 0;
		}
		v[d] = part / whole;
	}
	qsort(v, IMPORTANCE_DRAWS, sizeof *v, by_value);
	/* 0.025 * 999 = 24.975, 0.975 * 999 = 974.025 */
	*low = v[24] + 0.975 * (v[25] - v[24]);
	*high = v[974] + 0.025 * (v[975] - v[974]);
}

static void intervals(void **state)
{
	struct arena a = { 0 };
	struct world_run runs[K];
	struct fleet_cell cells[K];
	struct fleet_row rows[2 * K];
	double low, high;
	(void)state;
	many(runs);
	struct fleet f = world_fleet(runs, K, cells, rows);
	for (int w = WEIGHT_TIME; w <= WEIGHT_MEAN; w++) {
		struct importance out =
			fleet_importance(&f, (enum importance_weight)w, &a);
		assert_null(out.interval_why);
		assert_int_equal(out.clusters, K);
		for (int o = 0; o < 2; o++) {
			const struct importance_row *is =
				row(&out, o ? "rms_norm" : "gemm");
			naive(runs, o, (enum importance_weight)w, &low, &high);
			near(is->low, low);
			near(is->high, high);
			assert_true(is->low <= is->importance &&
				    is->importance <= is->high);
		}
	}
	/* Few draws contain an operator that is in few workloads, so it has no
	 * interval. */
	struct importance out = fleet_importance(&f, WEIGHT_PRESENT, &a);
	naive(runs, 0, WEIGHT_PRESENT, &low, &high);
	near(row(&out, "gemm")->low, low);
	near(row(&out, "gemm")->high, high);
	assert_true(isnan(row(&out, "rms_norm")->low));
	assert_true(isnan(row(&out, "rms_norm")->high));
	/* With energy that is g t, the intervals are those of time. */
	for (uint32_t i = 0; i < f.cells_n; i++)
		f.cells[i].energy_kwh = f.cells[i].weighted_s;
	for (uint32_t i = 0; i < f.rows_n; i++)
		f.rows[i].energy_kwh = f.rows[i].weighted_s;
	out = fleet_importance(&f, WEIGHT_ENERGY, &a);
	for (int o = 0; o < 2; o++) {
		naive(runs, o, WEIGHT_TIME, &low, &high);
		near(row(&out, o ? "rms_norm" : "gemm")->low, low);
		near(row(&out, o ? "rms_norm" : "gemm")->high, high);
	}
	arena_release(&a);
}

/* Two projects may use one name for different things. */
static void workloads_are_of_a_project(void **state)
{
	struct arena a = { 0 };
	struct world_run runs[K];
	struct fleet_cell cells[K];
	struct fleet_row rows[2 * K];
	(void)state;
	many(runs);
	runs[1].workload = "a";
	runs[2].workload = "a";
	runs[2].project = "q";
	struct fleet f = world_fleet(runs, K, cells, rows);
	assert_int_equal(fleet_importance(&f, WEIGHT_TIME, &a).clusters, K - 1);
	arena_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(intervals),
		cmocka_unit_test(workloads_are_of_a_project),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
