/* db_table.c - tests runs made of tables, which lack some values: unknown
 * values stay unknown, and lists have them at the end. */
#include "fixture.h"

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

enum { LINES = 5 };

/* Kernels k0 to k4: k1 and k3 have only their total time; k3 and k4 have a
 * path. */
static struct profile table_profile(struct arena *a)
{
	struct profile p = { .content = CONTENT_STATISTICS,
		.format = "nsys_stats",
		.pid = -1,
		.rank = -1,
		.world_size = -1,
		.started_utc_ns = -1,
		.span_ns = -1,
		.busy_ns = -1,
		.kernel_ns = 150,
		.launches = 15 };
	p.kernels_n = p.stats_n = LINES;
	p.kernels = arena_array(a, struct profile_kernel, LINES);
	p.stats = arena_array(a, struct kernel_stat, LINES);
	for (int i = 0; i < LINES; i++) {
		static const int64_t of[] = { 20, -1, 40, -1, 30 };
		bool none = of[i] < 0;
		double time = none ? NAN : (double)of[i];
		p.kernels[i].name = arena_printf(a, "k%d", i);
		p.kernels[i].short_name = p.kernels[i].name;
		p.stats[i] = (struct kernel_stat){ (uint32_t)i, SPLIT_NONE, -1,
			{ -1, -1, -1 }, { -1, -1, -1 },
			{ .instances = 3,
				.total_ns = 30,
				.avg_ns = time,
				.med_ns = time,
				.min_ns = of[i],
				.max_ns = of[i],
				.stddev_ns = time,
				.p90_ns = time,
				.p99_ns = time,
				.iqr_ns = NAN },
			0, false, none ? NAN : 20, i < 3 ? NULL : "csrc/k.cu" };
	}
	p.copy_stats_n = 1;
	p.copy_stats = arena_array(a, struct copy_stat, 1);
	p.copy_stats[0] = (struct copy_stat){ "[CUDA memset]", SPLIT_NONE, -1,
		{ .instances = 2,
			.total_ns = 8,
			.avg_ns = 4,
			.med_ns = NAN,
			.min_ns = -1,
			.max_ns = -1,
			.stddev_ns = NAN,
			.p90_ns = NAN,
			.p99_ns = NAN,
			.iqr_ns = NAN },
		NAN, 0, 0 };
	p.devices_n = 1;
	p.devices = arena_array(a, struct profile_device, 1);
	p.devices[0] = (struct profile_device){ 0, NULL, -1, -1, -1, -1, -1, -1,
		NAN, -1, NULL, NULL, NULL, NAN, 0 };
	return p;
}

static int64_t saved(struct db *db, struct arena *a)
{
	struct profile p = table_profile(a);
	return *fixture_runs(db, a, fixture_save(db, "1", &p, 1), 1);
}

static void unknown_values_are_read_back(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	struct run_row r;
	struct kernel_line *k;
	struct copy_stat *c;
	struct profile_device *d;
	uint32_t n;
	bool more;
	struct kernel_filter f = { .run = saved(db, &a) };
	works(query_run(db, &a, f.run, &r, &e));
	assert_string_equal(r.content, "statistics");
	assert_int_equal(r.span_ns, -1);
	assert_int_equal(r.busy_ns, -1);
	assert_int_equal(r.kernel_ns, 150);

	works(query_kernels(db, &a, &f, &k, &n, &more, &e));
	assert_int_equal(n, LINES);
	assert_null(k[0].stat.table_path);
	assert_true(k[0].stat.time_pct == 20);
	assert_string_equal(k[3].stat.table_path, "csrc/k.cu");
	const struct time_stats *t = &k[3].stat.time;
	assert_int_equal(t->instances, 3);
	assert_int_equal(t->total_ns, 30);
	assert_int_equal(t->min_ns, -1);
	assert_int_equal(t->max_ns, -1);
	assert_true(isnan(t->avg_ns) && isnan(t->med_ns) &&
		    isnan(t->stddev_ns) && isnan(t->p90_ns) &&
		    isnan(t->p99_ns) && isnan(t->iqr_ns) &&
		    isnan(k[3].stat.time_pct));

	works(query_copies(db, &a, f.run, SPLIT_NONE, &c, &n, &e));
	assert_int_equal(n, 1);
	assert_true(c->time.avg_ns == 4 && isnan(c->time.med_ns) &&
		    isnan(c->time_pct));
	assert_int_equal(c->time.min_ns, -1);
	works(query_run_devices(db, &a, f.run, &d, &n, &e));
	assert_int_equal(d->launches, -1);
	assert_int_equal(d->busy_ns, -1);
	assert_null(d->uuid);
	assert_null(d->bus_id);
	assert_true(isnan(d->throttled_pct));
	arena_release(&a);
}

