/* db_fleet_shape.c - tests the sums over the shapes of operators, by days and
 * pages. They must equal sums over the runs themselves. */
#include "fleets.h"
#include "run_change.h"

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

static void shapes_of_all(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	struct fleet_shape_list l;
	several(db);
	for (int pass = 0; pass < 2; pass++) {
		struct fleet_filter f = any;
		f.op = "gemm";
		f.platform = "H20";
		works(query_fleet_shapes(db, &a, &f, NULL, &l, &e));
		const struct fleet_shape *rows = l.rows;
		assert_int_equal(l.n, 3);
		assert_int_equal(l.matching, 3);
		assert_int_equal(l.unknown.rows, 0);
		assert_string_equal(rows[0].op, "gemm");
		assert_string_equal(rows[0].platform, "H20");
		assert_string_equal(rows[0].text, "m=237 n=4096 k=4096");
		assert_int_equal(rows[0].dtype, DTYPE_BF16);
		assert_int_equal(rows[0].phase, PHASE_DECODE);
		assert_int_equal(rows[0].runs, 3);
		assert_int_equal(rows[0].calls, 3);
		assert_int_equal(rows[0].launches, 6);
		near(rows[0].total_s, 600e-9, 1e-20);
		near(rows[0].weighted_s, 1200e-9, 1e-20);
		/* weights of 1, 2 and 3 hours, 95 ns each */
		near(rows[0].headroom_s, 570e-9, 1e-20);
		/* most calls are in bucket 249, whose middle is 2^(249.5/32) */
		near(rows[0].med_ns, 222.379, 0.001);
		assert_true(rows[0].costed);
		assert_int_equal(rows[0].cost.flops[DTYPE_BF16], 7952400384);
		assert_int_equal(rows[0].cost.flops[DTYPE_FP32], 3);
		assert_int_equal(rows[0].cost.read_bytes, 35495936);
		assert_int_equal(rows[0].cost.write_bytes, 1941504);
		near(rows[0].sol_ns, 100.25, 0);
		assert_int_equal(rows[0].leg, LEG_COMPUTE);
		assert_int_equal(rows[1].leg, LEG_MEMORY);
		f.since = 20001 * INT64_C(86400000000);
		works(query_fleet_shapes(db, &a, &f,
			&(struct fleet_shape_page){ .offset = 1, .limit = 1 },
			&l, &e));
		assert_int_equal(l.n, 1);
		assert_int_equal(l.matching, 3);
		assert_int_equal(l.rows[0].runs, 2);
		f = any;
		works(query_fleet_shapes(db, &a, &f, NULL, &l, &e));
		assert_int_equal(l.n, 5 * 3);
		folded(db);
	}
	arena_release(&a);
}

/* Formats everything as text. */
static const char *shapes(struct db *db, struct arena *a, struct fleet_filter f)
{
	struct fleet_shape_list l;
	const char *all = "";
	works(query_fleet_shapes(db, a, &f, NULL, &l, &e));
	const struct fleet_shape *s = l.rows;
	for (uint32_t i = 0; i < l.n; i++)
		all = arena_printf(a,
			"%s%s %s %s %d %d: %lld %lld %lld %.17g %.17g %.17g "
			"%.17g %d %lld %lld %lld %.17g %d\n",
			all, s[i].op, s[i].platform ? s[i].platform : "-",
			s[i].text ? s[i].text : "-", (int)s[i].dtype,
			(int)s[i].phase, (long long)s[i].runs,
			(long long)s[i].calls, (long long)s[i].launches,
			s[i].total_s, s[i].weighted_s, s[i].headroom_s,
			s[i].med_ns, s[i].costed,
			(long long)s[i].cost.flops[DTYPE_BF16],
			(long long)s[i].cost.read_bytes,
			(long long)s[i].cost.write_bytes, s[i].sol_ns,
			(int)s[i].leg);
	return all;
}

/* From the rollups, and from the runs. */
static const char *same_shapes(struct db *db, struct arena *a,
	struct fleet_filter f)
{
	const char *sums = shapes(db, a, f);
	f.labels = "{}";
	assert_string_equal(sums, shapes(db, a, f));
	return sums;
}

/* One run has labels. */
static void shapes_by_labels(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	struct fleet_filter f = any;
	several(db);
	f.op = "gemm";
	same_shapes(db, &a, f);
	fixture_script(db,
		"UPDATE run SET labels = '{\"a\": \"b\", \"c\": \"d\"}' "
		"WHERE project = 'q' AND platform = 'H100'");
	folded(db);
	f.platform = "H100";
	const char *one = same_shapes(db, &a, f);
	f.phase = PHASE_PREFILL;
	assert_string_not_equal(same_shapes(db, &a, f), one);
	f = any;
	f.op = "gemm";
	same_shapes(db, &a, f);
	f.labels = "{\"a\": \"b\", \"c\": \"d\"}";
	assert_string_equal(shapes(db, &a, f), one);
	f.labels = "{\"a\": \"b\", \"c\": \"b\"}";
	assert_string_equal(shapes(db, &a, f), "");
	f = any;
	f.op = "copy";
	same_shapes(db, &a, f);
	f.since = 20002 * INT64_C(86400000000);
	f.until = 20100 * INT64_C(86400000000);
	same_shapes(db, &a, f);
	arena_release(&a);
}

/* The sizes of a page, one per line. */
static const char *sizes(struct db *db, struct arena *a, struct fleet_filter f,
	struct fleet_shape_page p)
{
	struct fleet_shape_list l;
	const char *all = "";
	works(query_fleet_shapes(db, a, &f, &p, &l, &e));
	for (uint32_t i = 0; i < l.n; i++)
		all = arena_printf(a, "%s%s %d\n", all,
			l.rows[i].text ? l.rows[i].text : "-",
			(int)l.rows[i].phase);
	return all;
}

