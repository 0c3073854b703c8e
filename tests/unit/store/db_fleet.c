/* db_fleet.c - tests that sums over runs do not change when they are folded,
 * and that they equal sums of the runs themselves, for any filter and any
 * days. */
#include "fleets.h"
#include "query_fleet.h"
#include "rollup_code.h"
#include "rollup_delta.h"

static int setup(void **state)
{
	*state = fixture_db();
	return 0;
}

static int teardown(void **state)
{
	db_free(*state);
	return 0;
}

/* Two runs of 510 ns that represent 2 hours each. One has bounds at a recorded
 * clock, too, which are in no sum. */
static void sums_over_runs(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	struct fleet f;
	stored(db, "p", "w", "H20", 1, 20000);
	stored_at_clock(db, "p", "w", "H20", 1, 20001, 1500);
	works(query_fleet(db, &a, &any, &f, &e));
	assert_int_equal(f.cells_n, 1);
	assert_int_equal(f.rows_n, 4);
	assert_int_equal(f.excluded, 0);
	assert_string_equal(f.cells->project, "p");
	assert_string_equal(f.cells->workload, "w");
	assert_string_equal(f.cells->platform, "H20");
	assert_string_equal(f.cells->framework, "pytorch");
	assert_int_equal(f.cells->runs, 2);
	near(f.cells->weight, 4, 0);
	near(f.cells->total_s, 2 * 510e-9, 1e-20);
	near(f.cells->weighted_s, 2 * 2 * 510e-9, 1e-20);
	const struct fleet_row *gemm = NULL;
	int64_t runs = 0;
	for (uint32_t i = 0; i < f.rows_n; i++) {
		const struct fleet_row *r = &f.rows[i];
		if (!r->op || strcmp(r->op, "gemm") != 0)
			continue;
		runs += r->runs;
		if (r->phase == PHASE_DECODE)
			gemm = r;
	}
	/* A run has two rows each time and counts once. */
	assert_int_equal(runs, 2);
	assert_non_null(gemm);
	assert_int_equal(gemm->dtype, DTYPE_BF16);
	assert_int_equal(gemm->launches, 6);
	assert_int_equal(gemm->calls, 4);
	assert_int_equal(gemm->bound_calls, 4);
	near(gemm->total_s, 600e-9, 1e-20);
	/* 300/510, truncated at 1e-12 */
	near(gemm->share, 2 * 0.588235294117, 1e-15);
	near(gemm->weighted_s, 2 * 600e-9, 1e-20);
	near(gemm->sol_s, 2 * 2 * 150.5e-9, 1e-20);
	near(gemm->headroom_s, 2 * 280e-9, 1e-20);
	/* one call of each of its two shapes */
	near(gemm->flops, 2 * 2 * 2 * 7952400387.0, 1);
	near(gemm->bytes, 2 * 2 * 2 * 37437440.0, 1);
	arena_release(&a);
}

static void folding_changes_nothing(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	several(db);
	const char *before = same_fleet(db, &a, any);
	assert_int_equal(folded(db), 5 + 5);
	assert_int_equal(fixture_count(db, "SELECT count(*) FROM rollup_delta"),
		0);
	assert_string_equal(same_fleet(db, &a, any), before);
	stored(db, "p", "w", "H20", 13, 20001);
	before = same_fleet(db, &a, any);
	folded(db);
	assert_string_equal(same_fleet(db, &a, any), before);
	arena_release(&a);
}

static void every_filter_and_any_days(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	several(db);
	for (int pass = 0; pass < 2; pass++) {
		struct fleet_filter f = any;
		f.project = "p";
		assert_non_null(strstr(same_fleet(db, &a, f), "p/v//"));
		f.workload = "w";
		assert_null(strstr(same_fleet(db, &a, f), "p/v//"));
		f = any;
		f.platform = "H20";
		assert_null(strstr(same_fleet(db, &a, f), "H100"));
		f.platform = "";
		assert_non_null(strstr(same_fleet(db, &a, f), "p/v//"));
		f = any;
		f.framework = "vllm";
		assert_string_equal(same_fleet(db, &a, f), "");
		f = any;
		f.op = "gemm";
		same_fleet(db, &a, f);
		f.phase = PHASE_PREFILL;
		same_fleet(db, &a, f);
		f.dtype = DTYPE_BF16;
		assert_non_null(strstr(same_fleet(db, &a, f), "gemm"));
		f.phase = PHASE_UNKNOWN;
		same_fleet(db, &a, f);
		f.dtype = DTYPE_FP16;
		assert_null(strstr(same_fleet(db, &a, f), "gemm"));
		for (int from = 19997; from < 20210; from += 7)
			for (int to = from; to < 20210; to += 13) {
				f = any;
				f.since = from * INT64_C(86400000000) - 1;
				f.until = to * INT64_C(86400000000);
				same_fleet(db, &a, f);
				f.since = NO_MOMENT;
				same_fleet(db, &a, f);
			}
		f = any;
		f.since = 20001 * INT64_C(86400000000) + 1;
		assert_null(strstr(same_fleet(db, &a, f), "p/w"));
		folded(db);
	}
	arena_release(&a);
}

