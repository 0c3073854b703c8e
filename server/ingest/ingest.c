/* ingest.c - executes the steps of an ingest in order, measures their times and
 * renews the lease. */
#include "ingest.h"
#include "clock.h"
#include "analyze.h"
#include "attribute.h"
#include "capture_write.h"
#include "kernel_profile_match.h"
#include "kernel_profiles.h"
#include "learned_graph.h"
#include "log.h"
#include "ncu_table.h"
#include "object_store.h"
#include "provenance.h"
#include "site_overrides.h"
#include "save.h"
#include "trace_files.h"
#include <assert.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

enum { RENEW_BYTES = 8 << 20, RENEW_MS = 1000 };

struct job {
	struct db *db;
	const struct claim *claim;
	const struct ingest_limits *limits;
	const struct catalog *catalog;
	struct object_store *objects;
	struct arena arena;
	struct trace trace;
	struct trace_files files;
	struct profile *runs;

	uint8_t *chunk; /* the chunk that the decoder reads */
	size_t fetched; /* bytes of it that object storage sent */
	int64_t read_bytes; /* of all chunks so far */
	int32_t seq; /* number of the next chunk */
	int64_t plain_bytes;

	int64_t renewed_bytes; /* bytes at the last renewal of the lease */
	double renewed_ms;
	double read_ms, decode_ms, analyze_ms, save_ms;
	struct capture_cost {
		double ms; /* time to write the file, without storing it */
		int64_t bytes;
	} capture;
};

static double ingest_now_ms(void)
{
	return (double)clock_ns() / 1e6;
}

/* Renews the lease if that is due: by time, at least three times per lease, or
 * by bytes. False if the lease is lost, or if the process must stop. */
static bool ingest_go_on(struct job *j, const char *stage, int64_t bytes,
	struct err *e)
{
	if (j->limits->stop && *j->limits->stop)
		return err_set(e, ERR_BUSY, "the worker is stopping");
	double lease_ms = 1e3 * j->claim->lease_s;
	double every_ms = lease_ms / 3 < RENEW_MS ? lease_ms / 3 : RENEW_MS;
	double now = ingest_now_ms();
	if (bytes - j->renewed_bytes < RENEW_BYTES &&
		now - j->renewed_ms < every_ms)
		return true;
	j->renewed_bytes = bytes;
	j->renewed_ms = now;
	return upload_progress(j->db, j->claim, stage, bytes, e);
}

static bool ingest_fetched(void *ctx, const void *bytes, size_t len,
	struct err *e)
{
	struct job *j = ctx;
	(void)e;
	assert(len <= UPLOAD_CHUNK - j->fetched);
	memcpy(j->chunk + j->fetched, bytes, len);
	j->fetched += len;
	return true;
}

/* Tries again if the storage rejects a request because of its load: otherwise a large
 * upload, with its thousands of requests, would seldom be read to its end. */
static bool ingest_fetch_again(struct job *j,
	const struct upload_chunk_place *place, size_t len, struct err *e)
{
	static const int pauses_ms[] = { 200, 800, 3200, 0 };
	for (int i = 0;; i++) {
		struct err why = { 0 };
		j->fetched = 0;
		if (object_get(j->objects, place->object, place->etag,
			    place->at, (int64_t)len, ingest_fetched, j, &why))
			return true;
		if (why.code != ERR_BUSY || !pauses_ms[i] ||
			(j->limits->stop && *j->limits->stop))
			return err_set(e, why.code, "%s", why.text);
		nanosleep(&(struct timespec){ pauses_ms[i] / 1000,
				  pauses_ms[i] % 1000 * 1000000L },
			NULL);
	}
}

/* Reads a chunk that is in an object. */
static bool ingest_fetch(struct job *j, const struct upload_chunk_place *place,
	size_t len, struct err *e)
{
	if (!j->objects)
		return err_set(e, ERR_FORBIDDEN,
			"the bytes of upload %lld are in %.150s, and this "
			"process has no object storage",
			(long long)j->claim->upload, place->object);
	return ingest_fetch_again(j, place, len, e);
}

static bool ingest_next_chunk(void *ctx, const void **bytes, size_t *len,
	struct err *e)
{
	struct job *j = ctx;
	*bytes = j->chunk;
	*len = 0;
	if (j->seq == j->claim->chunks)
		return j->read_bytes == j->claim->bytes ||
		       err_set(e, ERR_INTERNAL,
			       "upload %lld has %lld bytes in its chunks "
			       "instead of %lld",
			       (long long)j->claim->upload,
			       (long long)j->read_bytes,
			       (long long)j->claim->bytes);
	double began = ingest_now_ms();
	struct upload_chunk_place place;
	bool ok = upload_read_chunk(j->db, j->claim->upload, j->seq++, j->chunk,
			  len, &place, e) &&
		  (!*place.object || ingest_fetch(j, &place, *len, e));
	j->read_ms += ingest_now_ms() - began;
	j->read_bytes += ok ? (int64_t)*len : 0;
	return ok;
}

