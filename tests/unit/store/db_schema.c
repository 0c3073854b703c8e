/* db_schema.c - rules that the schema keeps, read from PostgreSQL's own
 * catalogue, so that a table added later is held to them too. */
#include "fixture.h"

/* Small, and local or a reference table where the others are distributed. */
#define LOCAL "('upload', 'run_identity', 'token', 'kernel', 'migration')"

#define BIG                                            \
	"pg_class t WHERE t.relkind = 'r' "            \
	"AND t.relnamespace = 'public'::regnamespace " \
	"AND t.relname NOT IN " LOCAL " "

/* Names what breaks the rule; NULL where nothing does. */
static void none(struct db *db, const char *sql)
{
	struct arena a = { 0 };
	struct result r;
	works(sql_run(db, sql, NULL, &r, &e));
	if (result_next(&r))
		fail_msg("'%s'", result_text(&r, &a));
	result_release(&r);
}

static void every_big_table_has_a_distribution_column(void **state)
{
	(void)state;
	struct db *db = fixture_db();
	assert_int_equal(fixture_count(db, "SELECT count(*) FROM " BIG), 6);
	none(db, "SELECT t.relname::text FROM " BIG
		 "AND NOT EXISTS (SELECT FROM pg_attribute a "
		 "WHERE a.attrelid = t.oid AND a.attnotnull "
		 "AND a.attname IN ('run_id', 'upload_id'))");
	db_free(db);
}

static void every_unique_key_begins_with_it(void **state)
{
	(void)state;
	struct db *db = fixture_db();
	none(db, "SELECT t.relname || ' ' || i.indexrelid::regclass FROM "
		 "pg_index i JOIN pg_class t ON t.oid = i.indrelid "
		 "LEFT JOIN pg_attribute a ON a.attrelid = t.oid "
		 "AND a.attnum = i.indkey[0] "
		 "WHERE i.indisunique AND t.relkind = 'r' "
		 "AND t.relnamespace = 'public'::regnamespace "
		 "AND t.relname NOT IN " LOCAL
		 " AND a.attname IS DISTINCT FROM CASE t.relname "
		 "WHEN 'upload_chunk' THEN 'upload_id' ELSE 'run_id' END");
	none(db, "SELECT t.relname::text FROM " BIG
		 "AND NOT EXISTS (SELECT FROM pg_constraint c "
		 "WHERE c.conrelid = t.oid AND c.contype = 'p')");
	db_free(db);
}

static void big_tables_refer_to_nothing_but_the_dictionary(void **state)
{
	(void)state;
	struct db *db = fixture_db();
	none(db, "SELECT c.conname::text FROM pg_constraint c "
		 "JOIN pg_class t ON t.oid = c.conrelid "
		 "WHERE c.contype = 'f' AND t.relname NOT IN " LOCAL
		 " AND c.confrelid <> 'kernel'::regclass");
	assert_int_equal(fixture_count(db,
				 "SELECT count(*) FROM pg_constraint "
				 "WHERE contype = 'f' "
				 "AND conrelid = 'run_kernel'::regclass "
				 "AND confrelid = 'kernel'::regclass"),
		1);
	db_free(db);
}

static void chunks_are_not_compressed_again(void **state)
{
	(void)state;
	struct db *db = fixture_db();
	assert_int_equal(fixture_count(db,
				 "SELECT count(*) FROM pg_attribute "
				 "WHERE attrelid = 'upload_chunk'::regclass "
				 "AND attname = 'bytes' "
				 "AND attstorage = 'e'"),
		1);
	db_free(db);
}

static void rows_that_make_no_sense_are_refused(void **state)
{
	(void)state;
	struct db *db = fixture_db();
	static const char *const bad[] = {
		/* a state nobody knows; queued without bytes; failed without
		 * a sentence; labels that are no object of texts */
		"INSERT INTO upload (state, project, workload, name, job, "
		"labels, file_name) VALUES ('lost', '', '', '', '', '{}', '')",
		"INSERT INTO upload (state, project, workload, name, job, "
		"labels, file_name) VALUES ('queued', '', '', '', '', '{}', "
		"'')",
		"UPDATE upload SET state = 'failed', finished_at = now()",
		"UPDATE upload SET labels = '[]'",
		"UPDATE upload SET labels = '{\"a\": 1}'",
		"UPDATE upload SET labels = '{\"a\": [\"b\"]}'",
		"UPDATE upload SET gpu_hours = 'NaN'",
		"UPDATE upload SET gpu_hours = -1",
		/* an empty chunk, one too large, one before the first */
		"INSERT INTO upload_chunk VALUES (1, 0, '')",
		"INSERT INTO upload_chunk VALUES (1, 0, "
		"convert_to(repeat('a', 1048577), 'UTF8'))",
		"INSERT INTO upload_chunk VALUES (1, -1, 'a')",
		/* a name under another name's hash */
		"INSERT INTO kernel (sha256, name, short_name) "
		"VALUES (sha256('b'), 'a', 'a')",
		"INSERT INTO token (name, scope, sha256) "
		"VALUES ('t', 'root', sha256('a'))",
		"INSERT INTO run_note VALUES (1, 'x', 'loss', 0, '')",
	};
	int64_t id;
	works(upload_begin(db, &fixture_meta, &id, &e));
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct err e = { 0 };
		if (sql_script(db, bad[i], &e))
			fail_msg("accepted: %s", bad[i]);
		assert_int_equal(e.code, ERR_INTERNAL);
	}
	db_free(db);
}

int main(void)
{
	const struct CMUnitTest cases[] = {
		cmocka_unit_test(every_big_table_has_a_distribution_column),
		cmocka_unit_test(every_unique_key_begins_with_it),
		cmocka_unit_test(
			big_tables_refer_to_nothing_but_the_dictionary),
		cmocka_unit_test(chunks_are_not_compressed_again),
		cmocka_unit_test(rows_that_make_no_sense_are_refused),
	};
	return cmocka_run_group_tests(cases, NULL, NULL);
}
