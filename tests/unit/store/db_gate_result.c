/* db_gate_result.c - tests that gate results are stored once, sent to
 * subscribed webhooks or not stored, listed and deleted. */
#include "fixture.h"
#include "gate_result.h"

static int setup(void **state)
{
	struct db *db = *state = fixture_db();
	fixture_script(db,
		"TRUNCATE gate RESTART IDENTITY;"
		"INSERT INTO webhook (project, url, secret, events, created_by) "
		"VALUES ('p', 'https://x.example', "
		"decode(repeat('00', 32), 'hex'), '{gate}', 'me')");
	return 0;
}

static int teardown(void **state)
{
	db_free(*state);
	return 0;
}

static const char *event_body(void *ctx, const struct gate_row *row)
{
	assert_true(row->created != NO_MOMENT);
	return arena_printf(ctx, "{\"gate\":%lld}", (long long)row->id);
}

static const char *refused(void *ctx, const struct gate_row *row)
{
	(void)ctx;
	(void)row;
	return "";
}

static struct gate_row gate(const char *project, const char *name,
	const char *outcome)
{
	return (struct gate_row){ .who = "ci",
		.project = project,
		.workload = "w",
		.name = name,
		.outcome = outcome,
		.document = "{\"head\":{\"labels\":{\"a\":\"1\",\"b\":\"2\"}},"
			    "\"rules\":[1],\"findings\":[2],\"p\":0.1}" };
}

static const char *listed(struct db *db, struct arena *a,
	const struct gate_filter *f)
{
	struct gate_row *rows;
	const char *text = "";
	uint32_t n;
	bool more;
	works(gate_result_list(db, a, f, &rows, &n, &more, &e));
	for (uint32_t i = 0; i < n; i++)
		text = arena_printf(a, "%s%s%lld", text, i ? " " : "",
			(long long)rows[i].id);
	return arena_printf(a, "%s%s", text, more ? " +" : "");
}

static void results_are_stored(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	const struct gate_event t = { event_body, &a };
	struct gate_row rows[] = { gate("p", "", "pass"),
		gate("p", "x", "regressed"), gate("q", "x", "undecided") };
	struct gate_row back;
	for (int i = 0; i < 3; i++) {
		works(gate_result_store(db, &rows[i], i ? &t : NULL, &e));
		assert_int_equal(rows[i].id, i + 1);
	}
	/* a subscriber of p receives only the events of p */
	assert_int_equal(fixture_count(db,
				 "SELECT count(*) FROM webhook_delivery "
				 "WHERE body = '{\"gate\":2}'"),
		1);
	assert_int_equal(fixture_count(db,
				 "SELECT count(*) FROM webhook_delivery"),
		1);
	works(gate_result_get(db, &a, 2, &back, &e));
	assert_int_equal(back.created, rows[1].created);
	assert_string_equal(back.who, "ci");
	assert_string_equal(back.project, "p");
	assert_string_equal(back.workload, "w");
	assert_string_equal(back.name, "x");
	assert_string_equal(back.outcome, "regressed");
	assert_string_equal(back.document,
		"{\"p\": 0.1, \"head\": {\"labels\": {\"a\": \"1\", \"b\": "
		"\"2\"}}, \"rules\": [1], \"findings\": [2]}");
	refuses(gate_result_get(db, &a, 4, &back, &e), ERR_NOT_FOUND,
		"no gate 4");
	arena_release(&a);
}

static void lists(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	struct gate_row *rows;
	uint32_t n;
	bool more;
	struct gate_filter f = { .since = NO_MOMENT,
		.until = NO_MOMENT,
		.limit = 2 };
	assert_string_equal(listed(db, &a, &f), "3 2 +");
	works(gate_result_list(db, &a, &f, &rows, &n, &more, &e));
	assert_string_equal(rows[0].document,
		"{\"p\": 0.1, \"head\": {\"labels\": {\"a\": \"1\", \"b\": "
		"\"2\"}}}");
	f.after = 2;
	assert_string_equal(listed(db, &a, &f), "1");
	f.after = 0;
	f.project = "p";
	assert_string_equal(listed(db, &a, &f), "2 1");
	f.workload = "w";
	f.name = "x";
	f.labels = "{\"b\":\"2\"}";
	assert_string_equal(listed(db, &a, &f), "2");
	f.labels = "{\"b\":\"3\"}";
	assert_string_equal(listed(db, &a, &f), "");
	f.labels = NULL;
	f.outcome = "pass";
	assert_string_equal(listed(db, &a, &f), "");
	f = (struct gate_filter){ .since = INT64_C(4102444800000000),
		.until = NO_MOMENT,
		.limit = 9 };
	assert_string_equal(listed(db, &a, &f), "");
	f.until = f.since;
	f.since = NO_MOMENT;
	assert_string_equal(listed(db, &a, &f), "3 2 1");
	arena_release(&a);
}