static void unknown_is_last_in_every_order(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	int64_t run = saved(db, &a);
	for (enum kernel_sort s = KERNEL_AVG; s <= KERNEL_P99; s++)
		for (int reverse = 0; reverse < 2; reverse++) {
			const char *want =
				reverse ? "k0k4k2k3k1" : "k2k4k0k1k3";
			char text[20] = "";
			/* Page by page, so that none is listed twice. */
			struct kernel_filter f = { .run = run,
				.sort = s,
				.reverse = reverse,
				.limit = 2 };
			for (bool more = true; more;) {
				struct kernel_line *k;
				uint32_t n;
				works(query_kernels(db, &a, &f, &k, &n, &more,
					&e));
				for (uint32_t i = 0; i < n; i++)
					strcat(text, k[i].is.name);
				f.offset += n;
			}
			assert_string_equal(text, want);
		}
	arena_release(&a);
}

/* Eight runs; the odd ones are tables. The even ones are busy for 0, 2, 4, 6
 * ns. */
static void eight_runs(struct db *db)
{
	struct arena a = { 0 };
	for (int i = 0; i < 8; i++) {
		struct profile p =
			i % 2 ? table_profile(&a) : fixture_profile(&a);
		struct upload_meta m = fixture_meta;
		m.name = arena_printf(&a, "%d", i);
		if (i % 2 == 0)
			p.busy_ns = p.span_ns = i;
		if (i == 5)
			p.content = CONTENT_PATTERNS;
		int64_t id = fixture_upload(db, &m, m.name).id;
		struct claim c = fixture_claim(db, id);
		works(save(db, &c, &p, 1, NULL, &e));
	}
	arena_release(&a);
}

static void listed(struct db *db, const char *content, enum run_sort sort,
	const char *want)
{
	struct arena a = { 0 };
	struct run_filter f = { .content = content,
		.since = NO_MOMENT,
		.until = NO_MOMENT,
		.sort = sort,
		.limit = 3 };
	char text[20] = "";
	for (bool more = true; more;) {
		struct run_row *r;
		uint32_t n;
		works(query_runs(db, &a, &f, &r, &n, &more, &e));
		for (uint32_t i = 0; i < n; i++)
			strcat(text, r[i].name);
		if (!n)
			break;
		f.after = r[n - 1].id;
		f.after_key = sort == RUN_BUSY	 ? r[n - 1].busy_ns
			      : sort == RUN_SPAN ? r[n - 1].span_ns
						 : r[n - 1].created;
	}
	assert_string_equal(text, want);
	arena_release(&a);
}

static void unknown_values_are_sorted_last(void **state)
{
	eight_runs(*state);
	listed(*state, NULL, RUN_BUSY, "64207531");
	listed(*state, NULL, RUN_SPAN, "64207531");
}

static void runs_by_content(void **state)
{
	eight_runs(*state);
	listed(*state, "launches", RUN_NEWEST, "6420");
	listed(*state, "statistics", RUN_NEWEST, "731");
	listed(*state, "patterns", RUN_NEWEST, "5");
	listed(*state, "statistics", RUN_BUSY, "731");
	listed(*state, "prose", RUN_NEWEST, "");
}

/* If single launches are known, their times are known, too. */
static void launches_without_a_span_are_refused(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	struct profile p = fixture_profile(&a);
	p.busy_ns = -1;
	fixture_upload(db, &fixture_meta, "1");
	struct claim c;
	works(upload_claim(db, "host:1", 30, &c, &e));
	refuses(save(db, &c, &p, 1, NULL, &e), ERR_INTERNAL,
		"the database answers: new row for relation \"run\" violates "
		"check constraint \"run_launches_timed\"");
	arena_release(&a);
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest cases[] = {
		CASE(unknown_values_are_read_back),
		CASE(unknown_is_last_in_every_order),
		CASE(unknown_values_are_sorted_last),
		CASE(runs_by_content),
		CASE(launches_without_a_span_are_refused),
	};
	return cmocka_run_group_tests(cases, NULL, NULL);
}
