/* webhooks.h - makes webhooks and takes their deliveries. */
#pragma once
#include "webhook.h"
#include "fixture.h"

static inline int setup(void **state)
{
	*state = fixture_db();
	return 0;
}

static inline int teardown(void **state)
{
	db_free(*state);
	return 0;
}

static inline int64_t hook(struct db *db, const char *url)
{
	static const char *const events[] = { "gate" };
	uint8_t secret[WEBHOOK_SECRET];
	struct webhook_row w = { .url = url,
		.made_by = "boss",
		.events = events,
		.events_n = 1 };
	works(webhook_new(db, &w, secret, &e));
	return w.id;
}

static inline uint32_t claimed(struct db *db, struct arena *a, int limit,
	struct delivery **rows)
{
	uint32_t n;
	works(delivery_claim(db, a, NULL, 0, limit, 4, rows, &n, &e));
	return n;
}
