/* db_energy.c - tests that the energy of a run is read as it was saved. */
#include "changes.h"
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

/* The five iterations of changes.h: the energy of the second and third together,
 * and of the second alone; a device without samples. */
static struct profile powered(struct arena *a)
{
	static const double single[3][5] = {
		{ NAN, 3.25, NAN, NAN, NAN },
		{ NAN, 3, NAN, NAN, NAN },
		{ NAN, 4.5, NAN, NAN, NAN },
	};
	static const struct operator_energy operators[] = {
		{ 2, "gemm", DTYPE_BF16, PHASE_DECODE, 500, 2.5, 2, 3.25,
			NULL },
		{ 0, "rms_norm", DTYPE_UNKNOWN, PHASE_UNKNOWN, 40, NAN, NAN,
			NAN, "its interval is wider than its energy" },
	};
	const struct device_energy devices[] = {
		{ 0, "gpu_power_mean", 12, 2, 1, 1000, 1, 2, 900, 5.5, 5, 7,
			NULL, COPIED(a, single[0]), COPIED(a, single[1]),
			COPIED(a, single[2]), 80.5, 70, 90,
			COPIED(a, operators), 2, NULL },
		{ 3, NULL, 0, 0, 0, -1, 0, 0, -1, NAN, NAN, NAN,
			"the trace has no samples of its power", NULL, NULL,
			NULL, NAN, NAN, NAN, NULL, 0, "no samples" },
	};
	struct profile p = changing(a);
	p.energy = (struct energy_use){ COPIED(a, devices), 2, 5, NAN };
	return p;
}

static void same_number(double x, double y)
{
	assert_true(x == y || (isnan(x) && isnan(y)));
}

static void same_text(const char *x, const char *y)
{
	assert_int_equal(!x, !y);
	if (x)
		assert_string_equal(x, y);
}

static void same_operators(const struct device_energy *x,
	const struct device_energy *y)
{
	same_number(x->idle_w, y->idle_w);
	same_number(x->idle_low_w, y->idle_low_w);
	same_number(x->idle_high_w, y->idle_high_w);
	same_text(x->operators_why, y->operators_why);
	assert_int_equal(x->operators_n, y->operators_n);
	for (uint32_t i = 0; i < x->operators_n; i++) {
		const struct operator_energy *a = &x->operators[i];
		const struct operator_energy *b = &y->operators[i];
		assert_int_equal(a->operator_, b->operator_);
		same_text(a->name, b->name);
		assert_int_equal(a->dtype, b->dtype);
		assert_int_equal(a->phase, b->phase);
		assert_int_equal(a->time_ns, b->time_ns);
		same_number(a->energy_j, b->energy_j);
		same_number(a->low_j, b->low_j);
		same_number(a->high_j, b->high_j);
		same_text(a->why, b->why);
	}
}

static void same_device(const struct device_energy *x,
	const struct device_energy *y)
{
	assert_int_equal(x->device, y->device);
	assert_int_equal(!x->counter, !y->counter);
	if (x->counter)
		assert_string_equal(x->counter, y->counter);
	assert_int_equal(x->samples, y->samples);
	assert_int_equal(x->ignored, y->ignored);
	assert_int_equal(x->gaps, y->gaps);
	assert_int_equal(x->interval_ns, y->interval_ns);
	assert_int_equal(x->first, y->first);
	assert_int_equal(x->iterations, y->iterations);
	assert_int_equal(x->span_ns, y->span_ns);
	same_number(x->energy_j, y->energy_j);
	same_number(x->low_j, y->low_j);
	same_number(x->high_j, y->high_j);
	assert_int_equal(!x->why, !y->why);
	if (x->why)
		assert_string_equal(x->why, y->why);
	assert_int_equal(!x->iteration_j, !y->iteration_j);
	for (int i = 0; x->iteration_j && i < 5; i++) {
		same_number(x->iteration_j[i], y->iteration_j[i]);
		same_number(x->iteration_low_j[i], y->iteration_low_j[i]);
		same_number(x->iteration_high_j[i], y->iteration_high_j[i]);
	}
	same_operators(x, y);
}

static void same_energy(struct db *db, struct arena *a, int64_t id,
	const struct profile *p)
{
	struct energy_use got;
	works(query_energy(db, a, id, &got, &e));
	assert_int_equal(got.n, p->energy.n);
	for (uint32_t i = 0; i < got.n; i++)
		same_device(&got.devices[i], &p->energy.devices[i]);
}

