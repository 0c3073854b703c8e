/* worker.h - a process that ingests: claim, ingest, wait.
 *
 * A worker is a separate process with low priority. Its address space and its
 * CPU time per upload are limited, and it ends when its parent ends. An upload
 * that crashes it ends that process and nothing else; worker_pool.h supervises
 * it. */
#pragma once
#include "ingest.h"
#include "object_store.h"
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
	struct object_settings objects;
};

enum { WORKER_NAME = 112 };

/* Environment variable that contains the pool's random word. With it, workers
 * of two hosts with the same name have different names. */
#define WORKER_POOL_WORD "KERNSIFT_WORKER_POOL"

/* Writes the name that a worker process uses in a claim: "host:pid:word".
 * `word` is its pool's word, or NULL. */
void worker_name(pid_t pid, const char *word, char name[WORKER_NAME]);

/* Runs in a worker process until SIGTERM. Then the upload in progress is
 * returned to the queue, unless it is already being saved. Returns the exit
 * status. */
int worker_main(const struct worker_options *o);
