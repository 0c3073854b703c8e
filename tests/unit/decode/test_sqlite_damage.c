/* test_sqlite_damage.c - tests databases that are damaged or truncated, or
 * that a naive reader would read forever. */
#include "sqlite_fixture.h"

enum { PAGE = 512, INNER = 5 };

static const char many[] =
	"PRAGMA page_size=512; CREATE TABLE T(a, b); CREATE TABLE U(a);"
	"INSERT INTO U VALUES(1);"
	"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n "
	"WHERE i < 2000) INSERT INTO T SELECT i, 'xxxxxxxxxxxxxxxx' FROM n;";

/* A page in the middle of a table is invalid. The rows before this page and
 * the other tables are still used. */
static void test_damaged_page(void **state)
{
	int64_t sum;
	(void)state;
	make(&f, many);
	memset(f.bytes + PAGE * 60, 0xEE, PAGE);
	assert_true(open_it(&f));
	int rows = rows_of("T", &sum);
	assert_true(rows > 100 && rows < 2000);
	assert_int_equal(sum, (int64_t)rows * (rows + 1) / 2);
	assert_int_equal(count(&f, NOTE_sqlite_damaged), 1);
	assert_string_equal(detail(&f, NOTE_sqlite_damaged), "T");
	assert_int_equal(rows_of("U", &sum), 1);
	close_it(&f);
}

static void test_cut(void **state)
{
	int64_t sum;
	(void)state;
	make(&f, many);
	f.len = f.len * 3 / 4 + 100;
	assert_true(open_it(&f));
	assert_true(rows_of("T", &sum) > 100);
	assert_int_equal(count(&f, NOTE_sqlite_damaged), 1);
	assert_int_equal(count(&f, NOTE_truncated), (int64_t)f.len);
	close_it(&f);
	f.len = 700;
	assert_false(open_it(&f));
	assert_int_equal(f.err.code, ERR_TRACE);
	close_it(&f);
	f.len = 50;
	assert_false(open_it(&f));
	assert_string_equal(f.err.text,
		"the file breaks off inside its SQLite header");
	close_it(&f);
}

/* The children of an inner page are all replaced by the page of that number. */
static void point_at(unsigned char *page, uint8_t number)
{
	const uint8_t child[4] = { 0, 0, 0, number };
	int cells = page[3] << 8 | page[4];
	memcpy(page + 8, child, 4);
	for (int i = 0; i < cells; i++)
		memcpy(page + (page[12 + 2 * i] << 8 | page[13 + 2 * i]), child,
			4);
}

/* All child pointers of the first inner page lead to the second, and all those
 * of the second lead to one leaf. Together they list more rows than the file
 * can contain. */
static void test_pages_in_circles(void **state)
{
	unsigned char *inner[2] = { NULL, NULL };
	int64_t sum;
	(void)state;
	make(&f, many);
	int found = 0, leaf = 4;
	for (size_t at = 2 * PAGE; at < f.len && found < 2; at += PAGE)
		if (f.bytes[at] == INNER)
			inner[found++] = (unsigned char *)f.bytes + at;
	assert_int_equal(found, 2);
	size_t second = (size_t)(inner[1] - (unsigned char *)f.bytes) / PAGE;
	point_at(inner[0], (uint8_t)(second + 1));
	point_at(inner[1], (uint8_t)(leaf + 1));
	assert_true(open_it(&f));
	assert_int_equal(rows_of("T", &sum), (int)(f.len / 6) + 1);
	assert_int_equal(count(&f, NOTE_sqlite_endless), 1);
	assert_int_equal(count(&f, NOTE_sqlite_damaged), 0);
	assert_int_equal(rows_of("U", &sum), 1);
	close_it(&f);
}

static void test_write_ahead(void **state)
{
	int64_t sum;
	(void)state;
	make(&f, "PRAGMA journal_mode=WAL; CREATE TABLE T(a);"
		 "INSERT INTO T VALUES(4);");
	assert_true(open_it(&f));
	assert_true(rows_of("T", &sum) == 1 && sum == 4);
	assert_int_equal(count(&f, NOTE_sqlite_wal), (int64_t)f.len);
	close_it(&f);
}

static bool stop(void *ctx, int64_t stored, int64_t plain, struct err *e)
{
	int *left = ctx;
	(void)stored, (void)plain;
	return (*left)-- > 0 || err_set(e, ERR_BUSY, "stop requested");
}

/* The callback that receives the rows may stop the reading, also in the
 * middle of a table. */
static void test_stopped(void **state)
{
	static const char rows[] =
		"CREATE TABLE T(a);"
		"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM "
		"n "
		"WHERE i < 50000) INSERT INTO T SELECT i FROM n;";
	struct sqlite_rows r;
	int left = 1;
	struct decode_progress progress = { stop, &left };
	(void)state;
	make(&f, rows);
	assert_true(open_it(&f));
	f.plain.progress = &progress;
	assert_true(sqlite_rows_open(&r, &f.file, "T", columns, 3, &f.err));
	while (sqlite_rows_next(&r))
		;
	assert_false(sqlite_rows_close(&r, &f.err));
	assert_string_equal(f.err.text, "stop requested");
	assert_true(r.rows > 0 && r.rows < 50000);
	close_it(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_damaged_page),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_pages_in_circles),
		cmocka_unit_test(test_write_ahead),
		cmocka_unit_test(test_stopped),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
