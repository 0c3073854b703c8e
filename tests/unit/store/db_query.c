/* db_query.c - tests lists that are filtered, sorted and paged, and the tables
 * of one run. */
#include "fixture.h"
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

/* Twelve runs that differ in what the filters check. busy_ns is i % 4, so
 * that there are ties; names count from "run 0". */
static void twelve_runs(struct db *db)
{
	struct arena a = { 0 };
	for (int i = 0; i < 12; i++) {
		struct profile p = fixture_profile(&a);
		struct upload_meta m = fixture_meta;
		m.name = arena_printf(&a, "Run %d", i);
		m.project = i % 2 ? "odd" : "even";
		m.workload = i < 6 ? "train" : "infer";
		m.labels =
			arena_printf(&a, "{\"branch\": \"%s\", \"n\": \"%d\"}",
				i % 3 ? "main" : "fix", i);
		p.framework = i == 5 ? NULL : i < 9 ? "pytorch" : "jax";
		p.busy_ns = i % 4;
		p.span_ns = 100 - i;
		p.launches = 50 + i;
		p.host = i == 7 ? "Node_7%" : "node";
		p.devices[0].name = i == 3 ? "A100" : "H100";
		int64_t id = fixture_upload(db, &m, m.name).id;
		struct claim c = fixture_claim(db, id);
		works(save(db, &c, &p, 1, NULL, &e));
	}
	arena_release(&a);
}

static int64_t sort_key(const struct run_row *r, enum run_sort s)
{
	const int64_t keys[] = { r->created, r->created, r->busy_ns, r->span_ns,
		r->launches };
	return keys[s];
}

/* Returns the run numbers of all pages in order, as "5 3 1". Each page except
 * the last has `limit` runs. */
static const char *listed(struct db *db, struct arena *a, struct run_filter f)
{
	char *text = arena_alloc(a, 200, 1);
	size_t len = 0;
	bool more = true;
	f.limit = 5;
	/* Nothing was created in 1970. */
	f.since = f.since ? f.since : NO_MOMENT;
	f.until = f.until ? f.until : NO_MOMENT;
	while (more) {
		struct run_row *rows;
		uint32_t n;
		works(query_runs(db, a, &f, &rows, &n, &more, &e));
		assert_true(n <= 5 && (n == 5 || !more));
		for (uint32_t i = 0; i < n; i++)
			len += (size_t)snprintf(text + len, 200 - len, "%s%s",
				len ? " " : "", rows[i].name + 4);
		if (n) {
			f.after = rows[n - 1].id;
			f.after_key = sort_key(&rows[n - 1], f.sort);
		}
	}
	return text;
}

#define RUNS(want, ...)                                                  \
	assert_string_equal(listed(*state, &a,                           \
				    (struct run_filter){ __VA_ARGS__ }), \
		want)

static void runs_in_every_order(void **state)
{
	struct arena a = { 0 };
	twelve_runs(*state);
	RUNS("11 10 9 8 7 6 5 4 3 2 1 0", .sort = RUN_NEWEST);
	RUNS("0 1 2 3 4 5 6 7 8 9 10 11", .sort = RUN_OLDEST);
	/* Ties are sorted newest first: busy 3 has 3, 7, 11. */
	RUNS("11 7 3 10 6 2 9 5 1 8 4 0", .sort = RUN_BUSY);
	RUNS("0 1 2 3 4 5 6 7 8 9 10 11", .sort = RUN_SPAN);
	RUNS("11 10 9 8 7 6 5 4 3 2 1 0", .sort = RUN_LAUNCHES);
	arena_release(&a);
}

