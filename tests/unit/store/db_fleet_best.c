/* db_fleet_best.c - tests when fleet-bests are computed, over which runs, and
 * what readers of one project see. */
#include "fleet_best.h"
#include "fleets.h"
#include "run_change.h"

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

/* Each run has one call of a gemm with S = 100.25 / 200, one with S = 50.25 /
 * 100, and one with S > 1 in the size class of the latter. Returns the last
 * run. */
static int64_t runs_made(struct db *db, const char *project, int n)
{
	int64_t run = 0;
	for (int i = 0; i < n; i++)
		run = stored(db, project, "w", "H20", 1, 20000);
	return run;
}

static void computed(struct db *db)
{
	bool left = true;
	folded(db);
	while (left)
		works(fleet_best_refresh(db, 1, &left, &e));
}

static struct fleet_bests bests(struct db *db, struct arena *a,
	const char *project)
{
	struct fleet_bests all;
	works(fleet_best_read(db, a, project, NULL, &all, &e));
	return all;
}

static void it_takes_20_calls(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	struct fleet_bests all;
	int64_t run = runs_made(db, "p", 19);
	computed(db);
	assert_int_equal(bests(db, &a, NULL).n, 0);
	runs_made(db, "q", 1);
	computed(db);
	all = bests(db, &a, NULL);
	assert_int_equal(all.n, 2);
	for (uint32_t i = 0; i < all.n; i++) {
		const struct fleet_best *b = &all.rows[i];
		bool compute = b->leg == LEG_COMPUTE;
		assert_string_equal(b->platform, "H20");
		assert_string_equal(b->op, "gemm");
		assert_int_equal(b->dtype, DTYPE_BF16);
		/* W = 7952400387, Q = 37437440 */
		assert_int_equal(b->size_class, compute ? 32 : 25);
		near(b->s, compute ? 0.50125 : 0.5025, 1e-15);
		/* all are equal, so it is the 19th of 20 */
		assert_int_equal(b->run, run);
	}
	assert_int_equal(bests(db, &a, "p").n, 0);
	assert_int_equal(bests(db, &a, "q").n, 0);
	works(fleet_best_read(db, &a, NULL, "A100", &all, &e));
	assert_int_equal(all.n, 0);
	arena_release(&a);
}

/* S at the recorded clock is twice as high, and is no best of the others. */
static void runs_with_a_clock_change_no_best(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	struct fleet_bests all;
	runs_made(db, "p", 10);
	for (int i = 0; i < 10; i++)
		stored_at_clock(db, "p", "w", "H20", 1, 20000, 1500);
	computed(db);
	all = bests(db, &a, NULL);
	assert_int_equal(all.n, 2);
	for (uint32_t i = 0; i < all.n; i++)
		near(all.rows[i].s,
			all.rows[i].leg == LEG_COMPUTE ? 0.50125 : 0.5025,
			1e-15);
	arena_release(&a);
}

static void a_reader_of_a_project_sees_its_runs_only(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	int64_t p = runs_made(db, "p", 20), q = runs_made(db, "q", 20);
	computed(db);
	assert_int_equal(bests(db, &a, "p").n, 2);
	assert_true(bests(db, &a, "p").rows[0].run < p);
	assert_int_equal(bests(db, &a, "q").n, 2);
	assert_true(bests(db, &a, "q").rows[0].run > p);
	assert_true(bests(db, &a, NULL).rows[0].run > p);
	assert_true(bests(db, &a, NULL).rows[0].run < q);
	arena_release(&a);
}

/* In a fleet of 40 runs one change does not make a value due, two do. */
static void values_are_computed_again_after_one_change_in_20(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	runs_made(db, "p", 40);
	computed(db);
	int64_t run = bests(db, &a, NULL).rows[0].run;
	works(run_delete(db, run, &e));
	computed(db);
	assert_int_equal(bests(db, &a, NULL).n, 2);
	assert_int_equal(bests(db, &a, NULL).rows[0].run, 0);
	runs_made(db, "p", 1);
	computed(db);
	assert_int_equal(bests(db, &a, NULL).n, 2);
	assert_true(bests(db, &a, NULL).rows[0].run > 0);
	assert_true(bests(db, &a, NULL).rows[0].run != run);
	arena_release(&a);
}

/* A100 comes before H20 by name. */
static void a_value_that_fails_does_not_stop_the_others(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	struct fleet_bests all;
	struct err failed = { 0 };
	bool left;
	for (int i = 0; i < 20; i++)
		stored(db, "p", "w", "A100", 1, 20000);
	runs_made(db, "p", 20);
	folded(db);
	fixture_script(db, "ALTER TABLE fleet_best ADD CONSTRAINT refused "
			   "CHECK (platform <> 'A100')");
	assert_false(fleet_best_refresh(db, 64, &left, &failed));
	assert_non_null(strstr(failed.text, "A100 gemm bf16: "));
	all = bests(db, &a, NULL);
	assert_int_equal(all.n, 2);
	assert_string_equal(all.rows[0].platform, "H20");
	fixture_script(db, "ALTER TABLE fleet_best DROP CONSTRAINT refused");
	computed(db);
	assert_int_equal(bests(db, &a, NULL).n, 4);
	arena_release(&a);
}

static void shapes_with_a_bound_are_listed(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	struct bound_shape *rows;
	struct fleet_shape *shapes;
	struct fleet_best best = { .op = "other" };
	const struct fleet_bests all = { &best, 1 };
	uint32_t n;
	int64_t run = runs_made(db, "p", 1);
	works(query_bound_shapes(db, &a, run, &rows, &n, &e));
	assert_int_equal(n, 3);
	assert_int_equal(rows[0].size_class, 32);
	assert_int_equal(rows[0].total_ns, 200);
	near(rows[0].s, 0.50125, 1e-15);
	assert_int_equal(rows[2].operator_, 1);
	assert_int_equal(rows[2].leg, LEG_MEMORY);
	near(rows[2].s, 1.2, 1e-15);
	works(query_fleet_bounds(db, &a, &any, &all, &shapes, &n, &e));
	assert_int_equal(n, 0);
	best.op = "gemm";
	works(query_fleet_bounds(db, &a, &any, &all, &shapes, &n, &e));
	assert_int_equal(n, 3);
	for (uint32_t i = 0; i < n; i++)
		assert_string_equal(shapes[i].op, "gemm");
	arena_release(&a);
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest cases[] = {
		CASE(it_takes_20_calls),
		CASE(runs_with_a_clock_change_no_best),
		CASE(a_reader_of_a_project_sees_its_runs_only),
		CASE(values_are_computed_again_after_one_change_in_20),
		CASE(a_value_that_fails_does_not_stop_the_others),
		CASE(shapes_with_a_bound_are_listed),
	};
	return cmocka_run_group_tests(cases, NULL, NULL);
}