static bool ingest_tell(void *ctx, int64_t stored_bytes, int64_t plain_bytes,
	struct err *e)
{
	struct job *j = ctx;
	j->plain_bytes = plain_bytes;
	return ingest_go_on(j, "decode", stored_bytes, e);
}

static bool ingest_step_decode(struct job *j, struct err *e)
{
	struct source source = { ingest_next_chunk, j, j->claim->bytes };
	struct decode_progress progress = { ingest_tell, j };
	double began = ingest_now_ms();
	bool ok = trace_init(&j->trace, &j->arena) || arena_err(&j->arena, e);
	j->files = (struct trace_files){ .catalog = j->catalog,
		.limits = j->limits->decode,
		.arena = &j->arena,
		.trace = &j->trace };
	ok = ok && trace_files_read(&j->files, &source, &progress, e);
	j->decode_ms = ingest_now_ms() - began - j->read_ms;
	return ok;
}

/* Analyzes a process with the graphs of the upload's capture traces, and with
 * those that other uploads recorded. */
static bool ingest_analyze(struct job *j, uint32_t i, struct err *e)
{
	int32_t rank = j->trace.processes[i].rank;
	struct arena learned;
	struct graph_book book = { 0 }, stored = { 0 };
	struct graph_wanted *wanted;
	uint32_t n;

	if (!attribute_wanted(&j->trace, i, &j->arena, &wanted, &n))
		return arena_err(&j->arena, e);
	learned = arena_scratch(&j->arena);
	bool ok = n == 0 ||
		  learned_graph_read(j->db, &learned, 0, wanted, n, &stored, e);
	ok = ok &&
	     trace_files_book(&j->files, rank, &stored, &learned, &book, e) &&
	     profile_from(&j->trace, i, j->catalog, &book, &j->arena,
		     &j->runs[i], e) &&
	     trace_files_learn(&j->files, rank, &j->runs[i], e);
	arena_scratch_release(&learned, &j->arena);
	return j->arena.full ? arena_err(&j->arena, e) : ok;
}

static bool ingest_step_analyze(struct job *j, struct err *e)
{
	double began = ingest_now_ms();
	j->runs = arena_array(&j->arena, struct profile, j->trace.processes_n);
	if (!j->runs)
		return arena_err(&j->arena, e);
	for (uint32_t i = 0; i < j->trace.processes_n; i++) {
		if (!ingest_go_on(j, "analyze", j->claim->bytes, e) ||
			!ingest_analyze(j, i, e))
			return false;
		j->runs[i].operators.catalog = catalog_version(j->catalog);
	}
	j->analyze_ms = ingest_now_ms() - began;
	return true;
}

/* Finds the runs' kernels in the provenance files that came with the upload.
 * The server accepted only files that can be read. */
static bool ingest_step_origins(struct job *j, const struct catalog *f,
	struct err *e)
{
	struct provenance p;
	const char *text;
	return upload_provenance_read(j->db, j->claim->upload, &j->arena, &text,
		       e) &&
	       (!text || (provenance_read("provenance", text, strlen(text),
				  &j->arena, &p, e) &&
				 provenance_match(&p, f, j->runs,
					 j->trace.processes_n, &j->arena, e)));
}

/* Counts the bytes that are written to the database. */
struct counted {
	struct capture_cost *cost;
	capture_put_fn *put;
	void *to;
};

static bool ingest_put_counted(void *ctx, const void *bytes, size_t len,
	struct err *e)
{
	const struct counted *c = ctx;
	double began = ingest_now_ms();
	bool ok = c->put(c->to, bytes, len, e);
	c->cost->ms -= ingest_now_ms() - began;
	c->cost->bytes += (int64_t)len;
	return ok;
}

static bool ingest_write_capture(void *ctx, uint32_t run, capture_put_fn *put,
	void *to, struct err *e)
{
	struct job *j = ctx;
	struct counted c = { &j->capture, put, to };
	double began = ingest_now_ms();
	bool ok = capture_write(&j->trace, run, ingest_put_counted, &c, e);
	j->capture.ms += ingest_now_ms() - began;
	return ok;
}

static bool ingest_step_save(struct job *j, struct err *e)
{
	const struct captures captures = { ingest_write_capture, j };
	double began = ingest_now_ms();
	bool ok = ingest_go_on(j, "save", j->claim->bytes, e) &&
		  save(j->db, j->claim, j->runs, j->trace.processes_n,
			  &captures, e);
	j->save_ms = ingest_now_ms() - began - j->capture.ms;
	return ok;
}

/* Whether a file is at fault, and not this machine or the database. */
static bool ingest_own_fault(enum err_code code)
{
	return code == ERR_FORMAT || code == ERR_TRACE || code == ERR_TOO_LARGE;
}

static bool ingest_profiles_add(void *to, const struct kernel_profile_file *f,
	struct err *e)
{
	return ncu_reader_add(to, f->name, f->content, f->len, e);
}

