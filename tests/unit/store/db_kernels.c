/* db_kernels.c - the kernel table of a run, in every order. */
#include "fixture.h"

/* name, instances, total, avg, med, min, max, stddev, p90, p99; in nsys'
 * order, which is by total. Each kernel leads in one of the middle columns. */
static const struct {
	const char *name;
	int64_t n, total;
	double avg, med;
	int64_t min, max;
	double stddev, p90, p99;
} lines[] = {
	{ "b<int>", 2, 90, 45, 44, 30, 60, 1.5, 50, 58 },
	{ "A_gemm", 8, 80, 10, 10, 10, 10, 0, 10, 10 },
	{ "c", 1, 70, 70, 70, 70, 70, 0, 70, 70 },
	{ "a", 4, 60, 15, 9, 5, 40, 20.5, 39, 40 },
	{ "gemv", 4, 60, 15, 11, 5, 40, 2.5, 30, 39.5 },
};

enum { LINES = sizeof lines / sizeof *lines };

static struct profile lined(struct arena *a)
{
	struct profile p = { .format = "kineto",
		.pid = -1,
		.rank = -1,
		.world_size = -1,
		.started_utc_ns = -1 };
	p.kernels_n = LINES;
	p.stats_n = LINES;
	p.kernels = arena_array(a, struct profile_kernel, LINES);
	p.stats = arena_array(a, struct kernel_stat, LINES);
	for (int i = 0; i < LINES; i++) {
		struct kernel_stat *s = &p.stats[i];
		p.kernels[i].name = lines[i].name;
		p.kernels[i].short_name = lines[i].name;
		*s = (struct kernel_stat){ (uint32_t)i, SPLIT_NONE, -1,
			{ -1, -1, -1 }, { -1, -1, -1 },
			{ .instances = lines[i].n,
				.total_ns = lines[i].total,
				.avg_ns = lines[i].avg,
				.med_ns = lines[i].med,
				.min_ns = lines[i].min,
				.max_ns = lines[i].max,
				.stddev_ns = lines[i].stddev,
				.p90_ns = lines[i].p90,
				.p99_ns = lines[i].p99,
				.iqr_ns = NAN },
			0, false, 20, NULL };
	}
	return p;
}

static int64_t run;

static int setup(void **state)
{
	struct arena a = { 0 };
	struct db *db = fixture_db();
	struct profile p[2] = { lined(&a), fixture_profile(&a) };
	run = fixture_runs(db, &a, fixture_save(db, "1", p, 2), 2)[0];
	arena_release(&a);
	*state = db;
	return 0;
}

static int teardown(void **state)
{
	db_free(*state);
	return 0;
}

/* The names, page by page, as "b<int> c a". */
static const char *listed(struct db *db, struct arena *a,
	struct kernel_filter f)
{
	char *text = arena_alloc(a, 200, 1);
	size_t len = 0;
	bool more = true;
	f.run = run;
	while (more) {
		struct kernel_line *rows;
		uint32_t n;
		works(query_kernels(db, a, &f, &rows, &n, &more, &e));
		assert_true(!f.limit || n <= (uint32_t)f.limit);
		for (uint32_t i = 0; i < n; i++)
			len += (size_t)snprintf(text + len, 200 - len, "%s%s",
				len ? " " : "", rows[i].is.name);
		f.offset += n;
	}
	return text;
}

#define KERNELS(want, ...)                                                  \
	assert_string_equal(listed(*state, &a,                              \
				    (struct kernel_filter){ __VA_ARGS__ }), \
		want)

