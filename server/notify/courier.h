/* courier.h - tells webhooks what waits for them: a thread with a connection to
 * the database of its own.
 *
 * As many servers as there are may have one each (webhook.h). A receiver that
 * hangs or is away keeps its own deliveries waiting, and of others those alone that
 * are new or were slow (2 s) as well: they share 4 of a server's 16 places, by turns.
 * Who was well until now holds one of the others once, for 10 s. Those who queue
 * deliveries wait for none: they only write a row. */
#pragma once
#include "err.h"

struct courier;

/* `list` is outward.h's: who may be told though he is no public address. Both
 * texts stay. */
struct courier *courier_new(const char *conninfo, const char *list,
	struct err *e);
/* Ends it at once; what is under way is told again later. Only where it is just
 * connecting to a database that does not answer, when that gives up (5 s). */
void courier_free(struct courier *c);
