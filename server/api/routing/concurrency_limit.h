/* concurrency_limit.h - limits how many answers that need much memory and time
 * are computed at the same time.
 *
 * If all slots are taken, an API call waits for at most one second. Most
 * answers take a few milliseconds, so requests of several clients that arrive
 * together are not rejected. If no slot becomes free within the second, the
 * call is rejected, so that threads remain for all other requests. */
#pragma once
#include "call.h"

/* Called by api_new() and api_free(). */
void concurrency_limit_init(struct api *a);
void concurrency_limit_release(struct api *a);

/* Takes a slot until the answer of this API call is made; ERR_BUSY if no slot
 * becomes free. If the API call already has a slot, this does nothing. */
bool concurrency_limit_enter(struct call *c, struct err *e);
/* Releases the slot; call_close() calls this. */
void concurrency_limit_leave(struct call *c);
