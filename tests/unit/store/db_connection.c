/* db_connection.c - tests connections that are borrowed, lost and reopened,
 * and the error codes of PostgreSQL's failures. */
#include "fixture.h"
#include <pthread.h>
#include <signal.h>

/* Fails with the given SQLSTATE. */
#define RAISE(state, text) \
	"DO $$ BEGIN RAISE '" text "' USING ERRCODE = '" state "'; END $$"

static void failures_have_their_codes(void **state)
{
	(void)state;
	struct db *db = fixture_connect("");
	refuses(sql_script(db, RAISE("53100", "no space left"), &e),
		ERR_DISK_FULL, "the database's disk is full");
	refuses(sql_script(db, RAISE("40P01", "deadlock detected"), &e),
		ERR_CONFLICT,
		"the same data was changed by another request at the same "
		"time; try again");
	refuses(sql_script(db, RAISE("57014", "canceling statement"), &e),
		ERR_SLOW,
		"the database took too long; request less, or raise --statement-timeout-s, which is 30");
	refuses(sql_script(db, RAISE("57P01", "terminating connection"), &e),
		ERR_DATABASE,
		"the database is not reachable: terminating connection");
	refuses(sql_script(db, RAISE("23514", "check violated"), &e),
		ERR_INTERNAL, "the database answers: check violated");
	refuses(sql_run(db, "SELECT E'\\xff'", NULL, NULL, &e), ERR_INPUT,
		"a text contains bytes that the database cannot store");
	refuses(sql_run(db, "SELECT * FROM nowhere", NULL, NULL, &e),
		ERR_DATABASE,
		"the database answers: relation \"nowhere\" does not exist");
	works(db_ping(db, &e));
	db_free(db);
}

/* The case in DESIGN: not this statement fails, but any write after it. */
static void full_disk_below_a_chunk(void **state)
{
	(void)state;
	struct db *db = fixture_db();
	int64_t id;
	works(upload_begin(db, &fixture_meta, &id, &e));
	fixture_script(db,
		"CREATE FUNCTION full_disk() RETURNS trigger "
		"LANGUAGE plpgsql AS $$ BEGIN "
		"RAISE 'could not extend file' USING ERRCODE = '53100'; "
		"END $$; "
		"CREATE TRIGGER full_disk BEFORE INSERT ON upload_chunk "
		"FOR EACH ROW EXECUTE FUNCTION full_disk()");
	refuses(upload_chunk(db, id, 0, "a", 1, &e), ERR_DISK_FULL,
		"the database's disk is full");
	fixture_script(db, "DROP TRIGGER full_disk ON upload_chunk; "
			   "DROP FUNCTION full_disk");
	works(upload_chunk(db, id, 0, "a", 1, &e));
	db_free(db);
}

static void no_server_at_the_address(void **state)
{
	(void)state;
	struct err e = { 0 };
	assert_null(db_new("host=/nonexistent port=5432", &e));
	assert_int_equal(e.code, ERR_DATABASE);
	assert_string_equal(e.text,
		"the database is not reachable: connection to server on socket "
		"\"/nonexistent/.s.PGSQL.5432\" failed: No such file or "
		"directory");
}

static void senseless_conninfo(void **state)
{
	(void)state;
	struct err e = { 0 };
	assert_null(db_new("color=green", &e));
	assert_int_equal(e.code, ERR_DATABASE);
	assert_string_equal(e.text,
		"the database is not reachable: invalid connection option "
		"\"color\"");
}

static int64_t backend(struct db *db)
{
	return fixture_count(db, "SELECT pg_backend_pid()::int8");
}

static void idle_connection_is_lent_again(void **state)
{
	(void)state;
	struct db_pool *p = db_pool_new("", 2);
	struct err e = { 0 };
	struct db *db = db_borrow(p, &e);
	int64_t pid = backend(db);
	db_return(p, db);
	db = db_borrow(p, &e);
	assert_int_equal(backend(db), pid);
	db_return(p, db);
	db_pool_free(p);
}

static void unfinished_work_is_not_lent_on(void **state)
{
	(void)state;
	struct db_pool *p = db_pool_new("", 1);
	struct err e = { 0 };
	struct db *db = db_borrow(p, &e);
	fixture_script(db, "BEGIN; CREATE TABLE half (i int)");
	db_return(p, db);
	db = db_borrow(p, &e);
	assert_int_equal(fixture_count(db, "SELECT count(*) FROM pg_class "
					   "WHERE relname = 'half'"),
		0);
	fixture_script(db, "BEGIN");
	fixture_script(db, "ROLLBACK");
	db_return(p, db);
	db_pool_free(p);
}

static void exhausted_pool_is_busy(void **state)
{
	(void)state;
	struct db_pool *p = db_pool_new("", 1);
	struct err e = { 0 };
	struct db *db = db_borrow(p, &e);
	assert_null(db_borrow(p, &e));
	assert_int_equal(e.code, ERR_BUSY);
	struct db_pool_waits w = db_pool_waits(p);
	assert_int_equal(w.waited, 1);
	assert_int_equal(w.refused, 1);
	assert_true(w.waited_us >= 5000000 && w.waited_us < 60000000);
	assert_string_equal(e.text,
		"all 1 database connections are in use; try again, or raise "
		"--db-connections");
	db_return(p, db);
	db_pool_free(p);
}

