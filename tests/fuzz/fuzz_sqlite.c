/* fuzz_sqlite.c - fuzzes the SQLite reader: any bytes after the magic of a
 * database, with a valid page size. Decoded rows must meet their guarantees. */
#include "analyze.h"
#include "fuzz_parts.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { MAGIC = 16, MOST = 1 << 16, RUNS = 4 };
static const char magic[MAGIC] = "SQLite format 3";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A row belongs to an existing process, does not start before the first one,
 * has a duration of at least zero, and has valid names. */
#define HOLD(kind)                                           \
	for (uint32_t i = 0; i < t->kind.n; i++) {           \
		assert(t->kind.process[i] < t->processes_n); \
		assert(t->kind.start_ns[i] >= 0);            \
		assert(t->kind.dur_ns[i] >= 0);              \
		assert(t->kind.name[i] < t->names.n);        \
	}
static void hold(const struct trace *t)
{
	HOLD(kernel)
	HOLD(copy)
	HOLD(graph)
	HOLD(call)
	HOLD(range)
	for (uint32_t i = 0; i < t->range.n; i++) {
		assert(t->range.domain[i] < t->names.n);
		assert(t->range.payload[i] < t->names.n);
		assert(t->range.thread[i] < t->names.n);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct catalog *families;
	static uint8_t bytes[MOST];
	struct arena a = { .ceiling = (size_t)ARENA_MIB << 20 };
	struct err e = { 0 };
	struct trace t;
	struct profile p;

	if (!families && !(families = catalog_new(NULL, &e)))
		abort();
	if (size <= 1 + MAGIC || size > MOST)
		return -1;
	memcpy(bytes, data, size);
	memcpy(bytes + 1, magic, MAGIC);
	struct fuzz_parts from = fuzz_parts_of(bytes, size);
	struct source s = { fuzz_parts_next, &from, -1 };
	bool ok = trace_init(&t, &a) && decode(&s, &fuzz_limits, NULL, &t, &e);
	assert(ok ? t.processes_n > 0 && !e.code : e.code && e.text[0]);
	if (ok)
		hold(&t);
	for (uint32_t i = 0; ok && i < t.processes_n && i < RUNS; i++)
		ok = profile_from(&t, i, families, NULL, &a, &p, &e);
	arena_release(&a);
	return 0;
}