/* If a delivery cannot be queued, the gate is not stored. */
static void both_or_none(void **state)
{
	struct db *db = *state;
	struct err e = { 0 };
	const struct gate_event t = { refused, NULL };
	struct gate_row row = gate("p", "", "regressed");
	fixture_script(db,
		"ALTER TABLE webhook_delivery ADD CONSTRAINT body_not_empty "
		"CHECK (body <> '')");
	assert_false(gate_result_store(db, &row, &t, &e));
	assert_int_equal(e.code, ERR_INTERNAL);
	fixture_script(db,
		"ALTER TABLE webhook_delivery DROP CONSTRAINT body_not_empty");
	assert_int_equal(fixture_count(db, "SELECT count(*) FROM gate"), 3);
	/* the same holds if the schema rejects the gate */
	row.outcome = "fine";
	e = (struct err){ 0 };
	assert_false(gate_result_store(db, &row, NULL, &e));
	assert_int_equal(e.code, ERR_INTERNAL);
}

static void dropped(void **state)
{
	struct db *db = *state;
	works(gate_result_delete(db, 2, &e));
	refuses(gate_result_delete(db, 2, &e), ERR_NOT_FOUND, "no gate 2");
	assert_int_equal(fixture_count(db, "SELECT count(*) FROM gate"), 2);
}

/* Numbers the request `of` for run 1, and run 2 if n is 2. */
static void numbered(struct db *db, uint32_t n, uint8_t of, const char *commit,
	uint32_t number, uint32_t gates)
{
	static const int64_t runs[] = { 1, 2 };
	struct arena a = { 0 };
	const uint8_t request[32] = { of };
	struct gate_budget t;
	works(gate_result_number(db, &a, runs, n, "commit", request, &t, &e));
	assert_int_equal(t.number, number);
	assert_int_equal(t.gates, gates);
	if (commit)
		assert_string_equal(t.commit, commit);
	else
		assert_null(t.commit);
	arena_release(&a);
}

/* Numbers the request `of` for runs 1 and 2, and frees the number. */
static void freed(struct db *db, uint8_t of, const char *commit,
	uint32_t number)
{
	static const int64_t runs[] = { 1, 2 };
	struct arena a = { 0 };
	const uint8_t request[32] = { of };
	struct gate_budget t;
	works(gate_result_number(db, &a, runs, 2, "commit", request, &t, &e));
	assert_int_equal(t.number, number);
	assert_string_equal(t.commit, commit);
	works(gate_result_number_free(db, &t, request, &e));
	arena_release(&a);
}

static void label_runs(struct db *db, const char *first, const char *second)
{
	static const char sql[] =
		"UPDATE run SET labels = CASE run_id WHEN 1 THEN $1 ELSE $2 END "
		"WHERE run_id IN (1, 2)";
	struct sql_params p = { 0 };
	sql_json(&p, first);
	sql_json(&p, second);
	works(sql_run(db, sql, &p, NULL, &e));
}

/* The same request keeps its number, and a deleted gate still counts; a number that
 * was freed does not. Without a
 * commit, with another commit in one run or with an empty one, there is none. */
static void gates_of_a_commit_are_numbered(void **state)
{
	struct db *db = *state;

	fixture_script(db,
		"TRUNCATE run, gate_number;"
		"INSERT INTO run (run_id, upload_id, ordinal, name, project, "
		"workload, labels, job, created_at, format, span_ns, busy_ns, "
		"kernel_ns, launches, kernels, copy_ns, copies, device_names, "
		"notes, analysis_version) "
		"SELECT n, n, 0, '', 'p', 'w', '{}', '', now(), 'x', 1, 1, 1, 1, "
		"1, 0, 0, '{}', 0, 4 FROM generate_series(1, 2) n");
	numbered(db, 1, 7, NULL, 0, 0);
	label_runs(db, "{\"commit\": \"a\"}", "{\"commit\": \"a\"}");
	numbered(db, 2, 7, "a", 1, 1);
	numbered(db, 2, 8, "a", 2, 2);
	numbered(db, 1, 9, "a", 3, 3);
	numbered(db, 2, 7, "a", 1, 3);
	fixture_script(db, "TRUNCATE gate");
	numbered(db, 2, 10, "a", 4, 4);
	freed(db, 12, "a", 5); /* it is fresh */
	freed(db, 9, "a", 3); /* it is not */
	numbered(db, 2, 11, "a", 5, 5);
	numbered(db, 1, 9, "a", 3, 5);
	label_runs(db, "{\"commit\": \"b\"}", "{\"commit\": \"a\"}");
	numbered(db, 2, 7, NULL, 0, 0);
	numbered(db, 1, 7, "b", 1, 1);
	label_runs(db, "{\"commit\": \"b\"}", "{}");
	numbered(db, 2, 7, NULL, 0, 0);
	label_runs(db, "{\"commit\": \"\"}", "{\"commit\": \"\"}");
	numbered(db, 2, 7, NULL, 0, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(results_are_stored),
		cmocka_unit_test(lists),
		cmocka_unit_test(both_or_none),
		cmocka_unit_test(dropped),
		cmocka_unit_test(gates_of_a_commit_are_numbered),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
