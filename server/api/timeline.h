/* timeline.h - a run as a Chrome trace, made while it is sent.
 *
 * From the run's capture, chunk by chunk: held are a piece of it, a chunk's
 * rows, the texts met so far and the events of a few rows. What the capture
 * does not tell is known before it is read: the devices, the process, rank and
 * host, which the document begins with.
 *
 * Times count from the capture's first record, whole nanoseconds written as
 * microseconds with three decimals. A capture that is damaged or cut breaks
 * the answer off, so that nobody takes a part for the whole. */
#pragma once
#include "handler.h"
#include "query.h"

struct timeline;

/* NULL with ERR_NOT_FOUND where the run has no capture, ERR_BUSY where too
 * many are being sent. */
struct timeline *timeline_new(struct call *c, const struct run_row *run,
	const struct profile_device *devices, uint32_t n, struct err *e);
/* As api_stream wants them. */
int64_t timeline_next(void *timeline, void *to, size_t cap);
void timeline_free(void *timeline);
