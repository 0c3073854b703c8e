/* worker_pool.h - starts and supervises worker processes, from their parent.
 *
 * It starts workers and replaces those that die. The upload of a dead worker returns
 * to the queue with the reason (upload_abandon), as soon as the database
 * can be reached. A worker that dies repeatedly is started with growing
 * delays. For use by one thread, which must live as long as the process,
 * because workers die with the thread that started them. */
#pragma once
#include "worker.h"

struct worker_pool;

/* Starts the workers by running `argv`. argv[0] is only the name shown: the
 * program that runs is always this one. Both must live as long as the pool.
 * NULL with *e on failure. */
struct worker_pool *worker_pool_new(const struct worker_options *o,
	char *const argv[], struct err *e);
/* Restarts the dead; to be called about every 100 ms. */
void worker_pool_supervise(struct worker_pool *c);
/* Signals them to stop, waits 10 s, then kills. */
void worker_pool_free(struct worker_pool *c);