static void rebuilt_moved_and_deleted_with_the_run(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	struct profile p = powered(&a);
	struct run_change move = { .project = "other" };
	int64_t queued, upload = fixture_save(db, "1", &p, 1);
	int64_t id = *fixture_runs(db, &a, upload, 1);
	assert_int_equal(fixture_derived(db), FIXTURE_ROWS + CHANGE_ROWS + 4);
	same_energy(db, &a, id, &p);
	works(upload_requeue_all(db, &queued, &e));
	struct claim c = fixture_claim(db, upload);
	p.energy.devices[0].energy_j = 6;
	works(save(db, &c, &p, 1, NULL, &e));
	same_energy(db, &a, id, &p);
	works(run_change(db, id, &move, &e));
	same_energy(db, &a, id, &p);
	works(run_delete(db, id, &e));
	assert_int_equal(fixture_derived(db), 0);
	arena_release(&a);
}

/* A run from before the table existed, and no run. */
static void unknown_energy_is_not_zero(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	struct profile p = changing(&a);
	int64_t upload = fixture_save(db, "1", &p, 1);
	same_energy(db, &a, *fixture_runs(db, &a, upload, 1), &p);
	same_energy(db, &a, 4711, &p);
	arena_release(&a);
}

static int64_t measured(struct db *db, int64_t run, const char *what)
{
	char sql[300];
	snprintf(sql, sizeof sql,
		"SELECT count(*) FROM run_measure WHERE run_id = %lld AND %s",
		(long long)run, what);
	return fixture_count(db, sql);
}

/* 5.5 J in two iterations with 11 tokens. */
static void energy_is_a_measure(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	struct profile p = powered(&a);
	p.energy.n = 1;
	p.energy.tokens = 11;
	int64_t upload = fixture_save(db, "1", &p, 1);
	int64_t id = *fixture_runs(db, &a, upload, 1);
	assert_int_equal(measured(db, id, "true"), 2);
	assert_int_equal(measured(db, id,
				 "name = 'iteration_energy' AND value = 2.75 "
				 "AND unit = 'J' AND source IS NULL"),
		1);
	assert_int_equal(measured(db, id,
				 "name = 'token_energy' AND value = 0.5 "
				 "AND unit = 'J/token'"),
		1);
	fixture_script(db,
		"INSERT INTO measure SELECT run_id, "
		"'token_energy', 3, 'J/token', 'plain', 'f' FROM run");
	assert_int_equal(measured(db, id, "name = 'token_energy'"), 1);
	assert_int_equal(measured(db, id, "value = 3 AND source = 'plain'"), 1);
	arena_release(&a);
}

/* Unknown energy of one device, and tokens that are unknown. */
static void unknown_energy_is_no_measure(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	struct profile p = powered(&a);
	int64_t upload = fixture_save(db, "1", &p, 1);
	assert_int_equal(measured(db, *fixture_runs(db, &a, upload, 1), "true"),
		0);
	p.energy.n = 1;
	upload = fixture_save(db, "2", &p, 1);
	assert_int_equal(measured(db, *fixture_runs(db, &a, upload, 1), "true"),
		1);
	arena_release(&a);
}

/* A packed column with fewer values, and iterations that the run does not have. */
static void rows_that_do_not_fit_are_refused(void **state)
{
	static const char *const damage[] = {
		"UPDATE run_energy SET iteration_low_j = '\\x010203' "
		"WHERE device = 0",
		"UPDATE run_energy SET iterations = 5 WHERE device = 0",
	};
	struct db *db = *state;
	struct arena a = { 0 };
	struct energy_use got;
	char sentence[200];
	for (size_t i = 0; i < sizeof damage / sizeof *damage; i++) {
		struct profile p = powered(&a);
		char bytes[2] = { (char)('a' + i), '\0' };
		int64_t upload = fixture_save(db, bytes, &p, 1);
		int64_t id = *fixture_runs(db, &a, upload, 1);
		fixture_script(db, damage[i]);
		snprintf(sentence, sizeof sentence,
			"the energy of run %lld does not fit its iterations; "
			"'kernsiftd rebuild' makes it again",
			(long long)id);
		refuses(query_energy(db, &a, id, &got, &e), ERR_INTERNAL,
			sentence);
	}
	struct profile p = powered(&a);
	int64_t upload = fixture_save(db, "c", &p, 1);
	int64_t id = *fixture_runs(db, &a, upload, 1);
	fixture_script(db, "UPDATE run_energy_operator SET device = 5 "
			   "WHERE rank = 2");
	snprintf(sentence, sizeof sentence,
		"operators of run %lld have an energy on a device that it does "
		"not have; 'kernsiftd rebuild' makes it again",
		(long long)id);
	refuses(query_energy(db, &a, id, &got, &e), ERR_INTERNAL, sentence);
	arena_release(&a);
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest cases[] = {
		CASE(rebuilt_moved_and_deleted_with_the_run),
		CASE(unknown_energy_is_not_zero),
		CASE(energy_is_a_measure),
		CASE(unknown_energy_is_no_measure),
		CASE(rows_that_do_not_fit_are_refused),
	};
	return cmocka_run_group_tests(cases, NULL, NULL);
}
