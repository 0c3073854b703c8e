/* worker_pool.h - starts and supervises worker processes, from their parent.
 *
 * Starts them, starts another where one dies, and hands what the dead one held
 * back to the queue with the reason (upload_abandon), as soon as the database
 * can be told. One that dies again and again is started ever more slowly.
 * For one thread, the one that lives as long as the process: workers are told
 * to die with the thread that started them. */
#pragma once
#include "worker.h"

struct worker_pool;

/* Starts the workers by running `argv` (argv[0] is only the name shown: it is
 * always this very program that runs). Both must live as long as the crew.
 * NULL with *e where that fails. */
struct worker_pool *worker_pool_new(const struct worker_options *o,
	char *const argv[], struct err *e);
/* Restarts the dead; to be called about every 100 ms. */
void worker_pool_supervise(struct worker_pool *c);
/* Asks them to stop, waits 10 s, then kills. */
void worker_pool_free(struct worker_pool *c);