/* Finds the kernels of a run in the files of a kernel profiler that were
 * attached to it. */
static bool ingest_profiles_of(struct job *j,
	const struct kernel_profile_file *files, uint32_t n, struct profile *p,
	struct err *e)
{
	struct arena read = { .ceiling = (size_t)NCU_ARENA_MIB << 20 };
	struct kernel_profiles *is =
		arena_new(&j->arena, struct kernel_profiles);
	struct ncu_reader *r = ncu_reader_new(&read);
	bool ok = is && r ? kernel_profiles_each(j->db, files, n,
				    ingest_profiles_add, r, e) &&
				    ncu_reader_end(r, &j->arena, is, e)
			  : arena_err(is ? &read : &j->arena, e);
	arena_release(&read);
	if (!ok)
		return false;
	if (!kernel_profile_match(p, is, &j->arena, &p->kernel_profiles))
		return arena_err(&j->arena, e);
	p->kernel_profiles_n = is->n;
	return true;
}

/* Reads the files of a kernel profiler that were attached to the runs. The
 * server accepted only files that it could read; if it no longer can, the run
 * is without them, because they are not the trace's fault. */
static bool ingest_step_profiles(struct job *j, struct err *e)
{
	struct kernel_profile_file *files;
	uint32_t files_n, end;
	if (!kernel_profiles_of_upload(j->db, &j->arena, j->claim->upload,
		    &files, &files_n, e))
		return false;
	for (uint32_t i = 0; i < files_n; i = end) {
		int32_t of = files[i].ordinal;
		for (end = i; end < files_n && files[end].ordinal == of;)
			end++;
		/* The run had a number that the trace no longer has. */
		if (of < 0 || (uint32_t)of >= j->trace.processes_n)
			continue;
		struct profile *p = &j->runs[of];
		struct err why = { 0 };
		if (ingest_profiles_of(j, &files[i], end - i, p, &why))
			continue;
		if (j->arena.full || !ingest_own_fault(why.code))
			return err_set(e, why.code, "%s", why.text);
		note_add(&p->notes, NOTE_profile_unread, end - i, why.text,
			strlen(why.text));
	}
	return true;
}

/* Writes the log line of an ingest: its times, sizes and findings. */
static void ingest_log_done(const struct job *j)
{
	struct rusage use;
	int64_t kernels = 0, launches = 0, iterations = 0;
	getrusage(RUSAGE_SELF, &use);
	for (uint32_t i = 0; i < j->trace.processes_n; i++) {
		kernels += j->runs[i].kernels_n;
		launches += j->runs[i].launches;
		iterations += j->runs[i].iterations.n;
	}
	log_info(
		"ingest upload=%lld runs=%u captures=%u kernels=%lld launches=%lld "
		"iterations=%lld bytes=%lld plain_bytes=%lld read_ms=%.1f "
		"decode_ms=%.1f "
		"analyze_ms=%.1f capture_ms=%.1f save_ms=%.1f ms=%.1f "
		"capture_bytes=%lld arena_mib=%zu peak_mib=%ld",
		(long long)j->claim->upload, j->trace.processes_n,
		j->files.captures, (long long)kernels, (long long)launches,
		(long long)iterations, (long long)j->claim->bytes,
		(long long)j->plain_bytes, j->read_ms, j->decode_ms,
		j->analyze_ms, j->capture.ms, j->save_ms,
		j->read_ms + j->decode_ms + j->analyze_ms + j->capture.ms +
			j->save_ms,
		(long long)j->capture.bytes,
		(j->arena.taken + j->arena.lent) >> 20, use.ru_maxrss >> 10);
}

bool ingest(struct db *db, const struct claim *c, const struct catalog *f,
	struct object_store *objects, const struct ingest_limits *limits,
	bool *saving, struct err *e)
{
	struct err why = { 0 };
	struct job j = {
		.db = db,
		.claim = c,
		.catalog = f,
		.objects = objects,
		.limits = limits,
		.arena = { .ceiling = limits->arena_bytes },
		.chunk = malloc(UPLOAD_CHUNK),
		.renewed_ms = ingest_now_ms(),
	};

	*saving = false;
	if (!j.chunk)
		return err_set(e, ERR_BUSY,
			"this machine has no memory left for an ingest");
	*saving = ingest_step_decode(&j, &why) &&
		  ingest_step_analyze(&j, &why) &&
		  ingest_step_origins(&j, f, &why) &&
		  ingest_step_profiles(&j, &why);
	bool ok = *saving && ingest_step_save(&j, &why);
	if (ok) {
		ingest_log_done(&j);
	} else if (ingest_own_fault(why.code)) {
		ok = upload_fail(db, c, &why, e);
		log_info("ingest upload=%lld failed=%s: %s",
			(long long)c->upload, err_name(why.code), why.text);
	} else {
		err_set(e, why.code, "%s", why.text);
	}
	trace_files_release(&j.files);
	arena_release(&j.arena);
	free(j.chunk);
	return ok;
}
