/* db_webhook_events.c - tests that an event is queued for the webhooks that
 * are subscribed to it. */
#include "webhook.h"
#include "fixture.h"

static int setup(void **state)
{
	*state = fixture_db();
	fixture_script(*state,
		"INSERT INTO webhook (project, url, secret, events, created_by) "
		"SELECT p, 'https://ci.example/' || coalesce(p, ''), "
		"decode(repeat('00', 32), 'hex'), e, 'boss' "
		"FROM (VALUES ('one', '{gate}'::text[]), "
		"(NULL, '{gate,change_point}'), ('two', '{gate}')) w (p, e)");
	return 0;
}

static int teardown(void **state)
{
	db_free(*state);
	return 0;
}

static int64_t queued(struct db *db, const char *where)
{
	char sql[300];
	snprintf(sql, sizeof sql,
		"SELECT count(*) FROM webhook_delivery d "
		"JOIN webhook w ON w.id = d.webhook_id "
		"WHERE attempts = 0 AND next_attempt_at <= now() AND %s",
		where);
	return fixture_count(db, sql);
}

static void events_are_queued_for_subscribers(void **state)
{
	struct db *db = *state;
	works(webhook_notify(db, "one", "gate", "{\"a\": 1}", &e));
	assert_int_equal(queued(db, "true"), 2);
	assert_int_equal(queued(db, "w.project = 'one' AND event = 'gate' "
				    "AND body = '{\"a\": 1}'"),
		1);
	assert_int_equal(queued(db, "w.project IS NULL"), 1);
	works(webhook_notify(db, "one", "change_point", "{}", &e));
	assert_int_equal(queued(db, "event = 'change_point'"), 1);
	/* the empty project name is an ordinary project */
	works(webhook_notify(db, "", "gate", "{}", &e));
	assert_int_equal(queued(db, "w.project = 'one'"), 1);
	assert_int_equal(queued(db, "w.project IS NULL"), 3);
	works(webhook_notify(db, "one", "no_subscriber", "{}", &e));
	assert_int_equal(queued(db, "true"), 4);
}

static bool post_and_fail(struct db *db, void *arg, struct err *e)
{
	(void)arg;
	return webhook_notify(db, "one", "gate", "{}", e) &&
	       err_set(e, ERR_INPUT, "no");
}

static void a_rolled_back_event_is_not_queued(void **state)
{
	struct db *db = *state;
	refuses(sql_transaction(db, post_and_fail, NULL, &e), ERR_INPUT, "no");
	assert_int_equal(queued(db, "true"), 0);
}

static void too_long_is_refused(void **state)
{
	size_t len = (1 << 18) + 1;
	char *body = malloc(len + 1);
	memset(body, ' ', len);
	body[len] = '\0';
	refuses(webhook_notify(*state, "one", "gate", body, &e), ERR_TOO_LARGE,
		"the body of event 'gate' has 262145 bytes; the limit is "
		"262144");
	body[len - 1] = '\0';
	works(webhook_notify(*state, "one", "gate", body, &e));
	free(body);
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest cases[] = {
		CASE(events_are_queued_for_subscribers),
		CASE(a_rolled_back_event_is_not_queued),
		CASE(too_long_is_refused),
	};
	return cmocka_run_group_tests(cases, NULL, NULL);
}
