/* db_tries.c - tests workers that die or give up: what counts as an attempt,
 * and how many attempts are allowed. */
#include "fixture.h"

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

static void uploads_of_a_dead_worker_are_queued_again(void **state)
{
	struct db *db = *state;
	struct claim c;
	int64_t mine = fixture_queued(db, "1"),
		others = fixture_queued(db, "2");
	works(upload_claim(db, "host:1", 30, &c, &e));
	works(upload_claim(db, "host:2", 30, &c, &e));
	works(upload_abandon(db, "host:1", "killed by signal 9", UPLOAD_TRIES,
		&e));
	fixture_expect(db, mine, "queued", 1, NULL);
	fixture_expect(db, others, "working", 1, NULL);
	for (int i = 0; i < 2; i++) {
		works(upload_claim(db, "host:1", 30, &c, &e));
		assert_int_equal(c.upload, mine);
		works(upload_abandon(db, "host:1", "killed by signal 9",
			UPLOAD_TRIES, &e));
	}
	fixture_expect(db, mine, "failed", 3, "killed by signal 9");
}

/* The database disconnected nine times while the rows were written. */
static void more_attempts_if_the_database_may_be_at_fault(void **state)
{
	struct db *db = *state;
	struct claim c;
	int64_t id = fixture_queued(db, "1");
	for (int i = 1; i <= 10; i++) {
		works(upload_claim(db, "host:1", 30, &c, &e));
		works(upload_abandon(db, "host:1", "gone", 10, &e));
		fixture_expect(db, id, i < 10 ? "queued" : "failed", i,
			i < 10 ? NULL : "gone");
	}
}

/* Even one that got further than all before, and so has no attempt counted. */
static void one_try_is_enough(void **state)
{
	struct db *db = *state;
	struct claim c;
	int64_t id = fixture_queued(db, "1");
	works(upload_claim(db, "host:1", 30, &c, &e));
	works(upload_progress(db, &c, "decode", 1, &e));
	works(upload_abandon(db, "host:1", "too long", 1, &e));
	fixture_expect(db, id, "failed", 0, "too long");
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest cases[] = {
		CASE(uploads_of_a_dead_worker_are_queued_again),
		CASE(more_attempts_if_the_database_may_be_at_fault),
		CASE(one_try_is_enough),
	};
	return cmocka_run_group_tests(cases, NULL, NULL);
}
