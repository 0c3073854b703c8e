/* worker.h - a process that ingests: claim, ingest, wait.
 *
 * A worker is a process of its own, with limits on address space and on CPU
 * time per upload, with low priority, and set to die with its parent. An
 * upload that crashes it ends that process and nothing else; worker_pool.h
 * supervises it. */
#pragma once
#include "ingest.h"
#include <sys/types.h>

struct worker_options {
	const char *conninfo;
	int workers; /* processes; at least 1 */
	/* 0 to 19; at 0 a worker has the same priority as its server */
	int nice;
	int lease_s;
	int cpu_s; /* CPU seconds one upload may take */
	int64_t memory_bytes; /* address space of a worker */
	struct ingest_limits limits; /* `stop` is the worker's own */
};

enum { WORKER_NAME = 112 };

/* Environment variable with the pool's word: random, so that the workers of
 * two hosts with the same name differ. */
#define WORKER_POOL_WORD "KERNSIFT_WORKER_POOL"

/* The name of a worker process in a claim: "host:pid:word". The word is that
 * of its pool, or NULL. */
void worker_name(pid_t pid, const char *word, char name[WORKER_NAME]);

/* In a worker process: works until SIGTERM, then gives back what it is at,
 * unless that is being saved already. The exit status. */
int worker_main(const struct worker_options *o);
