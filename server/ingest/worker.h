/* worker.h - processes that ingest: claim, ingest, wait; and who minds them.
 *
 * A worker is a process of its own with limits on address space and CPU time
 * per upload, low priority, and the wish to die with its parent. A poisonous
 * upload ends that process and nothing else: the crew, in the parent, starts
 * another and hands what the dead one held back to the queue, with the reason
 * (upload_abandon). */
#pragma once
#include "ingest.h"

struct worker_options {
	const char *conninfo;
	int workers; /* processes; at least 1 */
	int lease_s;
	int cpu_s; /* CPU seconds one upload may take */
	int64_t memory_bytes; /* address space of a worker */
	struct ingest_limits limits;
};

/* In a worker process: works until SIGTERM, then finishes what it is at, or
 * releases it. The exit status. */
int worker_main(const struct worker_options *o);

struct crew;
/* Starts the workers by running `argv` (the program with its `work` options);
 * NULL with *e where that fails. crew_tend() restarts the dead and is called
 * about every 100 ms; crew_free() stops them, waits 10 s, then kills. */
struct crew *crew_new(const struct worker_options *o, char *const argv[],
	struct err *e);
void crew_tend(struct crew *c);
void crew_free(struct crew *c);
