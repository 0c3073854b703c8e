/* db_webhook_many.c - tests more webhooks and more deliveries than the limits
 * allow. */
#include "webhooks.h"

/* 1,000 deliveries wait. The next delivery is not queued, and the reason is
 * recorded. Taking a delivery reads neither all waiting nor the finished
 * ones. */
static void much_that_waits(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	struct delivery *rows;
	struct delivery_row *newest;
	uint32_t n;
	bool more;
	int64_t one = hook(db, "https://a.example/"), delivery;
	fixture_script(db,
		"INSERT INTO webhook_delivery (webhook_id, event, body) "
		"SELECT id, 'gate', '{}' FROM webhook, "
		"generate_series(1, 999)");
	works(webhook_notify(db, "p", "gate", "{}", &e));
	works(webhook_notify(db, "p", "gate", "{}", &e));
	works(webhook_notify_one(db, one, "test", "{}", &delivery, &e));
	works(webhook_deliveries(db, &a, one, 0, 3, &newest, &n, &more, &e));
	for (int i = 0; i < 2; i++) {
		assert_true(newest[i].next == NO_MOMENT);
		assert_string_equal(newest[i].error,
			"not sent: 1,000 deliveries of this webhook were "
			"waiting, the limit");
	}
	assert_true(newest[0].id == delivery && newest[2].next != NO_MOMENT);
	fixture_script(db,
		"INSERT INTO webhook_delivery (webhook_id, event, body) "
		"SELECT id, 'gate', '{}' FROM webhook, "
		"generate_series(1, 49000);"
		"SET statement_timeout = '3s'");
	assert_int_equal(claimed(db, &a, 9, &rows), 1);
	works(delivery_end(db, rows[0].id, 1, DELIVERY_DONE, false, 200, NULL,
		&e));
	assert_int_equal(claimed(db, &a, 9, &rows), 1);
	fixture_script(db, "RESET statement_timeout");
	arena_release(&a);
}

/* New and slow webhooks share a few slots in turn. Each healthy webhook has
 * its own slot. */
static void slow_ones_share(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	struct delivery *rows;
	uint32_t n;
	int64_t id[6], delivery;
	for (int i = 0; i < 6; i++) {
		id[i] = hook(db, "https://a.example/");
		for (int k = 0; k < 2; k++)
			works(webhook_notify_one(db, id[i], "test", "{}",
				&delivery, &e));
	}
	works(delivery_claim(db, &a, NULL, 0, 9, 2, &rows, &n, &e));
	assert_true(n == 2 && rows[0].slow && rows[1].slow);
	assert_true(rows[0].webhook == id[0] && rows[1].webhook == id[1]);
	works(delivery_end(db, rows[0].id, 1, DELIVERY_LATER, true, -1, "no",
		&e));
	works(delivery_end(db, rows[1].id, 1, DELIVERY_DONE, false, 200, NULL,
		&e));
	works(delivery_claim(db, &a, NULL, 0, 9, 0, &rows, &n, &e));
	assert_true(n == 1 && !rows[0].slow && rows[0].webhook == id[1]);
	/* other deliveries of the first one wait for their turn */
	works(delivery_claim(db, &a, NULL, 0, 9, 4, &rows, &n, &e));
	assert_int_equal(n, 4);
	for (uint32_t i = 0; i < n; i++)
		assert_true(rows[i].webhook != id[0]);
	arena_release(&a);
}

static void fifty_of_a_project(void **state)
{
	static const char *const events[] = { "gate" };
	struct db *db = *state;
	uint8_t secret[WEBHOOK_SECRET];
	struct webhook_row w = { .url = "https://a.example/",
		.made_by = "boss",
		.events = events,
		.events_n = 1 };
	for (int i = 0; i < WEBHOOKS_MAX; i++)
		hook(db, "https://a.example/");
	refuses(webhook_new(db, &w, secret, &e), ERR_INPUT,
		"the whole server has 50 webhooks, the most there may be; "
		"remove one first");
	w.project = "p";
	works(webhook_new(db, &w, secret, &e));
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest cases[] = {
		CASE(much_that_waits),
		CASE(slow_ones_share),
		CASE(fifty_of_a_project),
	};
	return cmocka_run_group_tests(cases, NULL, NULL);
}
