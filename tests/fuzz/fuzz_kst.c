/* fuzz_kst.c - fuzzes the capture file reader with correct checksums and
 * arbitrary content.
 *
 * Mutations alone would never have a correct checksum. So after three of four
 * mutations, each chunk's length and checksums are set to fit the bytes
 * between two magics. If the input can be decoded, the trace is analyzed,
 * written as a capture file and read again. Both traces must be equal. The
 * first byte selects the size of the parts, as in the other targets. */
#include "analyze.h"
#include "buf.h"
#include "capture_write.h"
#include "decode.h"
#include "fuzz_parts.h"
#include "kst_wire.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS = 4, AGAIN_MIB = 32 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max,
	unsigned seed);

static void put32(uint8_t *to, uint32_t v)
{
	for (int i = 0; i < 4; i++)
		to[i] = (uint8_t)(v >> 8 * i);
}

/* Turns the bytes from `at` to `end` into a chunk with correct sums. */
static void chunk_fix(uint8_t *at, const uint8_t *end)
{
	uint32_t len = (uint32_t)(end - at - KST_HEAD);
	put32(at + 8, kst_crc(0, at + KST_HEAD, len));
	put32(at + 20, len);
	if (at[33] == KST_CODEC_NONE)
		put32(at + 24, len);
	put32(at + 4, kst_crc(0, at + 8, KST_HEAD - 8));
}

static void chunks_fix(uint8_t *data, size_t size)
{
	uint8_t *end = data + size, *at, *next;
	at = memmem(data, size, KST_CHUNK_MAGIC, 4);
	for (; at && end - at >= KST_HEAD; at = next) {
		next = memmem(at + 4, (size_t)(end - at - 4), KST_CHUNK_MAGIC,
			4);
		if (!next || next - at >= KST_HEAD)
			chunk_fix(at, next ? next : end);
	}
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max,
	unsigned seed)
{
	size = LLVMFuzzerMutate(data, size, max);
	if (seed & 3)
		chunks_fix(data, size);
	return size;
}

static bool put(void *to, const void *bytes, size_t len, struct err *e)
{
	struct buf *b = to;
	buf_add(b, bytes, len);
	return !b->full || err_set(e, ERR_TOO_LARGE, "too large");
}

/* Whether a capture that is written again has the same rows. */
static void same_again(const struct trace *t)
{
	struct arena a = { .ceiling = (size_t)ARENA_MIB << 20 };
	struct err e = { 0 };
	struct buf b;
	struct trace again;
	buf_init(&b, (size_t)AGAIN_MIB << 20);
	if (capture_write(t, CAPTURE_ALL, put, &b, &e)) {
		struct fuzz_parts from = { (uint8_t *)b.at, b.len, 1 << 20 };
		struct source s = { fuzz_parts_next, &from, -1 };
		if (trace_init(&again, &a) &&
			decode(&s, &fuzz_limits, NULL, &again, &e)) {
#define KIND(kind, COLUMNS, what) assert(again.kind.n == t->kind.n);
			TRACE_KINDS(KIND)
			TRACE_TABLES(KIND)
#undef KIND
			assert(again.processes_n == t->processes_n);
			assert(again.devices_n == t->devices_n);
		} else {
			assert(a.full);
		}
	}
	buf_release(&b);
	arena_release(&a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct catalog *families;
	struct arena a = { .ceiling = (size_t)ARENA_MIB << 20 };
	struct err e = { 0 };
	struct trace t;
	struct profile p;

	if (!families && !(families = catalog_new(NULL, &e)))
		abort();
	struct fuzz_parts from = fuzz_parts_of(data, size);
	struct source s = { fuzz_parts_next, &from, -1 };
	bool ok = trace_init(&t, &a) && decode(&s, &fuzz_limits, NULL, &t, &e);
	assert(ok ? t.processes_n > 0 && !e.code : e.code && e.text[0]);
	if (ok)
		same_again(&t);
	for (uint32_t i = 0; ok && i < t.processes_n && i < RUNS; i++)
		ok = profile_from(&t, i, families, NULL, &a, &p, &e);
	arena_release(&a);
	return 0;
}