static void unattributed_kernels_of_all_runs(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	struct unattributed_line *rows;
	uint32_t n;
	several(db);
	for (int pass = 0; pass < 2; pass++) {
		works(query_unattributed(db, &a, 0, 10, &rows, &n, &e));
		assert_int_equal(n, 1);
		assert_string_equal(rows[0].name, "add");
		assert_int_equal(rows[0].runs, 5);
		assert_int_equal(rows[0].launches, 5);
		assert_int_equal(rows[0].total_ns, 250);
		folded(db);
	}
	arena_release(&a);
}

/* A set counts a run once, however many of its kernels the run has. */
static void runs_of_sets_of_unattributed_kernels(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	struct unattributed_line *rows;
	uint32_t n;
	int64_t runs[3] = { -1, -1, -1 };
	several(db);
	works(query_unattributed(db, &a, 0, 10, &rows, &n, &e));
	assert_int_equal(n, 1);
	const int64_t kernels[] = { rows[0].kernel, rows[0].kernel, -7 };
	const uint32_t set_of[] = { 0, 0, 2 };
	works(query_unattributed_runs(db, kernels, set_of, 3, runs, 3, &e));
	assert_int_equal(runs[0], 5);
	assert_int_equal(runs[1], 0);
	assert_int_equal(runs[2], 0);
	arena_release(&a);
}

static const char *fleet_cell_names(struct db *db, struct arena *a)
{
	struct fleet f;
	const char *names = "";
	works(query_fleet(db, a, &any, &f, &e));
	assert_true(f.cells_n > 2);
	for (uint32_t i = 0; i < f.cells_n; i++)
		names = arena_printf(a, "%s%s/%s/%s ", names,
			f.cells[i].project, f.cells[i].workload,
			f.cells[i].platform);
	return names;
}

/* The bootstrap of importance draws workloads by their number. */
static void cells_do_not_follow_the_order_of_rows(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	several(db);
	const char *want = fleet_cell_names(db, &a);
	for (int i = 0; i < 5; i++) {
		/* An updated row moves after the others. */
		fixture_script(db,
			"UPDATE rollup_delta SET day = day WHERE id = "
			"(SELECT id FROM rollup_delta ORDER BY ctid LIMIT 1)");
		assert_string_equal(fleet_cell_names(db, &a), want);
	}
	folded(db);
	assert_string_equal(fleet_cell_names(db, &a), want);
	arena_release(&a);
}

/* 9.5e15 ns are 9.5e18 ps, which exceeds 64 bits; 1e16 ns are not counted. */
static void the_longest_bound_is_counted(void **state)
{
	struct arena a = { 0 };
	struct ledger l = { .arena = &a };
	struct shape_stat s = { .call.instances = 2, .sol_ns = 9.5e15 };
	(void)state;
	rollup_delta_shape(&l, &s, 1, 1, true, 1);
	assert_true(ledger_sum(ledger_row(&l, 1), SHAPE_BOUND) == 2);
	assert_true(ledger_sum(ledger_row(&l, 1), SHAPE_SOL) ==
		    (int128)9500000000000000 * 1000 * 2);
	s.sol_ns = 1e16;
	rollup_delta_shape(&l, &s, 2, 1, true, 1);
	assert_true(ledger_sum(ledger_row(&l, 2), SHAPE_SOL) == 0);
	arena_release(&a);
}

/* A device that used `joules` in `ms`; NULL: unknown. */
static void powered(struct db *db, int64_t run, int device, const char *joules,
	int ms, const char *idle_w)
{
	char sql[600];
	snprintf(sql, sizeof sql,
		"INSERT INTO run_energy (run_id, device, counter, samples, "
		"ignored, gaps, first_iteration, iterations, span_ns, "
		"energy_j, low_j, high_j, reason, idle_w, idle_low_w, "
		"idle_high_w) SELECT %lld, %d, 'gpu_power_mean', 9, 0, 0, 0, "
		"CASE WHEN j IS NULL THEN 0 ELSE 2 END, "
		"CASE WHEN j IS NULL THEN NULL ELSE %d * 1000000 END, j, j, j, "
		"CASE WHEN j IS NULL THEN 'x' END, w, w, w "
		"FROM (SELECT %s::float8 AS j, %s::float8 AS w) v",
		(long long)run, device, ms, joules, idle_w);
	fixture_script(db, sql);
}

static void divided(struct db *db, int64_t run, int device, int rank,
	const char *joules)
{
	char sql[400];
	snprintf(sql, sizeof sql,
		"INSERT INTO run_energy_operator SELECT run_id, %d, rank, "
		"operator, dtype, phase, total_ns, j, j, j, "
		"CASE WHEN j IS NULL THEN 'x' END "
		"FROM run_operator, (SELECT %s::float8 AS j) v "
		"WHERE run_id = %lld AND rank = %d",
		device, joules, (long long)run, rank);
	fixture_script(db, sql);
}