static void every_order_and_its_reverse(void **state)
{
	struct arena a = { 0 };
	static const struct {
		enum kernel_sort sort;
		const char *as, *reversed;
	} orders[] = {
		{ KERNEL_TOTAL, "b<int> A_gemm c a gemv",
			"gemv a c A_gemm b<int>" },
		{ KERNEL_INSTANCES, "A_gemm a gemv b<int> c",
			"c b<int> gemv a A_gemm" },
		{ KERNEL_AVG, "c b<int> a gemv A_gemm",
			"A_gemm gemv a b<int> c" },
		{ KERNEL_MED, "c b<int> gemv A_gemm a",
			"a A_gemm gemv b<int> c" },
		{ KERNEL_MIN, "c b<int> A_gemm a gemv",
			"gemv a A_gemm b<int> c" },
		{ KERNEL_MAX, "c b<int> a gemv A_gemm",
			"A_gemm gemv a b<int> c" },
		{ KERNEL_STDDEV, "a gemv b<int> A_gemm c",
			"c A_gemm b<int> gemv a" },
		{ KERNEL_P90, "c b<int> a gemv A_gemm",
			"A_gemm gemv a b<int> c" },
		{ KERNEL_P99, "c b<int> a gemv A_gemm",
			"A_gemm gemv a b<int> c" },
		/* byte by byte: capitals first */
		{ KERNEL_NAME, "A_gemm a b<int> c gemv",
			"gemv c b<int> a A_gemm" },
	};
	for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
		KERNELS(orders[i].as, .sort = orders[i].sort);
		KERNELS(orders[i].as, .sort = orders[i].sort, .limit = 2);
		KERNELS(orders[i].reversed, .sort = orders[i].sort,
			.reverse = true);
	}
	arena_release(&a);
}

static void searched_in_any_case(void **state)
{
	struct arena a = { 0 };
	KERNELS("A_gemm gemv", .q = "GEM");
	KERNELS("A_gemm", .q = "_g"); /* not a wildcard */
	KERNELS("", .q = "%");
	KERNELS("gemv A_gemm", .q = "gem", .reverse = true, .limit = 1);
	arena_release(&a);
}

static void names_with_one_short_name(void **state)
{
	struct arena a = { 0 };
	struct profile p = lined(&a);
	const char **names;
	uint32_t n;
	works(query_shared_names(*state, &a, run, &names, &n, &e));
	assert_int_equal(n, 0);
	p.kernels[1].short_name = p.kernels[4].short_name = "gem";
	int64_t id =
		*fixture_runs(*state, &a, fixture_save(*state, "2", &p, 1), 1);
	works(query_shared_names(*state, &a, id, &names, &n, &e));
	assert_int_equal(n, 2);
	assert_string_equal(names[0], "A_gemm");
	assert_string_equal(names[1], "gemv");
	arena_release(&a);
}

static void a_page_after_the_end_is_empty(void **state)
{
	struct arena a = { 0 };
	struct kernel_filter f = { .run = run, .offset = LINES, .limit = 2 };
	struct kernel_line *rows;
	uint32_t n;
	bool more;
	works(query_kernels(*state, &a, &f, &rows, &n, &more, &e));
	assert_int_equal(n, 0);
	assert_false(more);
	f.offset = 0;
	f.limit = LINES;
	works(query_kernels(*state, &a, &f, &rows, &n, &more, &e));
	assert_int_equal(n, LINES);
	assert_false(more);
	arena_release(&a);
}

