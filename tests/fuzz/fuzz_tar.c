/* fuzz_tar.c - fuzzes the reader of tar archives, with any bytes and with
 * headers whose checksums are corrected, so that what is behind them is read.
 *
 * The second byte says whether checksums are corrected. The files may not have
 * more bytes than the input, and no name may leave the archive's folder. */
#include "fuzz_parts.h"
#include "tar_header.h"
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct fuzz_tar {
	size_t files, bytes, size;
};

static bool fuzz_tar_file(void *ctx, const char *name, struct source *s,
	struct err *e)
{
	struct fuzz_tar *f = ctx;
	const void *bytes;
	size_t len;

	assert(name[0] && name[0] != '/' && !strstr(name, "/../"));
	assert(++f->files <= 512);
	/* Every third file is not read to its end. */
	do {
		if (!s->next(s->ctx, &bytes, &len, e))
			return false;
		f->bytes += len;
		assert(f->bytes <= f->size);
	} while (len && f->files % 3);
	return true;
}

/* Corrects the checksum of each block that may be a header. */
static void fuzz_tar_correct(unsigned char *bytes, size_t size)
{
	for (size_t at = 0; at + TAR_BLOCK <= size; at += TAR_BLOCK) {
		char text[32];
		if (memcmp(bytes + at + TAR_MAGIC_AT, "ustar", 5))
			continue;
		snprintf(text, sizeof text, "%06llo",
			(unsigned long long)tar_header_sum(bytes + at));
		memcpy(bytes + at + TAR_SUM_AT, text, 7);
		bytes[at + TAR_SUM_AT + 7] = ' ';
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena a = { .ceiling = (size_t)ARENA_MIB << 20 };
	struct fuzz_tar f = { .size = size };
	struct err e = { 0 };
	struct trace t;
	bool archive = false;

	if (size < 2 + TAR_BLOCK)
		return 0;
	unsigned char *copy = malloc(size), *tar = copy + 2;
	if (!copy)
		abort();
	memcpy(copy, data, size);
	memcpy(tar + TAR_MAGIC_AT, "ustar", 5);
	/* compressed archives have more bytes than the input */
	if (tar[0] == 0x1F || tar[0] == 0x28)
		tar[0] = 'x';
	if (copy[1] & 1)
		fuzz_tar_correct(tar, size - 2);
	copy[1] = copy[0];
	struct fuzz_parts from = fuzz_parts_of(copy + 1, size - 1);
	struct source s = { fuzz_parts_next, &from, -1 };
	const struct decode_target to = { &t, fuzz_tar_file, &f };
	bool ok = trace_init(&t, &a) &&
		  decode_files(&s, &fuzz_limits, NULL, &to, &archive, &e);
	assert(ok || (e.code && e.text[0]));
	arena_release(&a);
	free(copy);
	return 0;
}
