/* ingest.c - the steps of an ingest in order, timed, with the lease held. */
#include "ingest.h"
#include "analyze.h"
#include "log.h"
#include "save.h"
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

enum { TELL_BYTES = 8 << 20, TELL_MS = 1000 };

struct job {
	struct db *db;
	const struct claim *claim;
	const struct ingest_limits *limits;
	struct arena arena;
	struct trace trace;
	struct profile *runs;

	uint8_t *chunk; /* the piece the decoder is at */
	int32_t seq; /* of the next one */
	int64_t plain_bytes;

	int64_t told_bytes; /* when the lease was last renewed */
	double told_ms;
	double read_ms, decode_ms, analyze_ms, save_ms;
};

static double now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* Renews the lease where that is due: by time, at least thrice per lease, or
 * by bytes. False also where the process is to stop. */
static bool go_on(struct job *j, const char *stage, int64_t bytes,
	struct err *e)
{
	if (j->limits->stop && *j->limits->stop)
		return err_set(e, ERR_BUSY, "the ingest was asked to stop");
	double lease_ms = 1e3 * j->claim->lease_s;
	double every_ms = lease_ms / 3 < TELL_MS ? lease_ms / 3 : TELL_MS;
	double now = now_ms();
	if (bytes - j->told_bytes < TELL_BYTES && now - j->told_ms < every_ms)
		return true;
	j->told_bytes = bytes;
	j->told_ms = now;
	return upload_progress(j->db, j->claim, stage, bytes, e);
}

static bool next_chunk(void *ctx, const void **bytes, size_t *len,
	struct err *e)
{
	struct job *j = ctx;
	*bytes = j->chunk;
	*len = 0;
	if (j->seq == j->claim->chunks)
		return true;
	double began = now_ms();
	bool ok = upload_read(j->db, j->claim->upload, j->seq++, j->chunk, len,
		e);
	j->read_ms += now_ms() - began;
	return ok;
}

static bool tell(void *ctx, int64_t stored_bytes, int64_t plain_bytes,
	struct err *e)
{
	struct job *j = ctx;
	j->plain_bytes = plain_bytes;
	return go_on(j, "decode", stored_bytes, e);
}

static bool step_decode(struct job *j, struct err *e)
{
	struct source source = { next_chunk, j, j->claim->bytes };
	struct decode_progress progress = { tell, j };
	double began = now_ms();
	bool ok = trace_init(&j->trace, &j->arena) || arena_err(&j->arena, e);
	ok = ok && decode(&source, &j->limits->decode, &progress, &j->trace, e);
	j->decode_ms = now_ms() - began - j->read_ms;
	return ok;
}

static bool step_analyze(struct job *j, const struct families *f, struct err *e)
{
	double began = now_ms();
	j->runs = arena_array(&j->arena, struct profile, j->trace.processes_n);
	if (!j->runs)
		return arena_err(&j->arena, e);
	for (uint32_t i = 0; i < j->trace.processes_n; i++)
		if (!go_on(j, "analyze", j->claim->bytes, e) ||
			!profile_from(&j->trace, i, f, &j->arena, &j->runs[i],
				e))
			return false;
	j->analyze_ms = now_ms() - began;
	return true;
}

static bool step_save(struct job *j, struct err *e)
{
	double began = now_ms();
	bool ok = go_on(j, "save", j->claim->bytes, e) &&
		  save(j->db, j->claim, j->runs, j->trace.processes_n, e);
	j->save_ms = now_ms() - began;
	return ok;
}

/* The one line that tells what an ingest cost, and what it found. */
static void log_done(const struct job *j)
{
	struct rusage use;
	int64_t kernels = 0, launches = 0;
	getrusage(RUSAGE_SELF, &use);
	for (uint32_t i = 0; i < j->trace.processes_n; i++) {
		kernels += j->runs[i].kernels_n;
		launches += j->runs[i].launches;
	}
	log_info("ingest upload=%lld runs=%u kernels=%lld launches=%lld "
		 "bytes=%lld plain_bytes=%lld read_ms=%.1f decode_ms=%.1f "
		 "analyze_ms=%.1f save_ms=%.1f ms=%.1f arena_mib=%zu "
		 "peak_mib=%ld",
		(long long)j->claim->upload, j->trace.processes_n,
		(long long)kernels, (long long)launches,
		(long long)j->claim->bytes, (long long)j->plain_bytes,
		j->read_ms, j->decode_ms, j->analyze_ms, j->save_ms,
		j->read_ms + j->decode_ms + j->analyze_ms + j->save_ms,
		j->arena.taken >> 20, use.ru_maxrss >> 10);
}

static bool own_fault(enum err_code code)
{
	return code == ERR_FORMAT || code == ERR_TRACE || code == ERR_TOO_LARGE;
}

bool ingest(struct db *db, const struct claim *c, const struct families *f,
	const struct ingest_limits *limits, struct err *e)
{
	struct err why = { 0 };
	struct job j = {
		.db = db,
		.claim = c,
		.limits = limits,
		.arena = { .ceiling = limits->arena_bytes },
		.chunk = malloc(UPLOAD_CHUNK),
		.told_ms = now_ms(),
	};
	bool ok;

	if (!j.chunk)
		return err_set(e, ERR_BUSY,
			"this machine has no memory left for an ingest");
	ok = step_decode(&j, &why) && step_analyze(&j, f, &why) &&
	     step_save(&j, &why);
	if (ok) {
		log_done(&j);
	} else if (own_fault(why.code)) {
		ok = upload_fail(db, c, why.text, e);
		log_info("ingest upload=%lld failed=%s: %s",
			(long long)c->upload, err_name(why.code), why.text);
	} else {
		err_set(e, why.code, "%s", why.text);
	}
	arena_release(&j.arena);
	free(j.chunk);
	return ok;
}
