/* db_intern.c - one dictionary for all processes: no duplicates, no
 * deadlocks. */
#include "fixture.h"
#include "intern.h"

enum { NAMES = 10000, PROCESSES = 4 };

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

static int series; /* makes the names of each round new */

/* A run of `n` kernels named <series>-<from>, …, similar to real names. */
static struct profile named(struct arena *a, int from, int n, int step)
{
	struct profile p = { .arena = a, .kernels_n = (uint32_t)n };
	p.kernels = arena_array(a, struct profile_kernel, (size_t)n);
	for (int i = 0; i < n; i++) {
		p.kernels[i].name = arena_printf(a,
			"void kernel_%d<%d, float>(float*, int)", series,
			from + i * step);
		p.kernels[i].short_name = arena_printf(a, "kernel_%d", series);
	}
	return p;
}

/* Whether the dictionary gives each name the id that intern_kernels()
 * returned. */
static bool as_stored(struct db *db, const struct profile *p,
	const int64_t *ids, struct err *e)
{
	for (uint32_t i = 0; i < p->kernels_n; i += 97) {
		struct sql_params q = { 0 };
		struct result r;
		sql_text(&q, p->kernels[i].name);
		if (!sql_run(db,
			    "SELECT id FROM kernel "
			    "WHERE sha256 = sha256(convert_to($1, 'UTF8'))",
			    &q, &r, e))
			return false;
		bool same = r.n == 1 && result_next(&r) &&
			    result_int8(&r, 0) == ids[i];
		result_release(&r);
		if (!same)
			return err_set(e, ERR_INTERNAL, "'%s' has another id",
				p->kernels[i].name);
	}
	return true;
}

static bool intern_all(struct db *db, const struct profile *p, struct err *e)
{
	struct arena a = { 0 };
	int64_t **ids;
	bool ok = intern_kernels(db, &a, p, 1, &ids, e) &&
		  as_stored(db, p, ids[0], e);
	arena_release(&a);
	return ok;
}

static bool intern_same(struct db *db, int nth, struct err *e)
{
	(void)nth;
	struct arena a = { 0 };
	struct profile p = named(&a, 0, NAMES, 1);
	bool ok = intern_all(db, &p, e);
	arena_release(&a);
	return ok;
}

/* Process n interns the names n, n + 1·s, n + 2·s, …. It shares many names
 * with each other process and has some that no other process has. */
static bool intern_overlapping(struct db *db, int nth, struct err *e)
{
	struct arena a = { 0 };
	struct profile p = named(&a, nth, NAMES / (nth + 1), nth + 1);
	bool ok = intern_all(db, &p, e);
	arena_release(&a);
	return ok;
}

static void the_same_new_names_by_four_at_once(void **state)
{
	struct db *db = *state;
	for (series = 0; series < 5; series++) {
		fixture_together(PROCESSES, "", intern_same);
		assert_int_equal(fixture_count(db,
					 "SELECT count(*) FROM kernel"),
			NAMES * (series + 1));
	}
	assert_int_equal(fixture_count(db,
				 "SELECT count(DISTINCT name) FROM kernel"),
		5 * NAMES);
}

static void overlapping_new_names_by_four_at_once(void **state)
{
	struct db *db = *state;
	for (series = 10; series < 15; series++)
		fixture_together(PROCESSES, "", intern_overlapping);
	assert_int_equal(fixture_count(db,
				 "SELECT count(*) - count(DISTINCT name) "
				 "FROM kernel"),
		0);
}

static void known_names_use_no_ids(void **state)
{
	struct db *db = *state;
	struct err e = { 0 };
	series = 20;
	assert_true(intern_same(db, 0, &e));
	int64_t last =
		fixture_count(db, "SELECT last_value FROM pg_sequences "
				  "WHERE sequencename = 'kernel_id_seq'");
	for (int i = 0; i < 3; i++)
		assert_true(intern_same(db, 0, &e));
	assert_int_equal(fixture_count(db,
				 "SELECT last_value FROM pg_sequences "
				 "WHERE sequencename = 'kernel_id_seq'"),
		last);
}

static void name_of_ten_megabytes(void **state)
{
	struct db *db = *state;
	enum { LONG = 10 << 20 };
	struct arena a = { 0 };
	char *name = arena_alloc(&a, LONG + 1, 1);
	struct profile_kernel kernels[3] = {
		{ .name = name, .short_name = "long" },
		{ .name = "", .short_name = "" },
		{ .name = "short", .mangled = "_Z5short", .short_name = "s" },
	};
	struct profile p = { .kernels = kernels, .kernels_n = 3 };
	int64_t **ids, **again;
	memset(name, 'n', LONG);
	works(intern_kernels(db, &a, &p, 1, &ids, &e));
	works(intern_kernels(db, &a, &p, 1, &again, &e));
	assert_memory_equal(ids[0], again[0], 3 * sizeof **ids);
	assert_true(ids[0][0] != ids[0][1] && ids[0][1] != ids[0][2]);
	assert_int_equal(fixture_count(db,
				 "SELECT max(octet_length(name))::int8 "
				 "FROM kernel"),
		LONG);
	arena_release(&a);
}

static void runs_share_their_names(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	int64_t **ids;
	series = 30;
	struct profile runs[] = { named(&a, 0, 3, 1), named(&a, 2, 3, 1),
		named(&a, 0, 0, 1) };
	works(intern_kernels(db, &a, runs, 3, &ids, &e));
	assert_int_equal(ids[0][2], ids[1][0]);
	assert_true(ids[0][0] != ids[1][1]);
	assert_int_equal(fixture_count(db, "SELECT count(*) FROM kernel"), 5);
	arena_release(&a);
}

static void new_knowledge_replaces_the_old(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	int64_t **before, **after;
	struct profile_kernel k = { .name = "add", .short_name = "add" };
	struct profile p = { .kernels = &k, .kernels_n = 1 };
	works(intern_kernels(db, &a, &p, 1, &before, &e));
	k.source = (struct kernel_source){ "elementwise", "a/b.cu", "a/c.cc",
		"a's tree" };
	works(intern_kernels(db, &a, &p, 1, &after, &e));
	assert_int_equal(before[0][0], after[0][0]);
	assert_int_equal(fixture_count(db, "SELECT count(*) FROM kernel "
					   "WHERE family = 'elementwise' "
					   "AND defined_in = 'a/b.cu' "
					   "AND launched_from = 'a/c.cc' "
					   "AND source = 'a''s tree' "
					   "AND short_name = 'add'"),
		1);
	k.source = (struct kernel_source){ 0 };
	works(intern_kernels(db, &a, &p, 1, &after, &e));
	assert_int_equal(fixture_count(db,
				 "SELECT count(*) FROM kernel "
				 "WHERE num_nulls(family, defined_in, "
				 "launched_from, source) = 4"),
		1);
	arena_release(&a);
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest cases[] = {
		CASE(the_same_new_names_by_four_at_once),
		CASE(overlapping_new_names_by_four_at_once),
		CASE(known_names_use_no_ids),
		CASE(name_of_ten_megabytes),
		CASE(runs_share_their_names),
		CASE(new_knowledge_replaces_the_old),
	};
	return cmocka_run_group_tests(cases, NULL, NULL);
}
