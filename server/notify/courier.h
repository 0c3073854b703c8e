/* courier.h - tells webhooks what waits for them: a thread with a connection to
 * the database of its own.
 *
 * As many servers as there are may have one each (delivery.h). A receiver that
 * is slow or away keeps nobody but its own deliveries waiting, and those who
 * queue them not even that: they only write a row. */
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
