/* db_migrate.c - tests that the schema is created, is not changed again, and
 * is rejected if it does not fit the program. */
#include "fixture.h"
#include "embedded.h"

extern const struct embedded sql_files[];

/* A separate database for each case, because migrations run once. */
static struct db *fresh(const char *name, const char *options)
{
	char sql[200], conninfo[60];
	struct db *db = fixture_connect("");
	snprintf(sql, sizeof sql, "CREATE DATABASE %s %s", name, options);
	fixture_script(db, sql);
	db_free(db);
	snprintf(conninfo, sizeof conninfo, "dbname=%s", name);
	return fixture_connect(conninfo);
}

#define FILE_OF(var, name, text)                                \
	static const unsigned long var##_len = sizeof text - 1; \
	static const struct embedded var = { name,              \
		(const unsigned char *)text, &var##_len }

FILE_OF(one, "migrations/0001_one.sql", "CREATE TABLE one (i int);");
FILE_OF(one_changed, "migrations/0001_one.sql", "CREATE TABLE one (j int);");
FILE_OF(two, "migrations/0002_two.sql", "CREATE TABLE two (i int);");
FILE_OF(three, "migrations/0003_three.sql", "CREATE TABLE three (i int);");
FILE_OF(two_bad, "migrations/0002_two.sql",
	"CREATE TABLE two (i int); SELECT nobody;");
FILE_OF(view, "views/v.sql",
	"DROP VIEW IF EXISTS v; CREATE VIEW v AS SELECT i FROM one;");

enum { MIGRATIONS = 45, VIEWS = 6 };

static void twice_is_once(void **state)
{
	(void)state;
	struct db *db = fresh("twice", "");
	int applied;
	works(migrate(db, &applied, &e));
	assert_int_equal(applied, MIGRATIONS);
	works(migrate(db, &applied, &e));
	assert_int_equal(applied, 0);
	assert_int_equal(fixture_count(db, "SELECT count(*) FROM migration"),
		MIGRATIONS);
	db_free(db);
}

static void every_embedded_file_is_used(void **state)
{
	(void)state;
	int n = 0;
	for (const struct embedded *f = sql_files; f->path; f++, n++)
		assert_true(!strncmp(f->path, "migrations/0", 12) ||
			    !strncmp(f->path, "views/", 6));
	assert_int_equal(n, MIGRATIONS + VIEWS);
}

static void a_new_file_is_applied_later(void **state)
{
	(void)state;
	struct db *db = fresh("later", "");
	const struct embedded first[] = { one, { 0 } };
	const struct embedded both[] = { one, two, { 0 } };
	int applied;
	works(migrate_files(db, first, &applied, &e));
	assert_int_equal(applied, 1);
	works(migrate_files(db, both, &applied, &e));
	assert_int_equal(applied, 1);
	assert_int_equal(fixture_count(db, "SELECT count(*) FROM two"), 0);
	db_free(db);
}

static void views_are_created_again(void **state)
{
	(void)state;
	struct db *db = fresh("views", "");
	const struct embedded files[] = { one, view, { 0 } };
	int applied;
	works(migrate_files(db, files, &applied, &e));
	fixture_script(db, "DROP VIEW v; CREATE VIEW v AS SELECT 1 AS other");
	works(migrate_files(db, files, &applied, &e));
	assert_int_equal(fixture_count(db, "SELECT count(i) FROM v"), 0);
	db_free(db);
}

static void changed_file_is_refused(void **state)
{
	(void)state;
	struct db *db = fresh("changed", "");
	const struct embedded was[] = { one, { 0 } };
	const struct embedded is[] = { one_changed, two, { 0 } };
	int applied;
	works(migrate_files(db, was, &applied, &e));
	refuses(migrate_files(db, is, &applied, &e), ERR_DATABASE,
		"migration '0001_one.sql' was changed after it was applied as "
		"'0001_one.sql'; put it back and add a new one instead");
	assert_int_equal(applied, 0);
	assert_int_equal(fixture_count(db, "SELECT count(*) FROM pg_class "
					   "WHERE relname = 'two'"),
		0);
	db_free(db);
}

static void gap_in_the_program_is_refused(void **state)
{
	(void)state;
	struct db *db = fresh("gap_program", "");
	const struct embedded files[] = { one, three, { 0 } };
	int applied;
	refuses(migrate_files(db, files, &applied, &e), ERR_INTERNAL,
		"migration 2 is missing from the program before "
		"'0003_three.sql'");
	db_free(db);
}

static void gap_in_the_database_is_refused(void **state)
{
	(void)state;
	struct db *db = fresh("gap_database", "");
	const struct embedded files[] = { one, two, three, { 0 } };
	int applied;
	works(migrate_files(db, files, &applied, &e));
	fixture_script(db, "DELETE FROM migration WHERE number = 2");
	refuses(migrate_files(db, files, &applied, &e), ERR_DATABASE,
		"migration 2 is missing from the database though "
		"'0003_three.sql' was applied");
	db_free(db);
}

static void newer_database_is_refused(void **state)
{
	(void)state;
	struct db *db = fresh("newer", "");
	const struct embedded new[] = { one, two, { 0 } };
	const struct embedded old[] = { one, { 0 } };
	int applied;
	works(migrate_files(db, new, &applied, &e));
	refuses(migrate_files(db, old, &applied, &e), ERR_DATABASE,
		"the database has migration '0002_two.sql', which this "
		"program does not know; use a newer kernsiftd");
	db_free(db);
}

static void failing_file_leaves_nothing(void **state)
{
	(void)state;
	struct db *db = fresh("failing", "");
	const struct embedded bad[] = { one, two_bad, { 0 } };
	const struct embedded good[] = { one, two, { 0 } };
	int applied;
	refuses(migrate_files(db, bad, &applied, &e), ERR_DATABASE,
		"migration '0002_two.sql' failed: the database answers: "
		"column \"nobody\" does not exist");
	assert_int_equal(applied, 1);
	works(migrate_files(db, good, &applied, &e));
	assert_int_equal(applied, 1);
	db_free(db);
}

static void latin1_is_refused(void **state)
{
	(void)state;
	struct db *db = fresh("latin",
		"ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0");
	int applied;
	refuses(migrate(db, &applied, &e), ERR_DATABASE,
		"database 'latin' is encoded in LATIN1; create it with "
		"ENCODING 'UTF8'");
	db_free(db);
}

static bool migrate_once(struct db *db, int nth, struct err *e)
{
	(void)nth;
	int applied;
	return migrate(db, &applied, e);
}

static void four_processes_migrate_at_once(void **state)
{
	(void)state;
	struct db *db = fresh("four", "");
	fixture_together(4, "dbname=four", migrate_once);
	assert_int_equal(fixture_count(db, "SELECT count(*) FROM migration"),
		MIGRATIONS);
	db_free(db);
}

int main(void)
{
	const struct CMUnitTest cases[] = {
		cmocka_unit_test(twice_is_once),
		cmocka_unit_test(every_embedded_file_is_used),
		cmocka_unit_test(a_new_file_is_applied_later),
		cmocka_unit_test(views_are_created_again),
		cmocka_unit_test(changed_file_is_refused),
		cmocka_unit_test(gap_in_the_program_is_refused),
		cmocka_unit_test(gap_in_the_database_is_refused),
		cmocka_unit_test(newer_database_is_refused),
		cmocka_unit_test(failing_file_leaves_nothing),
		cmocka_unit_test(latin1_is_refused),
		cmocka_unit_test(four_processes_migrate_at_once),
	};
	return cmocka_run_group_tests(cases, NULL, NULL);
}
