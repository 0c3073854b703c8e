/* fuzz_decode.c - any bytes through decoding and analysis; seeds: tests/traces.
 *
 * The first byte chooses how large the pieces are that the rest arrives in.
 * The window over the text is a few hundred bytes in this build, so that small
 * inputs cross its edges too. */
#include "analyze.h"
#include "decode.h"
#include <assert.h>
#include <stdlib.h>

enum { ARENA_MIB = 64, PLAIN_MIB = 64, RUNS = 4 };

struct pieces {
	const uint8_t *bytes;
	size_t len, each;
};

static bool next(void *ctx, const void **bytes, size_t *len, struct err *e)
{
	struct pieces *p = ctx;
	(void)e;
	*bytes = p->bytes;
	*len = p->len < p->each ? p->len : p->each;
	p->bytes += *len;
	p->len -= *len;
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct families *families;
	static const struct decode_limits limits = { PLAIN_MIB << 20, 200 };
	struct arena a = { .ceiling = (size_t)ARENA_MIB << 20 };
	struct err e = { 0 };
	struct trace t;
	struct profile p;

	if (!families && !(families = families_new(&e)))
		abort();
	size_t each = size ? 1 + (size_t)data[0] * 3 : 1;
	struct pieces from = { data + (size > 0), size - (size > 0), each };
	struct source s = { next, &from, -1 };
	bool ok = trace_init(&t, &a) && decode(&s, &limits, NULL, &t, &e);
	assert(ok ? t.processes_n > 0 && !e.code : e.code && e.text[0]);
	for (uint32_t i = 0; ok && i < t.processes_n && i < RUNS; i++)
		ok = profile_from(&t, i, families, &a, &p, &e);
	arena_release(&a);
	return 0;
}
