/* upload.h - an upload's life: received, queued, worked on, done or failed.
 *
 *   receiving ─finish─► queued ─claim─► working ─save─► done
 *       │                  ▲               │
 *    sweep/abort         retry ◄─ failed ◄─┘ three tries without progress
 *
 * The bytes are facts: chunks of at most UPLOAD_CHUNK bytes, written while
 * they arrive and never changed. What is worked on is held by a lease with a
 * token; every write of a worker is fenced by it, so that one whose lease was
 * lost writes nothing. Identity is the sha256 of the stored bytes with
 * project, workload, name and labels, and is decided at the finish. */
#pragma once
#include "db.h"
#include "sha256.h"

enum { UPLOAD_CHUNK = 1 << 20, UPLOAD_TRIES = 3 };

/* GPU-hours that an upload may stand for: more than all there are. */
#define UPLOAD_HOURS_MAX 1e9
#define UPLOAD_HOURS_MAX_TEXT "1e9"

/* Texts are UTF-8 of at most 500 bytes each. */
struct upload_meta {
	const char *project, *workload, *name, *job; /* "" where not given */
	const char *labels; /* a JSON object of strings, keys sorted */
	const char *file_name; /* "" unknown; not part of the identity */
	double gpu_hours; /* hours of GPU the run stands for; NAN not given */
};

bool upload_begin(struct db *db, const struct upload_meta *m, int64_t *id,
	struct err *e);
/* seq counts from 0, without gaps. Also keeps the upload from being swept. */
bool upload_chunk(struct db *db, int64_t id, int32_t seq, const void *bytes,
	size_t len, struct err *e);

struct upload_outcome {
	int64_t id; /* of the earlier one where the same was there before */
	bool existing;
	char state[12];
};

/* All bytes are in: decides the identity and queues. Where the same upload is
 * there already, this one's rows are dropped and the earlier one's id is
 * given (queued again if it had failed). An upload all of whose runs were
 * deleted no longer counts as there. */
bool upload_finish(struct db *db, int64_t id,
	const uint8_t sha256[SHA256_BYTES], int64_t bytes,
	struct upload_outcome *out, struct err *e);
/* The sender went away: drops the rows, the first GiB at once and what is left
 * at the next sweeps. */
bool upload_abort(struct db *db, int64_t id, struct err *e);
/* Drops what has been receiving without a new chunk for idle_s seconds, in
 * turns of some 100 MiB: *more where another turn is needed. */
bool upload_sweep(struct db *db, int idle_s, int64_t *swept, bool *more,
	struct err *e);
/* Whoever is sending is gone: the next sweeps drop all of it, idle or not. */
bool upload_forsake(struct db *db, int64_t *n, struct err *e);
/* A failed one back into the queue; ERR_CONFLICT where it has not failed,
 * ERR_NOT_FOUND where it is not there. */
bool upload_retry(struct db *db, int64_t id, struct err *e);

/* What a worker holds while it works. */
struct claim {
	int64_t upload; /* 0: nothing to do */
	int64_t token; /* the fence */
	int64_t bytes; /* stored */
	int32_t chunks;
	int lease_s;
};

/* Claims the oldest queued upload, or one whose lease ran out (a third time
 * without progress: fails it instead, and looks on). `worker` names the
 * process ("host:pid") for upload_abandon(). */
bool upload_claim(struct db *db, const char *worker, int lease_s,
	struct claim *c, struct err *e);
/* Waits until something was queued, at most `ms`; a signal ends it too. */
bool upload_wait(struct db *db, int ms, struct err *e);
/* One chunk's bytes, into the caller's buffer of UPLOAD_CHUNK bytes. */
bool upload_read(struct db *db, int64_t id, int32_t seq, void *into,
	size_t *len, struct err *e);
/* Tells how far the work is and renews the lease; going beyond what any
 * earlier try reached resets the count of tries. ERR_CONFLICT where the lease
 * is lost. `stage` is one of decode, analyze, save. */
bool upload_progress(struct db *db, const struct claim *c, const char *stage,
	int64_t done_bytes, struct err *e);
/* The upload cannot be used: failed for good, with the sentence. */
bool upload_fail(struct db *db, const struct claim *c, const char *sentence,
	struct err *e);
/* Back into the queue at once (a clean stop, a passing fault): not a try. */
bool upload_release(struct db *db, const struct claim *c, struct err *e);
/* The same for all that is worked on: for who has just started PostgreSQL,
 * through which no worker has come. */
bool upload_release_all(struct db *db, int64_t *released, struct err *e);
/* A worker died or gave up: what it held is queued again, or failed with the
 * sentence where this was one of `tries` without progress: UPLOAD_TRIES, or 1
 * where another would end the same. */
bool upload_abandon(struct db *db, const char *worker, const char *sentence,
	int tries, struct err *e);

/* For the log and /metrics. */
struct upload_queue {
	int64_t receiving, queued, working, failed, done;
	double oldest_queued_s; /* age of the queue; 0 when empty */
};
bool upload_queue(struct db *db, struct upload_queue *q, struct err *e);
