/* heavy.h - answers that take much memory and time: only so many at once, so
 * that threads are left for all others. */
#pragma once
#include "handler.h"

/* A place for the call until its answer is made; ERR_BUSY where all are taken.
 * More often than once is once. */
bool heavy_take(struct call *c, struct err *e);
/* call_close() gives it back. */
void heavy_give_back(struct call *c);
