/* timeline.h - a run as a Chrome trace: what stands around the events of
 * timeline_event.h.
 *
 * Times count from the capture's first record, whole nanoseconds written as
 * microseconds with three decimals. What the capture does not tell is known before
 * it is read: the devices, the process, rank and host, which the document begins
 * with. */
#pragma once
#include "query.h"
#include "timeline_event.h"

/* The document up to its events; ev->reader has read its first chunk. */
void timeline_begin(struct timeline_event *ev, const struct run_row *run,
	const struct profile_device *devices, uint32_t n);
/* What follows the last event. */
void timeline_end(struct buf *b);