static void runs_by_every_filter(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	twelve_runs(db);
	RUNS("10 8 6 4 2 0", .project = "even");
	RUNS("5 4 3 2 1 0", .workload = "train");
	RUNS("11 10 9", .framework = "jax");
	RUNS("3", .device = "A100");
	RUNS("", .device = "100");
	RUNS("9 6 3 0", .labels = "{\"branch\": \"fix\"}");
	RUNS("9", .labels = "{\"n\": \"9\", \"branch\": \"fix\"}");
	RUNS("", .labels = "{\"n\": \"9\", \"branch\": \"main\"}");
	RUNS("11 10 1", .q = "rUN 1");
	RUNS("7", .q = "NODE_7%"); /* not wildcards */
	RUNS("", .q = "n%e");
	RUNS("9 7", .project = "odd", .workload = "infer", .q = "ru",
		.until = fixture_count(db,
			"SELECT (extract(epoch FROM created_at) * 1000000)"
			"::int8 FROM run WHERE name = 'Run 11'"));
	arena_release(&a);
}

static void runs_of_a_time_and_of_an_upload(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	twelve_runs(db);
	/* [since, until): the first moment is included, the last is not. */
	int64_t from = fixture_count(db,
		"SELECT (extract(epoch FROM created_at) * 1000000)::int8 "
		"FROM run WHERE name = 'Run 2'");
	int64_t to = fixture_count(db,
		"SELECT (extract(epoch FROM created_at) * 1000000)::int8 "
		"FROM run WHERE name = 'Run 9'");
	int64_t upload = fixture_count(db,
		"SELECT upload_id FROM run WHERE name = 'Run 4'");
	RUNS("8 7 6 5 4 3 2", .since = from, .until = to);
	RUNS("4", .upload = upload);
	RUNS("", .upload = upload + 4711);
	arena_release(&a);
}

static void a_page_is_stable_while_runs_arrive(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	struct run_filter f = { .since = NO_MOMENT,
		.until = NO_MOMENT,
		.limit = 3 };
	struct run_row *rows;
	uint32_t n;
	bool more;
	twelve_runs(db);
	works(query_runs(db, &a, &f, &rows, &n, &more, &e));
	assert_true(more);
	assert_string_equal(rows[2].name, "Run 9");
	/* Rows that are added or deleted before a page do not shift the next
	 * pages. */
	struct profile p = fixture_profile(&a);
	fixture_save(db, "another", &p, 1);
	works(run_delete(db, rows[0].id, &e));
	f.after = rows[2].id;
	f.after_key = rows[2].created;
	works(query_runs(db, &a, &f, &rows, &n, &more, &e));
	assert_string_equal(rows[0].name, "Run 8");
	arena_release(&a);
}

static void uploads_by_state_page_by_page(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	struct upload_filter f = { .limit = 2 };
	struct upload_row *rows;
	uint32_t n;
	bool more;
	int64_t ids[4];
	for (int i = 0; i < 4; i++) {
		char bytes[] = { (char)('a' + i), '\0' };
		ids[i] = fixture_upload(db, &fixture_meta, bytes).id;
	}
	struct claim c = fixture_claim(db, ids[0]);
	works(upload_row_list(db, &a, &f, &rows, &n, &more, &e));
	assert_int_equal(n, 2);
	assert_true(more);
	assert_int_equal(rows[0].id, ids[3]);
	f.after = rows[1].id;
	works(upload_row_list(db, &a, &f, &rows, &n, &more, &e));
	assert_int_equal(n, 2);
	assert_false(more);
	assert_int_equal(rows[1].id, ids[0]);
	f = (struct upload_filter){ .limit = 2, .state = "working" };
	works(upload_row_list(db, &a, &f, &rows, &n, &more, &e));
	assert_int_equal(n, 1);
	assert_int_equal(rows[0].id, c.upload);
	f.state = "failed";
	works(upload_row_list(db, &a, &f, &rows, &n, &more, &e));
	assert_int_equal(n, 0);
	arena_release(&a);
}

