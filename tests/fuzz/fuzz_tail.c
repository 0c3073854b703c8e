/* fuzz_tail.c - fuzzes the files of a killed process: a capture and a tail are
 * merged into one capture file, which must be readable.
 *
 * The first two bytes are the length of the capture; the bytes after the
 * capture are the tail. After three of four mutations, the checksums of both
 * are corrected. A complete capture file must not change if it is merged
 * again. */
#include "kst_log.h"
#include "kernsift/kst_reader.h"
#include "kernsift/kst_tail.h"
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max,
	unsigned seed);

/* Sets each chunk's length and checksums to fit the bytes between two magics. */
static void capture_fix(uint8_t *at, uint8_t *end)
{
	uint8_t *next;
	at = memmem(at, (size_t)(end - at), KST_CHUNK_MAGIC, 4);
	for (; at && end - at >= KST_HEAD; at = next) {
		next = memmem(at + 4, (size_t)(end - at - 4), KST_CHUNK_MAGIC,
			4);
		uint8_t *to = next ? next : end;
		if (to - at < KST_HEAD)
			continue;
		uint32_t len = (uint32_t)(to - at - KST_HEAD);
		kst_put32(at + 8, kst_crc(0, at + KST_HEAD, len));
		kst_put32(at + 20, len);
		if (at[33] == KST_CODEC_NONE)
			kst_put32(at + 24, len);
		kst_put32(at + 4, kst_crc(0, at + 8, KST_HEAD - 8));
	}
}

/* Corrects the checksums of the slots and then of the entries, up to the first
 * entry whose length is not valid. */
static void tail_fix(uint8_t *at, uint8_t *end)
{
	uint32_t sum = 0;
	uint64_t generation = 0, len;
	if (end - at < KST_LOG)
		return;
	for (int i = 0; i < 2; i++) {
		uint8_t *slot = at + i * KST_SLOT;
		memcpy(slot, KST_TAIL_MAGIC, 8);
		kst_put32(slot + KST_SLOT_SUM, kst_crc(0, slot, KST_SLOT_SUM));
		if (i && kst_get64(slot + 8) <= generation)
			continue;
		generation = kst_get64(slot + 8);
		sum = kst_get32(slot + KST_SLOT_SUM);
	}
	kst_put32(at + KST_COMMIT, (uint32_t)generation);
	for (uint8_t *entry = at + KST_LOG; entry < end;) {
		const uint8_t *body = kst_varint_get(entry + 1, end, &len);
		if (!body || end - body < 4 || len > (uint64_t)(end - body) - 4)
			return;
		sum = kst_crc(sum, entry, (size_t)(body - entry) + len);
		entry = (uint8_t *)(uintptr_t)body + len;
		kst_put32(entry, sum);
		entry += 4;
	}
}

/* The start of the tail. */
static size_t cut_of(const uint8_t *data, size_t size)
{
	size_t cut = size < 2 ? size : 2 + (size_t)kst_get16(data);
	return cut < size ? cut : size;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max,
	unsigned seed)
{
	size = LLVMFuzzerMutate(data, size, max);
	size_t cut = cut_of(data, size);
	if (seed & 3 && size > 2) {
		capture_fix(data + 2, data + cut);
		tail_fix(data + cut, data + size);
	}
	return size;
}

/* Creates a file of these bytes; the name of a descriptor would be a link. */
static void file_of(char path[static 64], const char *kind,
	const uint8_t *bytes, size_t len)
{
	snprintf(path, 64, "/tmp/fuzz-tail-%d.%s", (int)getpid(), kind);
	FILE *f = fopen(path, "w");
	assert(f && fwrite(bytes, 1, len, f) == len);
	fclose(f);
}

static int64_t take(void *file, void *to, size_t cap)
{
	return (int64_t)fread(to, 1, cap, file);
}

/* Reads the file; returns the number of rows. */
static int64_t read_all(const char *path)
{
	struct kst_chunk c;
	int64_t rows = 0;
	FILE *f = fopen(path, "r");
	assert(f);
	struct kst_reader *r = kst_reader_new(take, f, NULL);
	enum kst_got got;
	while ((got = kst_reader_next(r, &c)) == KST_CHUNK)
		rows += c.rows;
	assert(got == KST_END || got == KST_FULL);
	assert(kst_reader_damage(r)->behind == 0);
	kst_reader_free(r);
	fclose(f);
	return rows;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char capture[64], tail[64], out[64], again[64], sentence[256] = "";
	struct kst_merged m, n;
	size_t cut = cut_of(data, size);
	size_t from = size < 2 ? 0 : 2;
	file_of(capture, "part", data + from, cut - from);
	file_of(tail, "tail", data + cut, size - cut);
	snprintf(out, sizeof out, "/tmp/fuzz-tail-%d.kst", (int)getpid());
	snprintf(again, sizeof again, "%s.again", out);
	bool ok = kst_tail_merge(capture, tail, out, &m, sentence);
	assert(ok || sentence[0]);
	if (ok) {
		assert(read_all(out) <= m.rows + m.tail_rows);
		assert(kst_tail_merge(out, tail, again, &n, sentence));
		assert(!m.whole ||
			(n.whole && read_all(out) == read_all(again)));
		unlink(out);
		unlink(again);
	}
	unlink(capture);
	unlink(tail);
	return 0;
}
