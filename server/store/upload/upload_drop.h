/* upload_drop.h - an upload that never came whole goes away, from its end.
 *
 * Batch by batch, each a transaction of its own that leaves the upload as if
 * it had been sent that far only: whatever stops the dropping, no chunk is
 * left without its upload, and a sweep goes on where it stopped. */
#pragma once
#include "db.h"

/* One batch. *chunks is how many went, -1 where nothing is there to drop;
 * *gone whether nothing is left. idle_s: only where no chunk came for so long;
 * 0: in any case. */
bool upload_drop(struct db *db, int64_t id, int idle_s, int *chunks, bool *gone,
	struct err *e);
/* For whoever waits: a bounded number of batches. What is left is swept. */
bool upload_drop_some(struct db *db, int64_t id, struct err *e);
