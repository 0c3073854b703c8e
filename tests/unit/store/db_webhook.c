/* db_webhook.c - tests that deliveries are taken once, postponed, finished and
 * listed, and deleted when they are old. */
#include "webhooks.h"

static void created_and_listed(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	struct webhook_row *rows, one;
	uint32_t n;
	bool more;
	int64_t first = hook(db, "https://a.example/");
	int64_t second = hook(db, "https://b.example/");
	works(webhook_list(db, &a, NULL, 0, 1, &rows, &n, &more, &e));
	assert_true(n == 1 && more && rows[0].id == first);
	assert_string_equal(rows[0].url, "https://a.example/");
	assert_string_equal(rows[0].events[0], "gate");
	assert_null(rows[0].project);
	works(webhook_list(db, &a, NULL, first, 1, &rows, &n, &more, &e));
	assert_true(n == 1 && !more && rows[0].id == second);
	works(webhook_list(db, &a, "p", 0, 9, &rows, &n, &more, &e));
	assert_int_equal(n, 0);
	works(webhook_get(db, &a, second, &one, &e));
	assert_string_equal(one.made_by, "boss");
	works(webhook_drop(db, second, &e));
	char sentence[40];
	snprintf(sentence, sizeof sentence, "no webhook %lld",
		(long long)second);
	refuses(webhook_drop(db, second, &e), ERR_NOT_FOUND, sentence);
	refuses(webhook_get(db, &a, second, &one, &e), ERR_NOT_FOUND, sentence);
	refuses(webhook_notify_one(db, second, "test", "{}", &first, &e),
		ERR_NOT_FOUND, sentence);
	/* every secret is different */
	assert_int_equal(fixture_count(db,
				 "SELECT count(*) - count(DISTINCT secret) "
				 "FROM webhook"),
		0);
	arena_release(&a);
}

/* One delivery of a webhook at a time, in their order. A delivery in progress
 * is not taken again until its lease has expired. */
static void taken_in_turn(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	struct delivery *rows;
	int64_t one = hook(db, "https://a.example/"), id;
	hook(db, "https://b.example/");
	works(webhook_notify(db, "p", "gate", "{\"n\": 1}", &e));
	works(webhook_notify(db, "p", "gate", "{\"n\": 2}", &e));
	assert_int_equal(claimed(db, &a, 9, &rows), 2);
	assert_true(rows[0].webhook != rows[1].webhook);
	assert_string_equal(rows[0].body, "{\"n\": 1}");
	assert_string_equal(rows[1].body, "{\"n\": 1}");
	assert_int_equal(rows[0].tries, 1);
	id = rows[0].webhook == one ? rows[0].id : rows[1].id;
	uint32_t n;
	works(delivery_claim(db, &a, &one, 1, 9, 4, &rows, &n, &e));
	assert_int_equal(n, 1);
	assert_true(rows[0].webhook != one);
	works(delivery_end(db, id, 1, DELIVERY_DONE, false, 204, NULL, &e));
	assert_int_equal(claimed(db, &a, 9, &rows), 1);
	assert_int_equal(rows[0].webhook, one);
	assert_string_equal(rows[0].body, "{\"n\": 2}");
	assert_int_equal(claimed(db, &a, 9, &rows), 0);
	/* its worker died: the delivery is retried, and a late result of that
	 * worker is ignored */
	id = fixture_count(db, "SELECT max(id) FROM webhook_delivery");
	fixture_script(db,
		"UPDATE webhook_delivery SET next_attempt_at = now() - "
		"interval '1 s' WHERE next_attempt_at IS NOT NULL");
	assert_int_equal(claimed(db, &a, 9, &rows), 2);
	assert_int_equal(rows[0].tries, 2);
	works(delivery_end(db, rows[0].id, 1, DELIVERY_DONE, false, 200, NULL,
		&e));
	assert_int_equal(fixture_count(db,
				 "SELECT count(*) FROM webhook_delivery "
				 "WHERE delivered_at IS NOT NULL"),
		1);
	arena_release(&a);
}

static void put_off_and_over(void **state)
{
	static const int waits[] = { 30, 120, 600, 1800, 7200, 21600, 54000 };
	struct db *db = *state;
	struct arena a = { 0 };
	struct delivery *rows;
	struct delivery_row *list;
	uint32_t n;
	bool more;
	int64_t id = hook(db, "https://a.example/"), delivery;
	works(webhook_notify_one(db, id, "test", "{}", &delivery, &e));
	for (int i = 0; i < DELIVERY_TRIES; i++) {
		assert_int_equal(claimed(db, &a, 1, &rows), 1);
		works(delivery_end(db, delivery, i + 1, DELIVERY_LATER, false,
			i % 2 ? 500 : -1, "no", &e));
		assert_int_equal(
			fixture_count(db,
				"SELECT coalesce(round(extract(epoch FROM "
				"next_attempt_at - now()) / 10) * 10, 0)::bigint "
				"FROM webhook_delivery"),
			i < 7 ? waits[i] : 0);
		fixture_script(db,
			"UPDATE webhook_delivery SET next_attempt_at = now()"
			" WHERE next_attempt_at IS NOT NULL");
	}
	assert_int_equal(claimed(db, &a, 1, &rows), 0);
	works(webhook_deliveries(db, &a, id, 0, 9, &list, &n, &more, &e));
	assert_true(n == 1 && !more && list[0].id == delivery);
	assert_int_equal(list[0].tries, 8);
	assert_int_equal(list[0].status, 500);
	assert_string_equal(list[0].error, "no");
	assert_true(
		list[0].next == NO_MOMENT && list[0].delivered == NO_MOMENT);
	works(webhook_deliveries(db, &a, id, delivery, 9, &list, &n, &more,
		&e));
	assert_int_equal(n, 0);
	arena_release(&a);
}

