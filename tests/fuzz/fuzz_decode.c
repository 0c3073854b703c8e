/* fuzz_decode.c - fuzzes decoding and analysis with any bytes; the seeds are
 * tests/traces.
 *
 * In this build the decoder reads text through a window of a few hundred
 * bytes, so that small inputs cross the window's edges, too. */
#include "analyze.h"
#include "fuzz_parts.h"
#include <assert.h>
#include <stdlib.h>

enum { RUNS = 4 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The decoders return ids of names. Each id must be set, even if the analysis
 * would not look it up. */
static void fuzz_decode_check(const struct trace *t)
{
#define KIND(kind, COLUMNS, what)                \
	for (uint32_t i = 0; i < t->kind.n; i++) \
		assert(t->kind.name[i] < t->names.n);
	TRACE_KINDS(KIND)
	TRACE_TABLES(KIND)
#undef KIND
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct catalog *families;
	struct arena a = { .ceiling = (size_t)ARENA_MIB << 20 };
	struct fuzz_parts from = fuzz_parts_of(data, size);
	struct source s = { fuzz_parts_next, &from, -1 };
	struct err e = { 0 };
	struct trace t;
	struct profile p;

	if (!families && !(families = catalog_new(NULL, &e)))
		abort();
	bool ok = trace_init(&t, &a) && decode(&s, &fuzz_limits, NULL, &t, &e);
	assert(ok ? (t.processes_n > 0 || t.tensor_uses_n > 0) && !e.code
		  : e.code && e.text[0]);
	if (ok)
		fuzz_decode_check(&t);
	for (uint32_t i = 0; ok && i < t.processes_n && i < RUNS; i++)
		ok = profile_from(&t, i, families, NULL, &a, &p, &e);
	arena_release(&a);
	return 0;
}
