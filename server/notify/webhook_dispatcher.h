/* webhook_dispatcher.h - delivers due events to webhooks, with a thread that
 * has its own connection to the database.
 *
 * Every server on a database may have a dispatcher (webhook.h). A server sends
 * at most 16 requests at once. Of these, at most 4 go to receivers that are new
 * or were slow (more than 2 s). A receiver that hangs therefore delays only its
 * own deliveries and those of other receivers in this group. A receiver that
 * was fast until now and then hangs occupies one of the other connections once,
 * for 10 s. To queue a delivery is fast, because this only writes a row.
 *
 * In the server, only this module uses libcurl. A request is one POST over http
 * or https, without a proxy, to an address that outward.h allows. The address
 * is checked when the socket is made. Redirects are not followed, at most 64
 * KiB of an answer are read, and a request lasts at most 10 s. Only the status
 * of an answer is used; its body is ignored.
 *
 *   Kernsift-Event: gate
 *   Kernsift-Delivery: 17
 *   Kernsift-Signature: t=1755848102,v1=<hex>
 *
 * v1 is HMAC-SHA256 with the webhook's secret over "t.body". */
#pragma once
#include "err.h"

struct webhook_dispatcher;

/* `list` contains the private addresses that may be called (outward.h). Both
 * texts must stay valid. */
struct webhook_dispatcher *webhook_dispatcher_new(const char *conninfo,
	const char *list, struct err *e);
/* Ends the thread at once; deliveries in progress are sent again later. If the
 * thread is connecting to a database that does not answer, it ends when the
 * attempt fails (5 s). */
void webhook_dispatcher_free(struct webhook_dispatcher *c);
