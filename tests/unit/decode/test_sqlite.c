/* test_sqlite.c - tests which parts of a database's tables are used, row by
 * row, and which never are. */
#include "sqlite_fixture.h"
#include <math.h>

static void test_values(void **state)
{
	struct sqlite_rows r;
	const char *at;
	size_t len;
	int64_t n;
	(void)state;
	make(&f, "CREATE TABLE T(b, \"A\", d);"
		 "INSERT INTO T VALUES('x',9223372036854775807,0),"
		 "(NULL,2.0,0),(7,2.5,0),(x'00ff','12',0),(1.5,NULL,0);");
	assert_true(open_it(&f));
	assert_string_equal(sqlite_file_table(&f.file, "t"), "T");
	assert_true(sqlite_rows_open(&r, &f.file, "t", columns, 3, &f.err));

	assert_true(sqlite_rows_next(&r));
	assert_true(sqlite_int(&r, 0, &n) && n == INT64_MAX);
	assert_true(sqlite_bytes(&r, 1, &at, &len));
	assert_true(len == 1 && *at == 'x');
	assert_false(sqlite_has(&r, 2));
	assert_string_equal(names_text(&f.trace.names,
				    sqlite_text(&r, 1, &f.text)),
		"x");

	assert_true(sqlite_rows_next(&r));
	assert_int_equal(sqlite_int_or(&r, 0, -1), 2);
	assert_int_equal(sqlite_text(&r, 1, &f.text), 0);
	assert_true(isnan(sqlite_real_or(&r, 1, NAN)));
	assert_int_equal(count(&f, NOTE_sqlite_type), 0);

	assert_true(sqlite_rows_next(&r));
	assert_int_equal(sqlite_int_or(&r, 0, -1), -1);
	assert_true(sqlite_real_or(&r, 0, 0) == 2.5);
	assert_true(sqlite_bytes(&r, 1, &at, &len));
	assert_true(len == 1 && *at == '7');
	assert_int_equal(count(&f, NOTE_sqlite_type), 1);

	assert_true(sqlite_rows_next(&r));
	assert_int_equal(sqlite_int_or(&r, 0, -1), -1);
	assert_true(sqlite_bytes(&r, 1, &at, &len) && len == 2);
	assert_int_equal(count(&f, NOTE_sqlite_type), 2);
	assert_string_equal(detail(&f, NOTE_sqlite_type), "T.a");

	assert_true(sqlite_rows_next(&r));
	assert_false(sqlite_int(&r, 0, &n));
	assert_true(sqlite_real_or(&r, 1, 0) == 1.5);
	assert_false(sqlite_rows_next(&r));
	assert_true(sqlite_rows_close(&r, &f.err));
	assert_int_equal(count(&f, NOTE_sqlite_type), 2);
	close_it(&f);
}

static void test_only_plain_tables(void **state)
{
	int64_t sum;
	(void)state;
	make(&f, "CREATE TABLE real_one(a); INSERT INTO real_one VALUES(5);"
		 "CREATE VIEW seen AS SELECT a FROM real_one;"
		 "CREATE TABLE triggered(a); INSERT INTO triggered VALUES(6);"
		 "CREATE TRIGGER tr AFTER INSERT ON triggered BEGIN "
		 "DELETE FROM real_one; END;"
		 "CREATE VIRTUAL TABLE words USING fts5(a);"
		 "CREATE TABLE made(b, a AS (b + 1)); INSERT INTO made "
		 "VALUES(1);"
		 "CREATE TABLE other(b);"
		 "CREATE TABLE \"q\"\"uote\"(a); INSERT INTO \"q\"\"uote\" "
		 "VALUES(7);");
	assert_true(open_it(&f));
	assert_null(sqlite_file_table(&f.file, "seen"));
	assert_null(sqlite_file_table(&f.file, "words"));
	assert_int_equal(rows_of("seen", &sum), 0);
	assert_int_equal(rows_of("words", &sum), 0);
	assert_int_equal(rows_of("absent", &sum), 0);
	assert_true(rows_of("real_one", &sum) == 1 && sum == 5);
	assert_true(rows_of("triggered", &sum) == 1 && sum == 6);
	assert_true(rows_of("q\"uote", &sum) == 1 && sum == 7);
	assert_int_equal(count(&f, NOTE_sqlite_no_column), 0);
	assert_int_equal(rows_of("made", &sum), 0);
	assert_int_equal(rows_of("other", &sum), 0);
	assert_int_equal(count(&f, NOTE_sqlite_no_column), 2);
	assert_string_equal(detail(&f, NOTE_sqlite_no_column), "made.a");
	size_t i = 0;
	assert_string_equal(sqlite_file_prefix(&f.file, "MA", &i), "made");
	assert_null(sqlite_file_prefix(&f.file, "MA", &i));
	close_it(&f);
}

static void test_names(void **state)
{
	struct sqlite_names n;
	uint32_t id, again;
	(void)state;
	make(&f, "CREATE TABLE S(id INTEGER NOT NULL PRIMARY KEY, value TEXT);"
		 "INSERT INTO S VALUES(3,'three'),(-1,'less'),(9,NULL);"
		 "CREATE TABLE L(id INT, value TEXT); INSERT INTO L SELECT * "
		 "FROM S;");
	assert_true(open_it(&f));
	for (int i = 0; i < 2; i++) {
		assert_true(sqlite_names_open(&n, &f.file, i ? "L" : "S", "id",
			"value", &f.text, &f.err));
		assert_true(sqlite_names_of(&n, 3, &id, &f.err));
		assert_string_equal(names_text(&f.trace.names, id), "three");
		assert_true(sqlite_names_of(&n, 3, &again, &f.err));
		assert_int_equal(again, id);
		assert_true(sqlite_names_of(&n, -1, &id, &f.err));
		assert_string_equal(names_text(&f.trace.names, id), "less");
		assert_true(sqlite_names_of(&n, 9, &id, &f.err) && id == 0);
		assert_true(sqlite_names_of(&n, 4, &id, &f.err) && id == 0);
		sqlite_names_close(&n);
	}
	assert_true(sqlite_names_open(&n, &f.file, NULL, "id", "value", &f.text,
		&f.err));
	assert_true(sqlite_names_of(&n, 3, &id, &f.err) && id == 0);
	sqlite_names_close(&n);
	close_it(&f);
}

static void test_utf16(void **state)
{
	struct sqlite_rows r;
	(void)state;
	make(&f, "PRAGMA encoding='UTF-16le'; CREATE TABLE T(a, b);"
		 "INSERT INTO T VALUES(1, 'größer 😀');");
	assert_true(open_it(&f));
	assert_true(sqlite_rows_open(&r, &f.file, "T", columns, 3, &f.err));
	assert_true(sqlite_rows_next(&r));
	assert_string_equal(names_text(&f.trace.names,
				    sqlite_text(&r, 1, &f.text)),
		"größer 😀");
	assert_true(sqlite_rows_close(&r, &f.err));
	close_it(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_only_plain_tables),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_utf16),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