/* Of a shape, half of the time can be headroom, of another nothing. */
static void shapes_in_other_orders(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	struct fleet_filter f = any;
	struct profile p = operator_fixture_profile(&a);
	p.operators.shapes[1].headroom_ns = 99;
	fixture_save(db, "1", &p, 1);
	f.op = "gemm";
	assert_string_equal(sizes(db, &a, f, (struct fleet_shape_page){ 0 }),
		"m=237 n=4096 k=4096 2\nm=1 n=4096 k=4096 1\n"
		"m=1 n=4096 k=4096 2\n");
	assert_string_equal(sizes(db, &a, f,
				    (struct fleet_shape_page){
					    .by = FLEET_SHAPES_HEADROOM }),
		"m=1 n=4096 k=4096 2\nm=237 n=4096 k=4096 2\n"
		"m=1 n=4096 k=4096 1\n");
	assert_string_equal(sizes(db, &a, f,
				    (struct fleet_shape_page){
					    .by = FLEET_SHAPES_HEADROOM,
					    .reverse = true,
					    .limit = 2 }),
		"m=1 n=4096 k=4096 1\nm=237 n=4096 k=4096 2\n");
	arena_release(&a);
}

static void shapes_that_contain_all_words(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	struct fleet_filter f = any;
	struct profile p = operator_fixture_profile(&a);
	struct fleet_shape_page q = { .q = "  N=4096 BF16 m=2 " };
	fixture_save(db, "1", &p, 1);
	f.op = "gemm";
	assert_string_equal(sizes(db, &a, f, q), "m=237 n=4096 k=4096 2\n");
	q.q = "bf16 h20";
	assert_int_equal(strlen(sizes(db, &a, f, q)), 22 + 20 + 20);
	q.q = "bf16 fp32";
	assert_string_equal(sizes(db, &a, f, q), "");
	q.q = " ";
	assert_int_equal(strlen(sizes(db, &a, f, q)), 22 + 20 + 20);
	arena_release(&a);
}

/* Unattributed time has no sizes; a run from before shapes had headroom makes
 * the headroom of its shapes unknown, not less. */
static void shapes_without_figures(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	struct fleet_filter f = any;
	struct profile p = operator_fixture_profile(&a);
	struct fleet_shape_list l;
	p.operators.shapes[3].text = NULL;
	fixture_save(db, "1", &p, 1);
	p.operators.shapes[0].headroom_ns = -1;
	fixture_save(db, "2", &p, 1);
	f.op = "copy";
	works(query_fleet_shapes(db, &a, &f,
		&(struct fleet_shape_page){ .offset = 7, .q = "none" }, &l,
		&e));
	assert_int_equal(l.n, 0);
	assert_int_equal(l.matching, 0);
	assert_int_equal(l.unknown.rows, 1);
	assert_int_equal(l.unknown.calls, 4);
	near(l.unknown.total_s, 120e-9, 1e-20);
	f.op = "gemm";
	works(query_fleet_shapes(db, &a, &f, NULL, &l, &e));
	assert_true(isnan(l.rows[0].headroom_s));
	near(l.rows[1].headroom_s, 0, 0);
	near(l.rows[2].headroom_s, 90e-9, 1e-20);
	arena_release(&a);
}

/* Two rows of one run have one shape. */
static void shapes_of_a_run_count_it_once(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	struct fleet_filter f = any;
	struct profile p = operator_fixture_profile(&a);
	p.operators.shapes[1].text = p.operators.shapes[0].text;
	fixture_save(db, "1", &p, 1);
	f.op = "gemm";
	f.phase = PHASE_DECODE;
	const char *one = same_shapes(db, &a, f);
	assert_non_null(strstr(one, "m=237 n=4096 k=4096 4 2: 1 2 3 "));
	arena_release(&a);
}

static int64_t counted(struct db *db, struct fleet_filter f, const char *name)
{
	struct arena a = { 0 };
	struct fleet out;
	int64_t n = 0;
	works(query_fleet(db, &a, &f, &out, &e));
	if (!out.counts)
		n = -1;
	for (uint32_t i = 0; i < out.counts_n; i++)
		if (!strcmp(out.counts[i].op, name))
			n += out.counts[i].shapes;
	arena_release(&a);
	return n;
}

/* Counts one shape with two dtypes and two phases as one. Counts one more
 * shape while its run exists. */
static void shapes_are_counted(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	struct fleet_filter f = any;
	struct profile p = operator_fixture_profile(&a);
	assert_int_equal(counted(db, f, "gemm"), 0);
	several(db);
	p.operators.shapes[1].text = "m=7 n=4096 k=4096";
	int64_t upload = fixture_save(db, "1", &p, 1);
	for (int pass = 0; pass < 2; pass++) {
		assert_int_equal(counted(db, f, "gemm"), 3);
		assert_int_equal(counted(db, f, "copy"), 1);
		folded(db);
	}
	works(run_delete(db, *fixture_runs(db, &a, upload, 1), &e));
	for (int pass = 0; pass < 2; pass++) {
		assert_int_equal(counted(db, f, "gemm"), 2);
		folded(db);
	}
	f.project = "p";
	assert_int_equal(counted(db, f, "gemm"), -1);
	arena_release(&a);
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest cases[] = {
		CASE(shapes_of_all),
		CASE(shapes_by_labels),
		CASE(shapes_in_other_orders),
		CASE(shapes_that_contain_all_words),
		CASE(shapes_without_figures),
		CASE(shapes_of_a_run_count_it_once),
		CASE(shapes_are_counted),
	};
	return cmocka_run_group_tests(cases, NULL, NULL);
}
