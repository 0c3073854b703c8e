/* concurrency_limit.h - answers that take much memory and time: a fixed number at once.
 *
 * A call that comes while all places are taken waits for at most a second: most answers
 * take a few milliseconds, and a mix of requests from many sides is not refused for
 * coming at once. If no place becomes free in that time the call is refused, so that
 * threads are left for all others. */
#pragma once
#include "call.h"

/* Of api_new() and api_free(). */
void concurrency_limit_init(struct api *a);
void concurrency_limit_release(struct api *a);

/* A place for the call until its answer is made; ERR_BUSY if all stay taken. A
 * second call does nothing. */
bool concurrency_limit_enter(struct call *c, struct err *e);
/* call_close() gives it back. */
void concurrency_limit_leave(struct call *c);
