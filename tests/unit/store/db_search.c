/* db_search.c - tests which kernels a search finds if more names match than it looks for
 * in runs, and which runs it looks in. */
#include "fleets.h"
#include "query_search.h"

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

static struct search found(struct db *db, struct arena *a, const char *word,
	const char *project)
{
	struct search is;
	works(query_search(db, a,
		&(struct search_filter){ .q = word,
			.words = &word,
			.words_n = 1,
			.project = project,
			.limit = 3 },
		&is, &e));
	return is;
}

/* Adds kernels "many_<first>" to "many_<last>" to the run. */
static void add_kernels(struct db *db, int64_t run, int first, int last)
{
	struct sql_params p = { 0 };
	sql_int8(&p, run);
	sql_int8(&p, first);
	sql_int8(&p, last);
	works(sql_run(db,
		"WITH k AS (INSERT INTO kernel (sha256, name, short_name) "
		"SELECT sha256(convert_to('many_' || g, 'UTF8')), "
		"'many_' || g, 'many_' || g "
		"FROM generate_series($2, $3) g RETURNING id) "
		"INSERT INTO run_kernel SELECT (jsonb_populate_record("
		"NULL::run_kernel, to_jsonb(r) || jsonb_build_object("
		"'run_id', $1, 'kernel_id', k.id, 'rank', 1000 + k.id))).* FROM k, LATERAL (SELECT * FROM run_kernel "
		"WHERE split = 0 LIMIT 1) r",
		&p, NULL, &e));
}

static void more_names_than_are_looked_for(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	const int64_t run = stored(db, "p", "w", "H20", 1, 20000);
	add_kernels(db, run, 1, SEARCH_KERNELS);
	struct search is = found(db, &a, "many_", NULL);
	assert_int_equal(is.kernels_of.all, SEARCH_KERNELS);
	assert_int_equal(is.kernels_of.n, 3);
	assert_false(is.kernels_more);
	add_kernels(db, run, SEARCH_KERNELS + 1, SEARCH_KERNELS + 1);
	is = found(db, &a, "many_", NULL);
	assert_int_equal(is.kernels_of.all, SEARCH_KERNELS);
	assert_true(is.kernels_more);
	/* the oldest name is still found by more of its letters */
	is = found(db, &a, "many_1", NULL);
	assert_false(is.kernels_more);
	arena_release(&a);
}

/* The kernel is in an older run of project p and in a newer one of project q. */
static void newest_run_of_the_project(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	const int64_t p = stored(db, "p", "w", "H20", 1, 20000);
	const int64_t q = stored(db, "q", "w", "H20", 1, 20001);
	const struct search all = found(db, &a, "gemm", NULL);
	assert_true(all.kernels_of.n > 0);
	assert_int_equal(all.kernels[0].run, q);
	const struct search in_p = found(db, &a, "gemm", "p");
	assert_int_equal(in_p.kernels[0].run, p);
	assert_string_equal(in_p.kernels[0].project, "p");
	assert_int_equal(found(db, &a, "gemm", "r").kernels_of.all, 0);
	arena_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(more_names_than_are_looked_for,
			setup, teardown),
		cmocka_unit_test_setup_teardown(newest_run_of_the_project,
			setup, teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
