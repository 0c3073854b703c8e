/* db_fleet_fusion.c - tests that pairs of operator calls are added up over runs
 * as they were saved. */
#include "derived.h"
#include "operator_fixture.h"
#include "query_fleet.h"

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

static const struct fleet_filter any = { .since = NO_MOMENT,
	.until = NO_MOMENT };

static void near(double got, double want)
{
	if (!(fabs(got - want) <= 1e-12 * fabs(want)))
		fail_msg("%.17g is not %.17g", got, want);
}

static const struct fusion_pair once = { .first = 1,
	.second = 3,
	.kind = "epilogue",
	.consumers = CONSUMERS_SECOND,
	.bytes = 1941504,
	.pairs = 3,
	.first_ns = 100,
	.second_ns = 60,
	.gap_ns = 7,
	.saved_ns = (double)NAN,
	.saved_error_ns = (double)NAN };

/* A run of the fixture, which has two devices with launches, takes 1,000 ns and
 * represents 2 hours: 0.001 hours per ns of a device. */
static int64_t stored(struct db *db, const char *name,
	const struct fusion_pair *pairs, uint32_t n, bool known)
{
	struct arena a = { 0 };
	struct upload_meta m = fixture_meta;
	struct profile p = operator_fixture_profile(&a);
	m.name = name;
	m.gpu_hours = 2;
	p.operators.fusions = arena_array(&a, struct fusion_pair, n + 1);
	if (n)
		memcpy(p.operators.fusions, pairs, n * sizeof *pairs);
	p.operators.fusions_n = n;
	p.operators.fusions_known = known;
	int64_t id = fixture_upload(db, &m, name).id;
	struct claim c = fixture_claim(db, id);
	works(save(db, &c, &p, 1, NULL, &e));
	int64_t run = *fixture_runs(db, &a, id, 1);
	arena_release(&a);
	return run;
}

static void pairs_of_two_runs_are_added_up(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	struct fleet_fusions f;
	struct fusion_pair longer = once, replayed = once;
	longer.second_ns = 1060;
	replayed.replayed = true;
	replayed.gap_ns = 0;
	const struct fusion_pair both[] = { longer, replayed };
	int64_t first = stored(db, "1", &once, 1, true);
	int64_t second = stored(db, "2", both, 2, true);
	works(query_fleet_fusions(db, &a, &any, &f, &e));
	assert_int_equal(f.runs, 2);
	assert_int_equal(f.unknown, 0);
	near(f.hours, 4);
	assert_int_equal(f.n, 1);
	const struct fleet_fusion *r = f.rows;
	assert_string_equal(r->kind, "epilogue");
	assert_string_equal(r->platform, "H20");
	assert_int_equal(r->consumers, CONSUMERS_SECOND);
	assert_int_equal(r->phase, PHASE_DECODE);
	assert_false(r->must_write);
	assert_int_equal(r->bytes, 1941504);
	assert_int_equal(r->pairs, 9);
	assert_int_equal(r->replayed, 3);
	assert_string_equal(r->first.op, "gemm");
	assert_string_equal(r->first.text, "m=1 n=4096 k=4096");
	assert_int_equal(r->first.dtype, DTYPE_BF16);
	assert_true(r->first.costed);
	assert_int_equal(r->first.cost.read_bytes, 35495936);
	assert_int_equal(r->first.cost.write_bytes, 1941504);
	assert_int_equal(r->first.cost.flops[DTYPE_BF16], 7952400384);
	assert_int_equal(r->first.cost.flops[DTYPE_FP32], 3);
	assert_int_equal(r->first.leg, LEG_MEMORY);
	assert_string_equal(r->second.op, "copy");
	assert_string_equal(r->second.text, "bytes=4096");
	assert_false(r->second.costed);
	assert_int_equal(r->second.leg, LEG_NONE);
	near(r->first.total_s, 300e-9);
	near(r->second.total_s, 1180e-9);
	near(r->gap_s, 14e-9);
	near(r->first.hours, 0.3);
	near(r->second.hours, 1.18);
	near(r->gap_hours, 0.014);
	assert_int_equal(r->runs_n, 2);
	assert_int_equal(r->runs[0], second);
	assert_int_equal(r->runs[1], first);
	arena_release(&a);
}

/* Pairs that differ in who reads the tensor, in whether it must be written, in
 * its size or in a shape. */
