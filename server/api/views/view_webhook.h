/* view_webhook.h - webhooks, deliveries and retention as JSON; see view.h. */
#pragma once
#include "retention.h"
#include "view.h"
#include "webhook.h"

json_t *view_webhook(const struct webhook_row *w);
/* The same with the key of its signatures: told this once. */
json_t *view_webhook_made(const struct webhook_row *w,
	const uint8_t secret[WEBHOOK_SECRET]);
json_t *view_delivery(const struct delivery_row *d);
json_t *view_retention(const struct retention_row *r);
/* What a webhook is told of a test: a body to be sent, with the moment. */
json_t *view_test(const struct webhook_row *w, int64_t at_us);
