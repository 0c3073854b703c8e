/* webhook_dispatcher.h - delivers due events to webhooks: a thread with its own
 * connection to the database.
 *
 * Every server on a database may have one (delivery.h). A receiver that hangs
 * or is away delays its own deliveries, and those of other receivers that are
 * new or were slow (2 s): these share 4 of a server's 16 places, by turns. A
 * receiver that was fast until now occupies one of the other places once, for
 * 10 s. Queueing a delivery waits for nothing: it only writes a row. */
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