static void gone_ends_all_of_one(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	struct delivery *rows;
	int64_t other, one = hook(db, "https://a.example/"), delivery;
	works(webhook_notify_one(db, one, "test", "{}", &delivery, &e));
	for (int i = 0; i < 3; i++)
		works(webhook_notify(db, "p", "gate", "{}", &e));
	int64_t two = hook(db, "https://b.example/");
	works(webhook_notify_one(db, two, "test", "{}", &other, &e));
	assert_int_equal(claimed(db, &a, 1, &rows), 1);
	works(delivery_end(db, delivery, 1, DELIVERY_GONE, false, 410, "gone",
		&e));
	assert_int_equal(
		fixture_count(db,
			"SELECT count(*) FROM webhook_delivery "
			"WHERE next_attempt_at IS NULL AND error = 'gone'"),
		4);
	assert_int_equal(claimed(db, &a, 9, &rows), 1);
	assert_int_equal(rows[0].webhook, two);
	/* a deleted webhook has no waiting deliveries, and this causes no
	 * error */
	works(webhook_drop(db, two, &e));
	works(delivery_end(db, other, 1, DELIVERY_DONE, false, 200, NULL, &e));
	assert_int_equal(claimed(db, &a, 9, &rows), 0);
	arena_release(&a);
}

enum { CROWD = 4, EACH = 50 };

/* Takes all waiting deliveries, one after the other. */
static bool take_all(struct db *db, int nth, struct err *e)
{
	(void)nth;
	struct delivery *rows;
	uint32_t n = 1;
	while (n) {
		struct arena a = { 0 };
		bool ok = delivery_claim(db, &a, NULL, 0, 3, 4, &rows, &n, e);
		for (uint32_t i = 0; ok && i < n; i++)
			ok = delivery_end(db, rows[i].id, rows[i].tries,
				DELIVERY_DONE, false, 200, NULL, e);
		arena_release(&a);
		if (!ok)
			return false;
	}
	return true;
}

static void claimed_by_four_processes(void **state)
{
	struct db *db = *state;
	for (int i = 0; i < 5; i++)
		hook(db, "https://a.example/");
	for (int i = 0; i < EACH; i++)
		works(webhook_notify(db, "p", "gate", "{}", &e));
	fixture_together(CROWD, "", take_all);
	/* A delivery that is skipped because its lock is held may stay. */
	struct err e = { 0 };
	assert_true(take_all(db, 0, &e));
	assert_int_equal(fixture_count(db,
				 "SELECT count(*) FROM webhook_delivery WHERE "
				 "attempts = 1 AND delivered_at IS NOT NULL"),
		5 * EACH);
}

static void queued_deliveries_are_notified(void **state)
{
	struct db *db = *state, *other = fixture_connect("");
	bool any;
	int64_t id = hook(db, "https://a.example/"), delivery;
	works(delivery_listen(db, &e));
	works(db_notified(db, &any, &e));
	assert_false(any);
	works(webhook_notify_one(other, id, "test", "{}", &delivery, &e));
	works(db_ping(db, &e));
	works(db_notified(db, &any, &e));
	assert_true(any);
	works(db_notified(db, &any, &e));
	assert_false(any);
	/* no webhook is subscribed to this event */
	works(webhook_notify(other, "p", "change_point", "{}", &e));
	works(db_ping(db, &e));
	works(db_notified(db, &any, &e));
	assert_false(any);
	db_free(other);
}

static void old_ones_are_swept(void **state)
{
	struct db *db = *state;
	int64_t dropped;
	bool more;
	hook(db, "https://a.example/");
	fixture_script(db,
		"INSERT INTO webhook_delivery (webhook_id, event, body, "
		"created_at, next_attempt_at) SELECT id, 'gate', '{}', now() - "
		"interval '1 day' * d, CASE WHEN d % 2 = 0 THEN now() END "
		"FROM webhook, generate_series(28, 33) d");
	works(delivery_sweep(db, &dropped, &more, &e));
	assert_int_equal(dropped, 2);
	assert_false(more);
	assert_int_equal(fixture_count(db,
				 "SELECT count(*) FROM webhook_delivery"),
		4);
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest cases[] = {
		CASE(created_and_listed),
		CASE(taken_in_turn),
		CASE(put_off_and_over),
		CASE(gone_ends_all_of_one),
		CASE(claimed_by_four_processes),
		CASE(queued_deliveries_are_notified),
		CASE(old_ones_are_swept),
	};
	return cmocka_run_group_tests(cases, NULL, NULL);
}
