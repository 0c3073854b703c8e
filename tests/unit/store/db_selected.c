/* db_selected.c - tests which runs a query selects: the newest units and
 * complete jobs, but no runs of the head and no runs after the head. */
#include "ranks.h"
#include "query.h"

static int teardown(void **state)
{
	db_free(*state);
	return 0;
}

enum { MOST = 6 };

/* The ids as "1 2 3", with a '+' at the end if there are more. */
static const char *found(struct db *db, struct arena *a,
	const struct select_filter *f)
{
	int64_t ids[MOST];
	const char *text = "";
	uint32_t n;
	bool more;
	works(query_selected(db, f, MOST, ids, &n, &more, &e));
	for (uint32_t i = 0; i < n; i++)
		text = arena_printf(a, "%s%s%lld", text, i ? " " : "",
			(long long)ids[i]);
	return arena_printf(a, "%s%s", text, more ? " +" : "");
}

/* Makes runs 1 and 2; job 3 4 5 with the ranks 2 1 0; run 6; and run 7 in
 * another project. They are one minute apart, except for the runs of the job,
 * which are stored at the same moment. */
static void made(struct db *db)
{
	static const int32_t ranks_of[] = { 2, 1, 0 };
	RANKS(db, "p", "", "1", -1);
	RANKS(db, "p", "", "2", -1);
	ranks(db, "p", "three", "3", 3, ranks_of);
	RANKS(db, "p", "", "4", -1);
	RANKS(db, "q", "", "5", -1);
	fixture_script(db,
		"UPDATE run SET created_at = timestamptz '2026-01-01 00:00Z' "
		"+ interval '1 minute' * CASE WHEN run_id IN (3, 4, 5) THEN 3 "
		"ELSE run_id END, "
		"workload = 'w', framework = 'f', "
		"labels = jsonb_build_object('n', run_id::text) "
		"|| jsonb '{\"branch\": \"main\"}'");
}

static int setup(void **state)
{
	*state = fixture_db();
	fixture_script(*state, "ALTER SEQUENCE run_identity_id_seq RESTART");
	made(*state);
	return 0;
}

#define MINUTE(n) (INT64_C(1767225600000000) + INT64_C(60000000) * (n))

static void units(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	struct select_filter f = { .project = "p",
		.since = NO_MOMENT,
		.until = NO_MOMENT,
		.units = 1 };
	assert_string_equal(found(db, &a, &f), "6");
	f.units = 2;
	assert_string_equal(found(db, &a, &f), "5 4 3 6");
	f.units = 3;
	assert_string_equal(found(db, &a, &f), "2 5 4 3 6");
	f.units = 64;
	assert_string_equal(found(db, &a, &f), "1 2 5 4 3 6");
	f.project = NULL;
	assert_string_equal(found(db, &a, &f), "1 2 5 4 3 6 +");
	f.workload = "none";
	assert_string_equal(found(db, &a, &f), "");
	arena_release(&a);
}

static void filters(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	struct select_filter f = { .within = "q",
		.since = NO_MOMENT,
		.until = NO_MOMENT,
		.units = 9 };
	assert_string_equal(found(db, &a, &f), "7");
	f.project = "p";
	assert_string_equal(found(db, &a, &f), "");
	f.within = "p";
	f.since = MINUTE(2);
	f.until = MINUTE(6);
	f.framework = "f";
	f.workload = "w";
	f.labels = "{\"branch\":\"main\"}";
	assert_string_equal(found(db, &a, &f), "2 5 4 3");
	/* one of its runs selects a job */
	f.labels = "{\"n\":\"4\"}";
	assert_string_equal(found(db, &a, &f), "5 4 3");
	f.labels = "{\"n\":\"4\",\"branch\":\"other\"}";
	assert_string_equal(found(db, &a, &f), "");
	/* one of its runs was moved to a project that the query cannot see */
	fixture_script(db, "UPDATE run SET project = 'q' WHERE run_id = 3");
	f.labels = "{\"n\":\"4\"}";
	assert_string_equal(found(db, &a, &f), "5 4");
	/* or was stored later */
	fixture_script(db,
		"UPDATE run SET created_at = created_at + interval '1 hour' "
		"WHERE run_id = 5");
	assert_string_equal(found(db, &a, &f), "4");
	arena_release(&a);
}

static void without_the_head(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	struct selected_first first;
	/* one rank of the job, and run 6 */
	static const int64_t head[] = { 6, 4 };
	works(query_selected_first(db, &a, head, 2, &first, &e));
	assert_int_equal(first.run, 4);
	assert_int_equal(first.created, MINUTE(3));
	assert_string_equal(first.project, "p");
	assert_string_equal(first.workload, "w");
	struct select_filter f = { .since = NO_MOMENT,
		.until = NO_MOMENT,
		.without = head,
		.without_n = 2,
		.units = 9 };
	assert_string_equal(found(db, &a, &f), "1 2 7");
	f.until = first.created;
	assert_string_equal(found(db, &a, &f), "1 2");

	static const int64_t gone[] = { 6, 77, 78 };
	refuses(query_selected_first(db, &a, gone, 3, &first, &e),
		ERR_NOT_FOUND, "no run 77");
	arena_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(units),
		cmocka_unit_test(without_the_head),
		cmocka_unit_test(filters),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
