/* upload.h - an upload's life: received, queued, worked on, done or failed.
 *
 *   receiving ─finish─► queued ─claim─► working ─save─► done
 *       │                  ▲               │
 *    sweep/abort         retry ◄─ failed ◄─┘ three tries without progress
 *
 * The bytes are stored while they arrive, as chunks of at most UPLOAD_CHUNK bytes that
 * never change. A worker that claims an upload gets a lease with a token. The token
 * increases at each claim, and every write of a worker checks it. So a worker that lost
 * its lease writes nothing. Two uploads are the same if the sha256 of their bytes,
 * project, workload, name, labels and provenance files are equal; upload_finish() decides
 * this. */
#pragma once
#include "db.h"
#include "sha256.h"

enum { UPLOAD_CHUNK = 1 << 20, UPLOAD_TRIES = 3 };

/* Maximum GPU-hours that an upload may represent: more than all existing GPUs. */
#define UPLOAD_HOURS_MAX 1e9
#define UPLOAD_HOURS_MAX_TEXT "1e9"

/* Texts are UTF-8 of at most 500 bytes each. */
struct upload_meta {
	const char *project, *workload, *name, *job; /* "" if not given */
	const char *labels; /* a JSON object of strings, keys sorted */
	const char *file_name; /* "" unknown; not part of the identity */
	/* GPU-hours that the run represents; NAN if not given */
	double gpu_hours;
};

bool upload_begin(struct db *db, const struct upload_meta *m, int64_t *id,
	struct err *e);
/* Appends a chunk. `seq` counts from 0, without gaps. The upload counts as
 * active again. */
bool upload_chunk(struct db *db, int64_t id, int32_t seq, const void *bytes,
	size_t len, struct err *e);

struct upload_outcome {
	int64_t id; /* of the earlier upload if it existed already */
	bool existing;
	char state[12];
};

/* All bytes were received: decides the identity and queues the upload. If the
 * same upload exists, the new rows are dropped and the id of the earlier upload
 * is returned; if that one had failed, it is queued again. An upload whose runs
 * were all deleted does not count as existing. `provenance` is a JSON array of the
 * provenance files that came with the upload, or NULL. */
bool upload_finish(struct db *db, int64_t id,
	const uint8_t sha256[SHA256_BYTES], int64_t bytes,
	const char *provenance, struct upload_outcome *out, struct err *e);
/* The sender gave up: drops the first GiB at once; upload_sweep() drops the
 * rest. */
bool upload_abort(struct db *db, int64_t id, struct err *e);
/* Drops uploads that are still being received but got no chunk for idle_s
 * seconds, about 100 MiB per call; *more: another call is needed. */
bool upload_sweep(struct db *db, int idle_s, int64_t *swept, bool *more,
	struct err *e);
/* There are no senders any more: the next sweeps drop all uploads that are
 * still being received. */
bool upload_expire_all(struct db *db, int64_t *n, struct err *e);

/* The upload that a worker works on, and its right to write. */
struct claim {
	int64_t upload; /* 0: nothing to do */
	int64_t token; /* writes are checked with this token */
	int64_t bytes; /* stored */
	int32_t chunks;
	int lease_s;
};

/* Claims the oldest queued upload. Before that, every lease that ran out ends a
 * try: the upload is queued again, or fails after the third try without
 * progress. `worker` names the process ("host:pid") for upload_abandon(). */
bool upload_claim(struct db *db, const char *worker, int lease_s,
	struct claim *c, struct err *e);
/* Waits until an upload is queued, at most `ms`; a signal ends it too. */
bool upload_wait(struct db *db, int ms, struct err *e);
/* Where the bytes of a chunk are that are not in the database: in an object of object
 * storage (upload_object.h). */
enum { UPLOAD_OBJECT = 1200, UPLOAD_ETAG = 100 };
struct upload_chunk_place {
	char object[UPLOAD_OBJECT]; /* "s3://BUCKET/KEY"; "": in the database */
	char etag[UPLOAD_ETAG];
	int64_t at; /* its first byte in the object */
};
/* Reads one chunk's bytes into the caller's buffer of UPLOAD_CHUNK bytes. If they are in
 * an object, sets only *len and says where. */