static void *borrow_later(void *pool)
{
	struct err e = { 0 };
	struct db *db = db_borrow(pool, &e);
	db_return(pool, db);
	return db;
}

static void a_waiting_borrower_gets_a_returned_connection(void **state)
{
	(void)state;
	struct db_pool *p = db_pool_new("", 1);
	struct err e = { 0 };
	pthread_t t;
	void *got;
	struct db *db = db_borrow(p, &e);
	pthread_create(&t, NULL, borrow_later, p);
	usleep(100000);
	db_return(p, db);
	pthread_join(t, &got);
	assert_ptr_equal(got, db);
	db_pool_free(p);
}

/* SIGKILL to a backend: PostgreSQL ends all others and restarts. */
static void killed_postgresql_costs_only_the_time_between(void **state)
{
	(void)state;
	struct db_pool *p = db_pool_new("", 2);
	struct err e = { 0 };
	struct db *busy = db_borrow(p, &e), *idle = db_borrow(p, &e);
	assert_non_null(busy);
	assert_non_null(idle);
	pid_t other = (pid_t)backend(idle);
	db_return(p, idle);
	assert_int_equal(kill((pid_t)backend(busy), SIGKILL), 0);
	assert_false(db_ping(busy, &e));
	assert_int_equal(e.code, ERR_DATABASE);
	assert_memory_equal(e.text, "the database is not reachable: ", 31);
	db_return(p, busy);
	/* PostgreSQL notices it only after the others have ended. */
	for (int i = 0; !kill(other, 0) && i < 3000; i++)
		usleep(10000);

	bool back = false;
	for (int i = 0; !back && i < 1500; i++) {
		struct err why = { 0 };
		struct db *db = db_borrow(p, &why);
		back = db && db_ping(db, &why);
		if (!back) {
			assert_int_equal(why.code, ERR_DATABASE);
			assert_memory_equal(why.text,
				"the database is not reachable: ", 31);
			usleep(100000);
		}
		db_return(p, db);
	}
	assert_true(back);
	db_pool_free(p);
}

static void ended_connection_is_revived(void **state)
{
	(void)state;
	struct db *db = fixture_connect(""), *other = fixture_connect("");
	struct sql_params p = { 0 };
	sql_int8(&p, backend(db));
	struct result r;
	works(sql_run(other, "SELECT pg_terminate_backend($1::int4, 5000)", &p,
		&r, &e));
	result_release(&r);
	works(db_revive(db, &e));
	works(db_ping(db, &e));
	db_free(db);
	db_free(other);
}

struct flaky {
	int left, calls;
	const char *sql;
};

static bool flaky(struct db *db, void *arg, struct err *e)
{
	struct flaky *f = arg;
	f->calls++;
	return sql_script(db, "CREATE TABLE flaky (i int)", e) &&
	       (f->left-- <= 0 || sql_script(db, f->sql, e));
}

static void lost_race_is_run_again(void **state)
{
	(void)state;
	struct db *db = fixture_connect("");
	const char *const races[] = { RAISE("40001", "a"), RAISE("40P01", "b"),
		RAISE("23505", "c") };
	for (int i = 0; i < 3; i++) {
		struct flaky f = { 2, 0, races[i] };
		works(sql_transaction(db, flaky, &f, &e));
		assert_int_equal(f.calls, 3);
		fixture_script(db, "DROP TABLE flaky");
	}
	db_free(db);
}

static void other_failures_are_rolled_back_at_once(void **state)
{
	(void)state;
	struct db *db = fixture_connect("");
	struct flaky f = { 1, 0, RAISE("22012", "division by zero") };
	refuses(sql_transaction(db, flaky, &f, &e), ERR_INTERNAL,
		"the database answers: division by zero");
	assert_int_equal(f.calls, 1);
	assert_int_equal(fixture_count(db, "SELECT count(*) FROM pg_class "
					   "WHERE relname = 'flaky'"),
		0);
	db_free(db);
}

static void race_lost_for_ever_ends(void **state)
{
	(void)state;
	struct db *db = fixture_connect("");
	struct flaky f = { 1000, 0, RAISE("40001", "could not serialize") };
	refuses(sql_transaction(db, flaky, &f, &e), ERR_CONFLICT,
		"the same data was changed by another request at the same "
		"time; try again");
	assert_int_equal(f.calls, 20);
	db_free(db);
}

int main(void)
{
	const struct CMUnitTest cases[] = {
		cmocka_unit_test(failures_have_their_codes),
		cmocka_unit_test(full_disk_below_a_chunk),
		cmocka_unit_test(no_server_at_the_address),
		cmocka_unit_test(senseless_conninfo),
		cmocka_unit_test(idle_connection_is_lent_again),
		cmocka_unit_test(unfinished_work_is_not_lent_on),
		cmocka_unit_test(exhausted_pool_is_busy),
		cmocka_unit_test(a_waiting_borrower_gets_a_returned_connection),
		cmocka_unit_test(killed_postgresql_costs_only_the_time_between),
		cmocka_unit_test(ended_connection_is_revived),
		cmocka_unit_test(lost_race_is_run_again),
		cmocka_unit_test(other_failures_are_rolled_back_at_once),
		cmocka_unit_test(race_lost_for_ever_ends),
	};
	return cmocka_run_group_tests(cases, NULL, NULL);
}
