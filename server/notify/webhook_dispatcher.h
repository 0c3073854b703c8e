/* webhook_dispatcher.h - delivers due events to webhooks: a thread with its own
 * connection to the database.
 *
 * Every server on a database may have one (webhook.h). A receiver that hangs
 * or is away delays its own deliveries, and those of other receivers that are
 * new or were slow (2 s): these share 4 of a server's 16 places, by turns. A
 * receiver that was fast until now occupies one of the other places once, for
 * 10 s. Queueing a delivery waits for nothing: it only writes a row.
 *
 * The only user of libcurl in the server. A request is one POST over http or
 * https, without a proxy, to an address that outward.h allows, which is checked
 * when the socket is made. No redirect is followed, no answer is read beyond
 * 64 KiB, and no request lasts longer than 10 s. Only the status of an answer
 * counts; its body is ignored.
 *
 *   Kernsift-Event: gate
 *   Kernsift-Delivery: 17
 *   Kernsift-Signature: t=1755848102,v1=<hex>
 *
 * where v1 is HMAC-SHA256 with the webhook's secret over "t.body". */
#pragma once
#include "err.h"

struct webhook_dispatcher;

/* `list` is outward.h's: private addresses that may be called. Both texts must
 * stay valid. */
struct webhook_dispatcher *webhook_dispatcher_new(const char *conninfo,
	const char *list, struct err *e);
/* Ends it at once; deliveries in progress are sent again later. While it is
 * connecting to a database that does not answer, it ends when that attempt
 * fails (5 s). */
void webhook_dispatcher_free(struct webhook_dispatcher *c);
