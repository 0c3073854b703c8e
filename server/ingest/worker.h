/* worker.h - a process that ingests: claim, ingest, wait.
 *
 * A worker is a process of its own with limits on address space and CPU time
 * per upload, low priority, and the wish to die with its parent. A poisonous
 * upload ends that process and nothing else; worker_pool.h supervises it. */
#pragma once
#include "ingest.h"
#include <sys/types.h>

struct worker_options {
	const char *conninfo;
	int workers; /* processes; at least 1 */
	int nice; /* 0 to 19; at 0 a worker stands beside its server */
	int lease_s;
	int cpu_s; /* CPU seconds one upload may take */
	int64_t memory_bytes; /* address space of a worker */
	struct ingest_limits limits; /* `stop` is the worker's own */
};

enum { WORKER_NAME = 112 };

/* Where the crew's word is handed on: random, for two hosts of one name. */
#define WORKER_CREW "KERNSIFT_CREW"

/* What a worker process calls itself in a claim: "host:pid:word"; the word
 * is the crew's, or NULL. */
void worker_name(pid_t pid, const char *word, char name[WORKER_NAME]);

/* In a worker process: works until SIGTERM, then gives back what it is at,
 * unless that is being saved already. The exit status. */
int worker_main(const struct worker_options *o);
