/* worker_pool.h - starts and supervises worker processes, from their parent.
 *
 * It starts workers and replaces those that die. As soon as the database is
 * available, the upload of a dead worker returns to the queue with the reason
 * (upload_abandon()). A worker that dies repeatedly is started with growing
 * delays.
 *
 * A worker renews the lease of its upload at its steps. On a busy machine it can
 * wait for the processor longer than a lease between two steps, because its
 * priority is low. So the pool renews the leases of workers that are ready to run
 * or that used the processor since the last look. A worker that is stopped or hangs
 * does neither, and its upload is queued again.
 * Only one thread may use a pool. This thread must live as long as the
 * process, because workers end with the thread that started them. */
#pragma once
#include "worker.h"

struct worker_pool;

/* Starts the workers by running this program again with `argv`; argv[0] is only
 * the name that is shown. Both arguments must live as long as the pool. NULL
 * with *e on failure. */
struct worker_pool *worker_pool_new(const struct worker_options *o,
	char *const argv[], struct err *e);
/* Restarts dead workers. Call it about every 100 ms. */
void worker_pool_supervise(struct worker_pool *c);
/* Signals the workers to stop, waits up to 10 s, then kills them. */
void worker_pool_free(struct worker_pool *c);
