/* db_fleet_device.c - tests which runs have a known GPU, and which shapes of them are
 * compared between GPUs. */
#include "fleets.h"
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

/* A run with one device, whose columns `set` sets. */
static int64_t run_on(struct db *db, struct arena *a, const char *project,
	const char *set)
{
	int64_t run = stored(db, project, "w", "H20", 1, 20000);
	fixture_script(db,
		arena_printf(a,
			"DELETE FROM run_device WHERE run_id = %lld "
			"AND number > 0;"
			"UPDATE run SET host = 'node7' WHERE run_id = %lld;"
			"UPDATE run_device SET uuid = NULL, bus_id = NULL, "
			"throttled_pct = NULL "
			"WHERE run_id = %lld;"
			"UPDATE run_device SET %s WHERE run_id = %lld",
			(long long)run, (long long)run, (long long)run, set,
			(long long)run));
	return run;
}

static void gpus_and_shapes_of_runs(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	struct fleet_devices of;
	int64_t second = run_on(db, &a, "p", "uuid = 'b', bus_id = '1'"),
		bus = run_on(db, &a, "p", "bus_id = '0000:57:00.0'"),
		none = run_on(db, &a, "p", "name = 'H20'"),
		first = run_on(db, &a, "p",
			"uuid = 'a', sm_clock_mhz = 1500, throttled_pct = 0"),
		several = stored(db, "p", "w", "H20", 1, 20000);
	run_on(db, &a, "q", "uuid = 'a'");
	works(query_fleet_devices(db, &a,
		&(struct fleet_filter){ .project = "p",
			.since = NO_MOMENT,
			.until = NO_MOMENT },
		&of, &e));
	assert_int_equal(of.runs_n, 5);
	assert_int_equal(of.known_n, 3);
	assert_false(of.more);
	const struct fleet_device_run *r = of.runs;
	assert_int_equal(r[0].run, first);
	/* the model of an unknown platform is its device */
	assert_non_null(strstr(r[0].model, r[0].name));
	assert_string_equal(r[0].gpu, "a");
	assert_true(r[0].sm_clock_mhz == 1500 && r[0].throttled_pct == 0);
	assert_int_equal(r[1].run, second);
	assert_true(isnan(r[1].throttled_pct));
	assert_int_equal(r[2].run, bus);
	assert_string_equal(r[2].gpu, "node7 0000:57:00.0");
	assert_string_equal(r[2].host, "node7");
	assert_int_equal(r[3].run, none);
	assert_int_equal(r[3].devices, 1);
	assert_int_equal(r[4].run, several);
	assert_int_equal(r[4].devices, 2);
	assert_null(r[4].gpu);

	/* Each run has the same shapes: those with sizes and a median. */
	assert_true(of.shapes_n > 0 && of.shapes_n % 3 == 0);
	for (uint32_t i = 0; i < of.shapes_n; i++) {
		const struct fleet_device_shape *s = &of.shapes[i];
		assert_int_equal(s->run, i / (of.shapes_n / 3));
		assert_true(s->median_ns > 0 && s->shape > 0 && *s->op);
	}
	arena_release(&a);
}

/* A host without a name does not identify a PCI address. */
static void a_nameless_host(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	struct fleet_devices of;
	run_on(db, &a, "nameless", "bus_id = '0000:57:00.0'");
	fixture_script(db, "UPDATE run SET host = NULL");
	works(query_fleet_devices(db, &a,
		&(struct fleet_filter){ .project = "nameless",
			.since = NO_MOMENT,
			.until = NO_MOMENT },
		&of, &e));
	assert_int_equal(of.runs_n, 1);
	assert_int_equal(of.known_n, 0);
	assert_int_equal(of.shapes_n, 0);
	arena_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gpus_and_shapes_of_runs),
		cmocka_unit_test(a_nameless_host),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