static void pairs_that_differ_are_apart(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	struct fleet_fusions f;
	struct fusion_pair all[5];
	for (int i = 0; i < 5; i++)
		all[i] = once;
	all[1].consumers = CONSUMERS_UNKNOWN;
	all[2].must_write = true;
	all[3].bytes = -1;
	all[4].first = 2;
	stored(db, "1", all, 5, true);
	works(query_fleet_fusions(db, &a, &any, &f, &e));
	assert_int_equal(f.n, 5);
	int64_t unknown = 0, prefill = 0;
	for (uint32_t i = 0; i < f.n; i++) {
		unknown += f.rows[i].bytes < 0;
		prefill += f.rows[i].phase == PHASE_PREFILL;
	}
	assert_int_equal(unknown, 1);
	assert_int_equal(prefill, 1);
	struct fleet_filter only = any;
	only.phase = PHASE_PREFILL;
	works(query_fleet_fusions(db, &a, &only, &f, &e));
	assert_int_equal(f.n, 1);
	only = any;
	only.dtype = DTYPE_FP32;
	works(query_fleet_fusions(db, &a, &only, &f, &e));
	assert_int_equal(f.n, 0);
	assert_int_equal(f.runs, 1);
	only = any;
	only.project = "other";
	works(query_fleet_fusions(db, &a, &only, &f, &e));
	assert_int_equal(f.n, 0);
	assert_int_equal(f.runs, 0);
	arena_release(&a);
}

/* A run without pairs, and one from before the migration. */
static void a_run_without_known_pairs_is_counted(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	struct fleet_fusions f;
	stored(db, "1", NULL, 0, true);
	stored(db, "2", NULL, 0, false);
	works(query_fleet_fusions(db, &a, &any, &f, &e));
	assert_int_equal(f.n, 0);
	assert_int_equal(f.runs, 2);
	assert_int_equal(f.unknown, 1);
	arena_release(&a);
}

static void a_deleted_run_leaves_no_pairs(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	int64_t run = stored(db, "1", &once, 1, true);
	assert_int_equal(fixture_count(db, "SELECT count(*) FROM run_fusion"),
		1);
	works(derived_clear(db, run, &e));
	assert_int_equal(fixture_count(db, "SELECT count(*) FROM run_fusion"),
		0);
	arena_release(&a);
}

/* Three whose consumers are known, and those whose consumers are not. What a pair
 * saves is unknown, or nothing. */
static void the_pairs_that_save_most_in_a_run(void **state)
{
	static const struct {
		enum fusion_consumers consumers;
		double saved_ns, error_ns;
	} rows[] = { { CONSUMERS_SECOND, 10, 1 }, { CONSUMERS_SECOND, 40, 2 },
		{ CONSUMERS_UNKNOWN, 90, (double)NAN },
		{ CONSUMERS_OTHERS, 50, 3 },
		{ CONSUMERS_SECOND, (double)NAN, (double)NAN },
		{ CONSUMERS_SECOND, 20, 4 }, { CONSUMERS_UNKNOWN, 0, 0 } };
	static const double want[] = { 50, 40, 20, 90 };
	enum { ROWS = sizeof rows / sizeof *rows };
	struct db *db = *state;
	struct arena a = { 0 };
	struct fusion_pair all[ROWS];
	struct iteration_sums sums;
	struct wait_times waits;
	struct kept_iterations kept;
	for (int i = 0; i < ROWS; i++) {
		all[i] = once;
		all[i].consumers = rows[i].consumers;
		all[i].saved_ns = rows[i].saved_ns;
		all[i].saved_error_ns = rows[i].error_ns;
	}
	all[2].bytes = -1;
	all[3].must_write = true;
	int64_t run = stored(db, "1", all, ROWS, true);
	works(query_waits(db, &a, run, &sums, &waits, &kept, &e));
	assert_int_equal(kept.fusions_n, 4);
	assert_null(kept.collective);
	for (int i = 0; i < 4; i++)
		near(kept.fusions[i].saved_ns, want[i]);
	const struct saved_fusion *f = kept.fusions;
	assert_string_equal(f->first, "gemm");
	assert_int_equal(f->first_dtype, DTYPE_BF16);
	assert_string_equal(f->first_shape, "m=1 n=4096 k=4096");
	assert_string_equal(f->second, "copy");
	assert_string_equal(f->second_shape, "bytes=4096");
	assert_int_equal(f->consumers, CONSUMERS_OTHERS);
	assert_true(f->must_write);
	assert_int_equal(f->bytes, 1941504);
	near(f->saved_error_ns, 3);
	assert_int_equal(f[3].consumers, CONSUMERS_UNKNOWN);
	assert_int_equal(f[3].bytes, -1);
	assert_true(isnan(f[3].saved_error_ns));
	arena_release(&a);
}

#define FUSION_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		FUSION_TEST(pairs_of_two_runs_are_added_up),
		FUSION_TEST(pairs_that_differ_are_apart),
		FUSION_TEST(a_run_without_known_pairs_is_counted),
		FUSION_TEST(a_deleted_run_leaves_no_pairs),
		FUSION_TEST(the_pairs_that_save_most_in_a_run),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
