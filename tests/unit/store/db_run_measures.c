/* db_run_measures.c - measures of a run over several requests, from several processes,
 * and after a rebuild. */
#include "fixture.h"
#include "run_measures.h"

enum { PROCESSES = 4, OF_EACH = 60 };
_Static_assert((PROCESSES - 1) * OF_EACH <= MEASURES_MAX &&
		       PROCESSES * OF_EACH > MEASURES_MAX,
	"all but one of the processes fit");

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

/* Measures from..from+n-1 of a user's own names. */
static struct measure_list some(struct arena *a, uint32_t from, uint32_t n)
{
	struct measure_list l = { .source = MEASURE_SOURCE_plain,
		.rows = arena_array(a, struct measure, n + 1),
		.n = n };

	for (uint32_t i = 0; i < n; i++)
		l.rows[i] = (struct measure){ arena_printf(a, "m%u", from + i),
			"1", from + i };
	return l;
}

static uint32_t count(struct db *db, struct arena *a, int64_t run)
{
	struct run_measure *rows;
	uint32_t n;

	works(run_measures_list(db, a, &run, 1, NULL, 0, &rows, &n, &e));
	return n;
}

static int64_t stored_run(struct db *db, struct arena *a, int64_t *upload)
{
	struct profile p = fixture_profile(a);

	*upload = fixture_save(db, "1", &p, 1);
	return *fixture_runs(db, a, *upload, 1);
}

static void several_requests_have_one_limit(void **state)
{
	struct arena a = { 0 };
	struct db *db = *state;
	int64_t upload, run = stored_run(db, &a, &upload);
	struct measure_list most = some(&a, 0, MEASURES_MAX - 1),
			    last = some(&a, MEASURES_MAX - 1, 1),
			    two = some(&a, MEASURES_MAX - 1, 2),
			    old = some(&a, 5, 9);
	bool existing;

	works(run_measures_add(db, run, &most, "f", &existing, &e));
	refuses(run_measures_add(db, run, &two, "f", &existing, &e),
		ERR_CONFLICT,
		arena_printf(&a,
			"run %lld would have 201 measures; at most 200 are "
			"possible",
			(long long)run));
	assert_int_equal(count(db, &a, run), MEASURES_MAX - 1);
	works(run_measures_add(db, run, &last, "f", &existing, &e));
	assert_false(existing);
	works(run_measures_add(db, run, &old, "f", &existing, &e));
	assert_true(existing);
	assert_int_equal(count(db, &a, run), MEASURES_MAX);
	arena_release(&a);
}

static int64_t shared_run;

/* Exactly one of the processes is refused, whichever is last. */
static bool add_own(struct db *db, int nth, struct err *e)
{
	struct arena a = { 0 };
	struct measure_list l = some(&a, (uint32_t)nth * OF_EACH, OF_EACH);
	bool existing,
		ok = run_measures_add(db, shared_run, &l, "f", &existing, e);

	arena_release(&a);
	return ok || e->code == ERR_CONFLICT;
}

static void requests_at_once_have_one_limit(void **state)
{
	struct arena a = { 0 };
	struct db *db = *state;
	int64_t upload;

	shared_run = stored_run(db, &a, &upload);
	fixture_together(PROCESSES, "", add_own);
	assert_int_equal(count(db, &a, shared_run), (PROCESSES - 1) * OF_EACH);
	arena_release(&a);
}

/* The same file from several processes, as of a pipeline that retries too early. */
static bool add_same(struct db *db, int nth, struct err *e)
{
	struct arena a = { 0 };
	struct measure_list l = some(&a, 0, OF_EACH);
	bool existing,
		ok = run_measures_add(db, shared_run, &l, "f", &existing, e);

	(void)nth;
	arena_release(&a);
	return ok;
}

static void equal_requests_at_once(void **state)
{
	struct arena a = { 0 };
	struct db *db = *state;
	int64_t upload;

	shared_run = stored_run(db, &a, &upload);
	fixture_together(PROCESSES, "", add_same);
	assert_int_equal(count(db, &a, shared_run), OF_EACH);
	arena_release(&a);
}

static void a_rebuild_keeps_them(void **state)
{
	struct arena a = { 0 };
	struct db *db = *state;
	int64_t upload, queued, run = stored_run(db, &a, &upload);
	struct measure_list l = some(&a, 0, 3);
	struct profile p = fixture_profile(&a);
	bool existing;

	works(run_measures_add(db, run, &l, "f", &existing, &e));
	works(upload_requeue_all(db, &queued, &e));
	assert_int_equal(count(db, &a, run), 3);
	struct claim c = fixture_claim(db, upload);
	works(save(db, &c, &p, 1, NULL, &e));
	assert_int_equal(*fixture_runs(db, &a, upload, 1), run);
	assert_int_equal(count(db, &a, run), 3);
	arena_release(&a);
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest cases[] = {
		CASE(several_requests_have_one_limit),
		CASE(requests_at_once_have_one_limit),
		CASE(equal_requests_at_once),
		CASE(a_rebuild_keeps_them),
	};
	return cmocka_run_group_tests(cases, NULL, NULL);
}
