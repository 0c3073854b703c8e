/* bench_decode.c - one trace decoded and analysed, as an ingest does it.
 *
 * The file goes through the rooms' own headers: decode(), then profile_from()
 * for every process found, in an arena that starts empty. What it prints is
 * for bench/decode.py. */
#include "analyze.h"
#include "decode.h"
#include "measure.h"
#include <inttypes.h>
#include <stdlib.h>

enum { GIB = 1 << 30 };

static const struct decode_limits limits = { .plain_bytes = INT64_C(16) * GIB,
	.ratio = 1000 };

static bool run(const char *path, const struct families *f, struct err *e)
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
		ok = profile_from(&t, i, f, &a, &p, e);
		launches += ok ? p.launches : 0;
		kernel_ns += ok ? p.kernel_ns : 0;
	}
	struct moment done = measure_now();
	if (ok) {
		measure_tell("decode", begun, decoded);
		measure_tell("analyze", decoded, done);
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
	struct families *f = argc == 2 ? families_new(&e) : NULL;
	if (!f || !run(argv[1], f, &e)) {
		fprintf(stderr, "bench_decode: %s\n",
			argc == 2 ? e.text : "usage: bench_decode FILE");
		return 1;
	}
	families_free(f);
	measure_tell_peak();
	return 0;
}
