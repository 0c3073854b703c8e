/* db_rollup.c - tests that deleting runs subtracts exactly what they added to
 * the sums, and that only one process folds at a time. */
#include "fleets.h"
#include "query_fleet.h"
#include "run_change.h"
#include "upload.h"

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

/* All rollups are empty. */
static void all_gone(struct db *db)
{
	struct arena a = { 0 };
	assert_string_equal(same_fleet(db, &a, any), "");
	folded(db);
	assert_string_equal(same_fleet(db, &a, any), "");
	assert_int_equal(fixture_count(db,
				 "SELECT (SELECT count(*) FROM rollup_cell) + "
				 "(SELECT count(*) FROM rollup_shape) + "
				 "(SELECT count(*) FROM rollup_seen) + "
				 "(SELECT count(*) FROM rollup_kernel) + "
				 "(SELECT count(*) FROM rollup_delta) + "
				 "(SELECT count(*) FROM rollup_delta_kernel)"),
		0);
	arena_release(&a);
}

static void a_deleted_run_is_subtracted(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	int64_t one = stored(db, "p", "w", "H20", 1, 20000);
	const char *alone = same_fleet(db, &a, any);
	int64_t two = stored(db, "p", "w", "H20", 3, 20001);
	folded(db);
	works(run_delete(db, two, &e));
	assert_string_equal(same_fleet(db, &a, any), alone);
	folded(db);
	assert_string_equal(same_fleet(db, &a, any), alone);
	works(run_delete(db, one, &e));
	all_gone(db);
	arena_release(&a);
}

static void a_moved_run_moves_its_sums(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	int64_t run = stored(db, "p", "w", "H20", 1, 20000);
	struct run_change c = { .name = "x" };
	works(run_change(db, run, &c, &e));
	assert_int_equal(fixture_count(db, "SELECT count(*) FROM rollup_delta"),
		1);
	folded(db);
	c = (struct run_change){ .project = "q" };
	works(run_change(db, run, &c, &e));
	assert_int_equal(strncmp(same_fleet(db, &a, any), "q/w/", 4), 0);
	folded(db);
	assert_int_equal(strncmp(same_fleet(db, &a, any), "q/w/", 4), 0);
	c = (struct run_change){ .workload = "v" };
	works(run_change(db, run, &c, &e));
	assert_int_equal(strncmp(same_fleet(db, &a, any), "q/v/", 4), 0);
	works(run_delete(db, run, &e));
	all_gone(db);
	arena_release(&a);
}

/* With other figures the second time. */
static void a_rebuilt_run_replaces_its_sums(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	struct profile p = operator_fixture_profile(&a);
	int64_t queued, upload = fixture_save(db, "1", &p, 1);
	const char *before = same_fleet(db, &a, any);
	folded(db);
	for (int i = 0; i < 3; i++) {
		works(upload_requeue_all(db, &queued, &e));
		struct claim c = fixture_claim(db, upload);
		p.operators.rows[0].total_ns = i == 1 ? 400 : 300;
		p.operators.platform = i == 1 ? "H100" : "H20";
		works(save(db, &c, &p, 1, NULL, &e));
		const char *now = same_fleet(db, &a, any);
		assert_int_equal(strcmp(now, before) == 0, i != 1);
		if (i)
			folded(db);
		assert_string_equal(same_fleet(db, &a, any), now);
	}
	/* A rebuild that no longer finds any operators. */
	works(upload_requeue_all(db, &queued, &e));
	struct claim c = fixture_claim(db, upload);
	p.operators = (struct operators){ 0 };
	works(save(db, &c, &p, 1, NULL, &e));
	struct fleet f;
	works(query_fleet(db, &a, &any, &f, &e));
	assert_int_equal(f.excluded, 0);
	fixture_script(db, "UPDATE run SET analysis_version = 3");
	works(query_fleet(db, &a, &any, &f, &e));
	assert_int_equal(f.excluded, 1);
	all_gone(db);
	arena_release(&a);
}

/* No sum contains it, even after a rebuild, until its names are correct. */
static void a_run_whose_names_lag_is_excluded(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	struct fleet_filter labelled = any;
	struct profile p = operator_fixture_profile(&a);
	struct fleet f;
	int64_t queued;
	p.notes.count[NOTE_names_lag] = 68;
	int64_t upload = fixture_save(db, "1", &p, 1);
	int64_t run = *fixture_runs(db, &a, upload, 1);
	assert_string_equal(same_fleet(db, &a, any), "");
	works(query_fleet(db, &a, &any, &f, &e));
	assert_int_equal(f.left_out, 1);
	assert_int_equal(f.excluded, 0);
	labelled.labels = "{}";
	works(query_fleet(db, &a, &labelled, &f, &e));
	assert_int_equal(f.left_out, 1);
	assert_int_equal(f.cells_n, 0);
	struct run_change c = { .project = "q" };
	works(run_change(db, run, &c, &e));
	all_gone(db);
	for (int i = 0; i < 2; i++) {
		works(upload_requeue_all(db, &queued, &e));
		struct claim claim = fixture_claim(db, upload);
		p.notes.count[NOTE_names_lag] = i ? 68 : 0;
		works(save(db, &claim, &p, 1, NULL, &e));
		works(query_fleet(db, &a, &any, &f, &e));
		assert_int_equal(f.left_out, i);
		assert_int_equal(f.cells_n, !i);
		if (!i)
			folded(db);
	}
	works(run_delete(db, run, &e));
	all_gone(db);
	arena_release(&a);
}

/* In its sums, and in its shapes. */
static void a_damaged_delta_is_stepped_over(void **state)
{
	static const char *const damage[] = { "sums = '\\x0501'",
		"shapes = substring(shapes FROM 1 FOR 40)",
		"sums = sums || '\\x00'" };
	struct db *db = *state;
	struct arena a = { 0 };
	stored(db, "p", "w", "H20", 1, 20000);
	for (int i = 0; i < 3; i++) {
		const char *before = fleet(db, &a, any);
		int64_t bad = stored(db, "p", "v", "H20", 3, 20001);
		fixture_script(db,
			arena_printf(&a,
				"UPDATE rollup_delta SET %s WHERE run_id = "
				"%lld",
				damage[i], (long long)bad));
		stored(db, "q", "w", "H20", 1, 20002);
		folded(db);
		const char *after = fleet(db, &a, any);
		assert_int_equal(strncmp(after, "p/w/", 4), 0);
		assert_null(strstr(after, "p/v/"));
		assert_string_not_equal(after, before);
	}
	arena_release(&a);
}

static void one_folds_at_a_time(void **state)
{
	struct db *db = *state, *other = fixture_connect("");
	int64_t n;
	bool left;
	stored(db, "p", "w", "H20", 1, 20000);
	fixture_script(other,
		"BEGIN; SELECT pg_advisory_xact_lock(7236284921357812)");
	refuses(rollup_fold(db, 1, &n, &left, &e), ERR_BUSY,
		"another process folds the sums");
	fixture_script(other, "ROLLBACK");
	works(rollup_fold(db, 1, &n, &left, &e));
	assert_int_equal(n, 2);
	assert_false(left);
	db_free(other);
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest cases[] = {
		CASE(a_deleted_run_is_subtracted),
		CASE(a_moved_run_moves_its_sums),
		CASE(a_rebuilt_run_replaces_its_sums),
		CASE(a_run_whose_names_lag_is_excluded),
		CASE(a_damaged_delta_is_stepped_over),
		CASE(one_folds_at_a_time),
	};
	return cmocka_run_group_tests(cases, NULL, NULL);
}
