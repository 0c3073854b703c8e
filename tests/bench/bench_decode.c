/* bench_decode.c - decodes one trace, analyzes it and writes it as a capture
 * file, like an ingest worker.
 *
 * It calls the modules through their own headers: decode(), then
 * profile_from() for every process found, in an arena that starts empty, then
 * capture_write(), whose output is discarded. bench/decode.py and
 * bench/formats.py read the printed lines. */
#include "analyze.h"
#include "capture_write.h"
#include "decode.h"
#include "measure.h"
#include <inttypes.h>
#include <stdlib.h>

enum { GIB = 1 << 30 };

static const struct decode_limits limits = { .plain_bytes = INT64_C(16) * GIB,
	.ratio = 1000 };

static bool nowhere(void *to, const void *bytes, size_t len, struct err *e)
{
	(void)to;
	(void)bytes;
	(void)len;
	(void)e;
	return true;
}

static int64_t rows(const struct trace *t)
{
	int64_t n = 0;
#define KIND(kind, COLUMNS, what) n += t->kind.n;
	TRACE_KINDS(KIND)
	TRACE_TABLES(KIND)
#undef KIND
	return n;
}

static bool run(const char *path, const struct catalog *f, struct err *e)
{
	struct arena a = { .ceiling = (size_t)16 * GIB };
	struct trace t;
	struct source s;
	int64_t launches = 0, kernel_ns = 0;
	struct moment begun = measure_now();
	struct source_file *file = source_file_new(path, &s, e);
	if (!file)
		return false;
	bool ok = trace_init(&t, &a) || arena_err(&a, e);
	ok = ok && decode(&s, &limits, NULL, &t, e);
	source_file_free(file);
	struct moment decoded = measure_now();
	for (uint32_t i = 0; ok && i < t.processes_n; i++) {
		struct profile p;
		ok = profile_from(&t, i, f, NULL, &a, &p, e);
		launches += ok ? p.launches : 0;
		kernel_ns += ok ? p.kernel_ns : 0;
	}
	struct moment done = measure_now();
	struct capture_size size;
	ok = ok &&
	     capture_write_sized(&t, CAPTURE_ALL, nowhere, NULL, &size, e);
	struct moment written = measure_now();
	if (ok) {
		measure_tell("decode", begun, decoded);
		measure_tell("analyze", decoded, done);
		measure_tell("capture", done, written);
		printf("capture_bytes %" PRIu64 " %" PRIu64 "\n", size.bytes,
			size.kernel_bytes);
		printf("rows %" PRId64 " %" PRIu32 "\n", rows(&t), t.kernel.n);
		printf("kernels %" PRId64 "\nkernel_ns %" PRId64 "\n", launches,
			kernel_ns);
		printf("arena_kib %zu\n", a.taken / 1024);
	}
	arena_release(&a);
	return ok;
}

int main(int argc, char **argv)
{
	struct err e = { 0 };
	struct catalog *f = argc == 2 ? catalog_new(NULL, &e) : NULL;
	if (!f || !run(argv[1], f, &e)) {
		fprintf(stderr, "bench_decode: %s\n",
			argc == 2 ? e.text : "usage: bench_decode FILE");
		return 1;
	}
	catalog_free(f);
	measure_tell_peak();
	return 0;
}
