/* db_pool.c - the settings that a pool gives its connections. */
#include "fixture.h"
#include "db_conn.h"

/* The time limit of the pool also applies to a connection that ran a
 * migration without one. */
static void statements_have_the_pools_time(void **state)
{
	(void)state;
	struct db_pool *p = db_pool_new("", 1);
	struct err none = { 0 };
	db_pool_limit(p, 7);
	struct db *db = db_borrow(p, &none);
	fixture_script(db, "SET statement_timeout = 0");
	assert_true(db_limits(db, &none));
	assert_int_equal(fixture_count(db,
				 "SELECT extract(epoch FROM current_setting("
				 "'statement_timeout')::interval)::int8"),
		7);
	db_return(p, db);
	db_pool_free(p);
}

int main(void)
{
	const struct CMUnitTest cases[] = {
		cmocka_unit_test(statements_have_the_pools_time),
	};
	return cmocka_run_group_tests(cases, NULL, NULL);
}