static void line_has_every_column(void **state)
{
	struct arena a = { 0 };
	struct kernel_filter f = { .run = run + 1, .split = SPLIT_GRID };
	struct kernel_line *k;
	uint32_t n;
	bool more;
	works(query_kernels(*state, &a, &f, &k, &n, &more, &e));
	assert_int_equal(n, 2);
	assert_true(k->kernel > 0);
	assert_int_equal(k->rank, 0);
	assert_string_equal(k->is.name, "void gemm<float>(int)");
	assert_string_equal(k->is.mangled, "_Z4gemmIfEvi");
	assert_string_equal(k->is.short_name, "gemm");
	assert_string_equal(k->is.source.family, "gemm");
	assert_string_equal(k->is.source.defined_in, "blas/gemm.cu");
	assert_null(k->is.source.launched_from);
	assert_string_equal(k->is.source.known_from, "the source tree");
	assert_int_equal(k->stat.split, SPLIT_GRID);
	assert_int_equal(k->stat.device, -1);
	assert_int_equal(k->stat.grid[0], 128);
	assert_int_equal(k->stat.grid[1], 2);
	assert_int_equal(k->stat.grid[2], 1);
	assert_int_equal(k->stat.block[0], 256);
	assert_int_equal(k->stat.time.instances, 3);
	assert_int_equal(k->stat.time.total_ns, 300);
	assert_int_equal(k->stat.time.min_ns, 99);
	assert_int_equal(k->stat.time.max_ns, 101);
	assert_true(k->stat.time.avg_ns == 100 && k->stat.time.med_ns == 10.5 &&
		    k->stat.time.stddev_ns == 0.3 &&
		    k->stat.time.p90_ns == 11.4 &&
		    k->stat.time.p99_ns == 11.9 && k->stat.time.iqr_ns == 1.4 &&
		    k->stat.time_pct == 66.7);
	/* A kernel whose grid is not in the trace. */
	assert_int_equal(k[1].rank, 1);
	assert_int_equal(k[1].stat.grid[0], -1);
	assert_null(k[1].is.mangled);
	assert_null(k[1].is.source.family);

	f.split = SPLIT_DEVICE;
	works(query_kernels(*state, &a, &f, &k, &n, &more, &e));
	assert_int_equal(n, 2);
	assert_int_equal(k[0].stat.device, 0);
	assert_int_equal(k[1].stat.device, 1);
	assert_int_equal(k[1].rank, 1);
	arena_release(&a);
}

/* 200 names of 64 KiB less one byte, and a short name of one byte: 128 of
 * them fill the 8 MiB of a page. */
static void page_of_long_names_ends_early(void **state)
{
	struct arena a = { 0 };
	struct profile p = { .format = "kineto", .kernels_n = 200 };
	struct kernel_filter f = { .limit = 150 };
	struct kernel_line *rows;
	const char **names;
	uint32_t n;
	bool more;
	char *text = arena_alloc(&a, 65536, 1);
	memset(text, 'n', 65535);
	p.stats_n = p.kernels_n;
	p.kernels = arena_array(&a, struct profile_kernel, p.kernels_n);
	p.stats = arena_array(&a, struct kernel_stat, p.stats_n);
	for (uint32_t i = 0; i < p.kernels_n; i++) {
		char number[12];
		snprintf(number, sizeof number, "%03u", i);
		memcpy(text, number, 3);
		p.kernels[i].name = arena_strdup(&a, text);
		p.kernels[i].short_name = "n";
		p.stats[i] = (struct kernel_stat){ i, SPLIT_NONE, -1,
			{ -1, -1, -1 }, { -1, -1, -1 }, fixture_time(2, 20), 0,
			false, 0.5, NULL };
	}
	f.run = *fixture_runs(*state, &a, fixture_save(*state, "2", &p, 1), 1);
	works(query_kernels(*state, &a, &f, &rows, &n, &more, &e));
	assert_int_equal(n, 128);
	assert_true(more);
	f.offset = 128;
	works(query_kernels(*state, &a, &f, &rows, &n, &more, &e));
	assert_int_equal(n, 72);
	assert_false(more);
	assert_memory_equal(rows[0].is.name, "128n", 4);
	/* All have the short name "n". */
	works(query_shared_names(*state, &a, f.run, &names, &n, &e));
	assert_int_equal(n, 128);
	/* Queries without pages return everything. */
	f.limit = 0;
	f.offset = 0;
	works(query_kernels(*state, &a, &f, &rows, &n, &more, &e));
	assert_int_equal(n, 200);
	assert_false(more);
	arena_release(&a);
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest cases[] = {
		CASE(every_order_and_its_reverse),
		CASE(searched_in_any_case),
		CASE(names_with_one_short_name),
		CASE(a_page_after_the_end_is_empty),
		CASE(line_has_every_column),
		CASE(page_of_long_names_ends_early),
	};
	return cmocka_run_group_tests(cases, NULL, NULL);
}