bool upload_read_chunk(struct db *db, int64_t id, int32_t seq, void *into,
	size_t *len, struct upload_chunk_place *place, struct err *e);
/* Reads the provenance files of an upload; *text is NULL if there are none. */
bool upload_provenance_read(struct db *db, int64_t id, struct arena *a,
	const char **text, struct err *e);
/* Reports progress and renews the lease. If more bytes were read than in any
 * earlier try, the count of tries starts again. ERR_CONFLICT if the lease is
 * lost. `stage` is one of decode, analyze, save. */
bool upload_progress(struct db *db, const struct claim *c, const char *stage,
	int64_t done_bytes, struct err *e);
/* Renews the leases of the uploads that the `n` named workers work on: their parent
 * saw that they work (worker_pool.h). */
bool upload_hold(struct db *db, const char *const *workers, int n, int lease_s,
	struct err *e);
/* The upload cannot be used: it fails with the sentence of `why`. If the code is
 * ERR_FORMAT or ERR_TRACE, this version of the server cannot read the file, and
 * upload_retry() rejects it. */
bool upload_fail(struct db *db, const struct claim *c, const struct err *why,
	struct err *e);
/* Queues the upload again at once (a clean stop, a temporary fault). This does
 * not count as a try. `last`: behind all others, which need not wait for the end of the
 * fault; otherwise it is the next one again. */
bool upload_release(struct db *db, const struct claim *c, bool last,
	struct err *e);
/* As upload_release(), for all uploads that are being worked on. Called when
 * PostgreSQL was just started and no worker can be left. */
bool upload_release_all(struct db *db, int64_t *released, struct err *e);
/* A worker died or gave up: its uploads are queued again. An upload fails with
 * the sentence if this was its last try without progress. `tries` is the number
 * of tries: UPLOAD_TRIES, or 1 if another try would end in the same way. */
bool upload_abandon(struct db *db, const char *worker, const char *sentence,
	int tries, struct err *e);

/* Queues a failed upload again; ERR_CONFLICT if it has not failed or would fail
 * again, ERR_NOT_FOUND if it does not exist. */
bool upload_retry(struct db *db, int64_t id, struct err *e);
/* As upload_retry(), also if it would fail again, and without these errors; *n is 1, or 0 if no failed upload
 * has this id. */
bool upload_requeue_failed(struct db *db, int64_t id, int64_t *n,
	struct err *e);
/* Queues every upload whose bytes are stored, so that its runs are computed
 * again. The runs stay visible until their replacement is saved. */
bool upload_requeue_all(struct db *db, int64_t *queued, struct err *e);
/* Counts the uploads with runs that cannot be computed again because their
 * bytes were dropped. */
bool upload_count_dropped(struct db *db, int64_t *uploads, struct err *e);

/* For the log and /metrics. */
struct upload_queue {
	int64_t receiving, queued, working, failed, done;
	double oldest_queued_s; /* age of the queue; 0 if empty */
};
bool upload_queue(struct db *db, struct upload_queue *q, struct err *e);

/* An upload as the API shows it: NULL texts are unknown. */
struct upload_row {
	int64_t id, bytes, done_bytes;
	const char *state, *stage, *project, *workload, *name, *job;
	const char *labels, *file_name, *error, *sha256; /* sha256 hex */
	double gpu_hours;
	int tries;
	int64_t created, received, finished;
	/* when its bytes were dropped; NO_MOMENT: they are stored */
	int64_t dropped;
	bool retryable; /* failed, and another try may help */
	const int64_t *runs; /* ids of visible runs */
	uint32_t runs_n;
};

struct upload_filter {
	const char *project, *state; /* NULL any */
	int64_t after; /* an id; 0: from the newest */
	int limit;
	int64_t *total; /* number of all pages' uploads; NULL: not counted */
};
bool upload_row_list(struct db *db, struct arena *a,
	const struct upload_filter *f, struct upload_row **rows, uint32_t *n,
	bool *more, struct err *e);
bool upload_row_get(struct db *db, struct arena *a, int64_t id,
	struct upload_row *row, struct err *e); /* ERR_NOT_FOUND */