static void devices_of_a_run(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	struct profile p = fixture_profile(&a);
	struct profile_device *d;
	uint32_t n;
	int64_t id = *fixture_runs(db, &a, fixture_save(db, "1", &p, 1), 1);
	works(query_run_devices(db, &a, id, &d, &n, &e));
	assert_int_equal(n, 2);
	assert_string_equal(d[0].name, "H100");
	assert_int_equal(d[0].sm_count, 132);
	assert_int_equal(d[0].compute_major, 9);
	assert_int_equal(d[0].compute_minor, 0);
	assert_int_equal(d[0].memory_bytes, 85520809984);
	assert_int_equal(d[0].launches, 3);
	assert_int_equal(d[0].busy_ns, 250);
	assert_int_equal(d[1].number, 1);
	assert_null(d[1].name);
	assert_int_equal(d[1].sm_count, -1);
	assert_int_equal(d[1].compute_major, -1);
	assert_int_equal(d[1].memory_bytes, -1);
	assert_true(d[0].sm_clock_mhz > 1790.4 && d[0].sm_clock_mhz < 1790.6);
	assert_int_equal(d[0].sm_clock_samples, 40);
	assert_null(d[0].sm_clock_why);
	assert_true(isnan(d[1].sm_clock_mhz));
	assert_int_equal(d[1].sm_clock_samples, 3);
	assert_string_equal(d[1].sm_clock_why, "too few samples");
	assert_string_equal(d[0].uuid, "6161e0f3");
	assert_string_equal(d[0].bus_id, "0000:57:00.0");
	assert_true(d[0].throttled_pct == 12.5);
	assert_null(d[1].uuid);
	assert_true(isnan(d[1].throttled_pct));
	arena_release(&a);
}

static void copies_whole_and_by_device(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	struct profile p = fixture_profile(&a);
	struct copy_stat *c;
	uint32_t n;
	int64_t id = *fixture_runs(db, &a, fixture_save(db, "1", &p, 1), 1);
	works(query_copies(db, &a, id, SPLIT_NONE, &c, &n, &e));
	assert_int_equal(n, 1);
	assert_string_equal(c->operation, "[CUDA memcpy Host-to-Device]");
	assert_int_equal(c->device, -1);
	assert_int_equal(c->time.instances, 2);
	assert_int_equal(c->time.total_ns, 60);
	assert_true(c->time.avg_ns == 30 && c->time_pct == 100);
	assert_int_equal(c->bytes, 4096);
	assert_int_equal(c->sized, 2);
	works(query_copies(db, &a, id, SPLIT_DEVICE, &c, &n, &e));
	assert_int_equal(n, 1);
	assert_int_equal(c->device, 1);
	arena_release(&a);
}

static void notes_worst_first(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	struct profile p = fixture_profile(&a);
	struct note_row *note;
	uint32_t n;
	note_add(&p.notes, NOTE_gzip_garbage, 7, NULL, 0);
	int64_t id = *fixture_runs(db, &a, fixture_save(db, "1", &p, 1), 1);
	fixture_script(db,
		"INSERT INTO run_note SELECT run_id, 'from_tomorrow', "
		"'error', 2, '' FROM run");
	works(query_notes(db, &a, id, &note, &n, &e));
	assert_int_equal(n, 4);
	assert_string_equal(note[0].code, "from_tomorrow");
	assert_string_equal(note[0].message, "2 times 'from_tomorrow'");
	assert_string_equal(note[1].code, "bad_event");
	assert_string_equal(note[1].severity, "loss");
	assert_int_equal(note[1].count, 3);
	assert_string_equal(note[1].message,
		note_sentence(&a, NOTE_bad_event, 3, "{\"ts\":"));
	assert_string_equal(note[2].code, "gzip_garbage");
	assert_string_equal(note[3].code, "uncorrelated");
	arena_release(&a);
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest cases[] = {
		CASE(runs_in_every_order),
		CASE(runs_by_every_filter),
		CASE(runs_of_a_time_and_of_an_upload),
		CASE(a_page_is_stable_while_runs_arrive),
		CASE(uploads_by_state_page_by_page),
		CASE(devices_of_a_run),
		CASE(copies_whole_and_by_device),
		CASE(notes_worst_first),
	};
	return cmocka_run_group_tests(cases, NULL, NULL);
}
