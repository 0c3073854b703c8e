/* view_admin.h - tokens, sessions, the audit log, webhooks, deliveries and retention. */
#pragma once
#include "audit.h"
#include "retention.h"
#include "service.h"
#include "view.h"
#include "webhook.h"

/* `text` is the token itself, which is shown only once; otherwise NULL. */
json_t *view_token(const struct token_row *t, const char *text);
/* `perfetto_url`: where the page opens timelines. */
json_t *view_session(const struct identity *w, const char *perfetto_url);
json_t *view_audit(const struct audit_row *r);

/* `secret` is the key of the webhook's signatures, WEBHOOK_SECRET bytes, which
 * is shown only once; otherwise NULL. */
json_t *view_webhook(const struct webhook_row *w, const uint8_t *secret);
json_t *view_delivery(const struct delivery_row *d);
json_t *view_retention(const struct retention_row *r);
/* The body of a test event. */
json_t *view_test(const struct webhook_row *w, int64_t at_us);
