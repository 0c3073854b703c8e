/* db_fleet_device.c - tests which runs have a known GPU, and which shapes of them are
 * compared between GPUs. */
#include "fleets.h"
#include "derived.h"
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

/* A run of the fixture on its two devices, as if a new server had analyzed it:
 * the first has a UUID, the second only a number. */
static int64_t run_on_both(struct db *db)
{
	struct arena a = { 0 };
	struct upload_meta m = fixture_meta;
	struct profile p = operator_fixture_profile(&a);
	struct device_shape times[] = { { 0, 0, 1, 110 }, { 0, 1, 2, 50 },
		{ 1, 0, 3, 120 } };
	m.project = "both";
	m.name = "both";
	p.devices[0].visible = p.devices[1].visible = 2;
	p.operators.device_shapes = times;
	p.operators.device_shapes_n = 3;
	p.operators.device_shapes_known = true;
	int64_t id = fixture_upload(db, &m, m.name).id;
	struct claim c = fixture_claim(db, id);
	works(save(db, &c, &p, 1, NULL, &e));
	int64_t run = *fixture_runs(db, &a, id, 1);
	arena_release(&a);
	return run;
}

static void a_run_on_two_gpus_is_of_each(void **state)
{
	static const struct fleet_filter both = { .project = "both",
		.since = NO_MOMENT,
		.until = NO_MOMENT };
	struct db *db = *state;
	struct arena a = { 0 };
	struct fleet_devices of;
	int64_t run = run_on_both(db);
	works(query_fleet_devices(db, &a, &both, &of, &e));
	assert_int_equal(of.runs_n, 2);
	assert_int_equal(of.known_n, 2);
	const struct fleet_device_run *r = of.runs;
	assert_int_equal(r[0].run, run);
	assert_int_equal(r[1].run, run);
	assert_true(r[0].first && !r[1].first);
	assert_true(r[0].by_device && r[0].identified && r[1].identified);
	assert_string_equal(r[0].gpu, "6161e0f3");
	assert_string_equal(r[0].identified_by, "uuid");
	assert_string_equal(r[1].gpu, "node3 GPU 1 of 2");
	assert_string_equal(r[1].identified_by, "number");
	assert_true(r[0].sm_clock_mhz == 1790.5 && isnan(r[1].sm_clock_mhz));
	assert_int_equal(of.shapes_n, 3);
	for (uint32_t i = 0; i < 3; i++)
		assert_int_equal(of.shapes[i].run, i / 2);
	/* the two shapes of the first GPU, by their ids, which may be in any
	 * order */
	assert_true(of.shapes[0].median_ns + of.shapes[1].median_ns == 160);
	assert_true(of.shapes[2].median_ns == 120);

	/* as an older server stored it */
	fixture_script(db, "UPDATE run_device SET shapes = NULL");
	works(query_fleet_devices(db, &a, &both, &of, &e));
	assert_int_equal(of.runs_n, 1);
	assert_int_equal(of.known_n, 0);
	assert_int_equal(of.runs[0].devices, 2);
	assert_false(of.runs[0].by_device);
	works(derived_clear(db, run, &e));
	assert_int_equal(fixture_count(db,
				 "SELECT count(*) FROM run_device_shape"),
		0);
	arena_release(&a);
}

/* A number identifies a GPU only if the host is known and the process saw others:
 * a process that sees one GPU calls it 0, whichever it is. */
static void numbers_of_gpus(void **state)
{
	static const struct {
		const char *set, *gpu;
	} rows[] = {
		{ "visible = 8", "node7 GPU 0 of 8 (H100)" },
		{ "visible = 8, name = NULL", "node7 GPU 0 of 8" },
		{ "visible = 1", NULL },
		{ "visible = NULL", NULL },
		{ "visible = 8, bus_id = '0000:57:00.0'",
			"node7 0000:57:00.0" },
	};
	struct db *db = *state;
	struct arena a = { 0 };
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const char *project = arena_printf(&a, "number%zu", i);
		struct fleet_devices of;
		run_on(db, &a, project, rows[i].set);
		works(query_fleet_devices(db, &a,
			&(struct fleet_filter){ .project = project,
				.since = NO_MOMENT,
				.until = NO_MOMENT },
			&of, &e));
		assert_int_equal(of.runs_n, 1);
		assert_int_equal(of.known_n, rows[i].gpu ? 1 : 0);
		if (rows[i].gpu)
			assert_string_equal(of.runs[0].gpu, rows[i].gpu);
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
		cmocka_unit_test(a_run_on_two_gpus_is_of_each),
		cmocka_unit_test(numbers_of_gpus),
		cmocka_unit_test(a_nameless_host),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
