/* bench_store.c - measures only the database's part of one ingest.
 *
 *   bench_store CONNINFO            migrates the database
 *   bench_store CONNINFO FILE       stores FILE as one upload and its runs
 *
 * Before the clock starts, FILE is decoded and analyzed, and its capture files
 * are written to memory. The timed part is the work that an upload and its
 * ingest send to PostgreSQL through the headers of store/. For the upload that
 * is begin, every chunk, finish; for the ingest it is claim, progress, save.
 * Prints for bench/db_part: NAME CPU_NS WALL_NS. */
#include "analyze.h"
#include "buf.h"
#include "capture_write.h"
#include "decode.h"
#include "measure.h"
#include "migrate.h"
#include "save.h"
#include "upload.h"
#include <math.h>
#include <stdlib.h>

static const struct decode_limits limits = { .plain_bytes = INT64_C(16) << 30,
	.ratio = 1000 };

struct job {
	struct db *db;
	const char *path;
	struct arena arena;
	struct trace trace;
	struct profile *runs;
	struct buf *captures;
	uint32_t n;
	int64_t upload, bytes;
};

static bool keep(void *to, const void *bytes, size_t len, struct err *e)
{
	struct buf *b = to;
	buf_add(b, bytes, len);
	return !b->full ||
	       err_set(e, ERR_TOO_LARGE, "the capture is too large");
}

static bool captures(struct job *j, struct err *e)
{
	bool ok = true;
	j->captures = arena_array(&j->arena, struct buf, j->n);
	for (uint32_t i = 0; ok && i < j->n; i++) {
		buf_init(&j->captures[i], (size_t)1 << 30);
		ok = capture_write(&j->trace, i, keep, &j->captures[i], e);
	}
	return ok;
}

static bool written(void *ctx, uint32_t run, capture_put_fn *put, void *to,
	struct err *e)
{
	const struct buf *b = &((struct job *)ctx)->captures[run];
	return put(to, b->at, b->len, e);
}

static bool profiles(struct job *j, const struct catalog *f, struct err *e)
{
	struct source s;
	struct source_file *file = source_file_new(j->path, &s, e);
	if (!file)
		return false;
	bool ok = trace_init(&j->trace, &j->arena) &&
		  decode(&s, &limits, NULL, &j->trace, e);
	source_file_free(file);
	if (!ok)
		return false;
	j->n = j->trace.processes_n;
	j->runs = arena_array(&j->arena, struct profile, j->n);
	for (uint32_t i = 0; ok && i < j->n; i++)
		ok = profile_from(&j->trace, i, f, NULL, &j->arena, &j->runs[i],
			e);
	return ok;
}

static bool receive(struct job *j, struct err *e)
{
	static const struct upload_meta meta = { "bench", "store", "", "", "{}",
		"", NAN };
	static unsigned char chunk[UPLOAD_CHUNK];
	uint8_t digest[SHA256_BYTES] = { 0 };
	struct upload_outcome out;
	FILE *f = fopen(j->path, "rb");
	if (!f)
		return err_set(e, ERR_INPUT, "'%s' cannot be opened", j->path);
	bool ok = upload_begin(j->db, &meta, &j->upload, e);
	size_t len;
	for (int32_t seq = 0;
		ok && (len = fread(chunk, 1, sizeof chunk, f)) > 0; seq++) {
		ok = upload_chunk(j->db, j->upload, seq, chunk, len, e);
		j->bytes += (int64_t)len;
	}
	fclose(f);
	return ok &&
	       upload_finish(j->db, j->upload, digest, j->bytes, NULL, &out, e);
}

static bool store(struct job *j, struct err *e)
{
	const struct captures written_before = { written, j };
	struct claim c;
	if (!upload_claim(j->db, "bench:1", 30, &c, e))
		return false;
	return upload_progress(j->db, &c, "save", j->bytes, e) &&
	       save(j->db, &c, j->runs, j->n, &written_before, e);
}

static bool run(struct job *j, struct err *e)
{
	int applied;
	if (!j->path)
		return migrate(j->db, &applied, e);
	struct catalog *f = catalog_new(NULL, e);
	bool ok = f && profiles(j, f, e) && captures(j, e);
	struct moment begun = measure_now();
	ok = ok && receive(j, e);
	struct moment received = measure_now();
	ok = ok && store(j, e);
	struct moment done = measure_now();
	if (ok) {
		measure_tell("chunks", begun, received);
		measure_tell("rows", received, done);
	}
	catalog_free(f);
	for (uint32_t i = 0; j->captures && i < j->n; i++)
		buf_release(&j->captures[i]);
	arena_release(&j->arena);
	return ok;
}

int main(int argc, char **argv)
{
	struct err e = { 0 };
	struct job j = { 0 };
	if (argc < 2 || argc > 3) {
		fprintf(stderr, "usage: bench_store CONNINFO [FILE]\n");
		return 2;
	}
	j.path = argv[2];
	j.db = db_new(argv[1], &e);
	bool ok = j.db && run(&j, &e);
	if (!ok)
		fprintf(stderr, "bench_store: %s\n", e.text);
	db_free(j.db);
	return !ok;
}
