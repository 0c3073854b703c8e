/* db_audit.c - the audit log: an entry is written before the change,
 * completed after it, and listed by page. */
#include "audit.h"
#include "fixture.h"

static int setup(void **state)
{
	struct db *db = fixture_db();
	fixture_script(db, "TRUNCATE audit");
	*state = db;
	return 0;
}

static int teardown(void **state)
{
	db_free(*state);
	return 0;
}

static const struct audit_row row = {
	.who = "ci",
	.token = 7,
	.project = "mesa",
	.method = "POST",
	.path = "/api/v1/uploads",
	.detail = "project=mesa",
};

static struct audit_row newest(struct db *db, struct arena *a)
{
	const struct audit_filter f = { .since = NO_MOMENT,
		.until = NO_MOMENT,
		.limit = 1 };
	struct audit_row *rows;
	uint32_t n;
	bool more;
	works(audit_list(db, a, &f, &rows, &n, &more, &e));
	assert_int_equal(n, 1);
	return rows[0];
}

static void begun_and_ended(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	int64_t id;
	works(audit_begin(db, &row, &id, &e));
	struct audit_row r = newest(db, &a);
	assert_int_equal(r.id, id);
	assert_string_equal(r.who, "ci");
	assert_int_equal(r.token, 7);
	assert_string_equal(r.project, "mesa");
	assert_string_equal(r.method, "POST");
	assert_string_equal(r.path, "/api/v1/uploads");
	assert_string_equal(r.detail, "project=mesa");
	assert_int_equal(r.status, 0);
	works(audit_end(db, id, 202, NULL, NULL, &e));
	r = newest(db, &a);
	assert_int_equal(r.status, 202);
	assert_string_equal(r.detail, "project=mesa");
	works(audit_end(db, id, 409, "project=other", "other", &e));
	r = newest(db, &a);
	assert_string_equal(r.detail, "project=other");
	assert_string_equal(r.project, "other");
	arena_release(&a);
}

static void a_command_is_named(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	int64_t id;
	works(audit_command(db, "vacuum", NULL, &id, &e));
	struct audit_row r = newest(db, &a);
	assert_string_equal(r.who, "kernsiftd vacuum");
	assert_string_equal(r.method, "COMMAND");
	assert_string_equal(r.path, "vacuum");
	assert_null(r.detail);
	assert_null(r.project);
	assert_int_equal(r.token, 0);
	arena_release(&a);
}

/* Text that a path may contain but a table may not: invalid bytes, and more
 * bytes than a column can store. "é" has 2 bytes: 1,999 times 'x' and one "é"
 * are 2,001 bytes, so the "é" is omitted. */
static void invalid_text_is_repaired_and_cut(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	char long_path[2002];
	int64_t id;
	memset(long_path, 'x', 1999);
	memcpy(long_path + 1999, "\xc3\xa9", 3);
	struct audit_row odd = row;
	odd.path = long_path;
	odd.detail = "a\xff";
	works(audit_begin(db, &odd, &id, &e));
	struct audit_row r = newest(db, &a);
	assert_int_equal(strlen(r.path), 1999);
	assert_string_equal(r.detail, "a\xef\xbf\xbd");
	arena_release(&a);
}

static void listed_by_page_and_filter(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	struct audit_row *rows, other = row;
	int64_t ids[3];
	uint32_t n;
	bool more;
	other.project = NULL;
	other.who = "loopback";
	works(audit_begin(db, &row, &ids[0], &e));
	works(audit_begin(db, &other, &ids[1], &e));
	works(audit_begin(db, &row, &ids[2], &e));
	struct audit_filter f = { .project = "mesa",
		.since = NO_MOMENT,
		.until = NO_MOMENT,
		.limit = 1 };
	works(audit_list(db, &a, &f, &rows, &n, &more, &e));
	assert_int_equal(rows[0].id, ids[2]);
	assert_true(more);
	int64_t at = rows[0].at;
	f.after = ids[2];
	works(audit_list(db, &a, &f, &rows, &n, &more, &e));
	assert_int_equal(rows[0].id, ids[0]);
	assert_false(more);
	f = (struct audit_filter){ .who = "loopback",
		.since = NO_MOMENT,
		.until = NO_MOMENT,
		.limit = 9 };
	works(audit_list(db, &a, &f, &rows, &n, &more, &e));
	assert_int_equal(n, 1);
	f = (struct audit_filter){ .since = at, .until = at, .limit = 9 };
	works(audit_list(db, &a, &f, &rows, &n, &more, &e));
	assert_int_equal(n, 0);
	f.until = at + 1;
	works(audit_list(db, &a, &f, &rows, &n, &more, &e));
	assert_int_equal(rows[n - 1].id, ids[2]);
	arena_release(&a);
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest cases[] = {
		CASE(begun_and_ended),
		CASE(a_command_is_named),
		CASE(invalid_text_is_repaired_and_cut),
		CASE(listed_by_page_and_filter),
	};
	return cmocka_run_group_tests(cases, NULL, NULL);
}