static double energy_of(const struct fleet *f, const char *workload,
	const char *op, enum phase phase)
{
	for (uint32_t i = 0; i < f->rows_n; i++) {
		const struct fleet_row *r = &f->rows[i];
		if (!strcmp(f->cells[r->cell].workload, workload) &&
			!strcmp(r->op ? r->op : "", op) && r->phase == phase)
			return r->energy_kwh;
	}
	fail_msg("%s has no %s", workload, op);
	return NAN;
}

/* Runs of two hours, in which gemm has 300 and 100 of 510 ns, copies have 60 and the
 * unattributed time is 50. */
static void energy_of_runs(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	struct fleet_filter filter = any;
	struct fleet f;
	/* 51 W, by time */
	powered(db, stored(db, "p", "time", "H20", 1, 20000), 0, "102", 2000,
		"NULL");
	/* Two GPUs of 55.5 W each. Of 111 J, 51 J are idle energy, 19 J that of
	 * gemm in prefill, and 41 J are left for 410 ns: gemm in decode is
	 * unknown on the second GPU. */
	int64_t fit = stored(db, "p", "fit", "H20", 1, 20001);
	powered(db, fit, 0, "60", 1000, "25.5");
	powered(db, fit, 1, "51", 1000, "25.5");
	divided(db, fit, 0, 0, "20");
	divided(db, fit, 1, 0, "NULL");
	divided(db, fit, 0, 1, "10");
	divided(db, fit, 1, 1, "9");
	/* More than was measured: 51 J idle and 20 J of 60 J. */
	int64_t over = stored(db, "p", "over", "H20", 1, 20002);
	powered(db, over, 0, "60", 1000, "51");
	divided(db, over, 0, 0, "20");
	/* One of two GPUs is unknown; no GPU is known. */
	int64_t half = stored(db, "p", "half", "H20", 1, 20003);
	powered(db, half, 0, "60", 1000, "NULL");
	powered(db, half, 1, "NULL", 1000, "NULL");
	stored(db, "p", "none", "H20", 1, 20004);

	filter.energy = true;
	works(query_fleet(db, &a, &filter, &f, &e));
	assert_int_equal(f.cells_n, 3);
	assert_int_equal(f.energy_unknown, 2);
	assert_int_equal(f.split_by_time, 1);
	for (uint32_t i = 0; i < f.cells_n; i++)
		near(f.cells[i].energy_kwh,
			!strcmp(f.cells[i].workload, "time")  ? 0.102
			: !strcmp(f.cells[i].workload, "fit") ? 0.111
							      : 0.120,
			1e-15);
	near(energy_of(&f, "time", "gemm", PHASE_DECODE), 0.060, 1e-15);
	near(energy_of(&f, "time", "gemm", PHASE_PREFILL), 0.020, 1e-15);
	near(energy_of(&f, "time", "copy", PHASE_UNKNOWN), 0.012, 1e-15);
	near(energy_of(&f, "time", "", PHASE_UNKNOWN), 0.010, 1e-15);
	near(energy_of(&f, "fit", "gemm", PHASE_DECODE), 0.060, 1e-15);
	near(energy_of(&f, "fit", "gemm", PHASE_PREFILL), 0.029, 1e-15);
	near(energy_of(&f, "fit", "copy", PHASE_UNKNOWN), 0.012, 1e-15);
	near(energy_of(&f, "fit", "", PHASE_UNKNOWN), 0.010, 1e-15);
	near(energy_of(&f, "over", "gemm", PHASE_DECODE), 0.120 * 50 / 71,
		1e-14);
	near(energy_of(&f, "over", "gemm", PHASE_PREFILL), 0.120 * 10 / 71,
		1e-14);

	/* Parts are those of all operators, also if some are not selected. */
	filter.phase = PHASE_PREFILL;
	filter.workload = "fit";
	works(query_fleet(db, &a, &filter, &f, &e));
	assert_int_equal(f.rows_n, 1);
	near(f.rows[0].energy_kwh, 0.029, 1e-15);
	near(f.cells[0].energy_kwh, 0.111, 1e-15);
	assert_int_equal(f.energy_unknown, 0);
	filter.workload = "none";
	works(query_fleet(db, &a, &filter, &f, &e));
	assert_int_equal(f.cells_n, 0);
	assert_int_equal(f.energy_unknown, 1);
	arena_release(&a);
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest cases[] = {
		CASE(sums_over_runs),
		CASE(folding_changes_nothing),
		CASE(every_filter_and_any_days),
		CASE(unattributed_kernels_of_all_runs),
		CASE(runs_of_sets_of_unattributed_kernels),
		CASE(energy_of_runs),
		CASE(cells_do_not_follow_the_order_of_rows),
		cmocka_unit_test(the_longest_bound_is_counted),
	};
	return cmocka_run_group_tests(cases, NULL, NULL);
}
