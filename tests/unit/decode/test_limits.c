/* test_limits.c - tests compression bombs, frames with windows that are too
 * large, and progress callbacks. */
#include "packed.h"

static struct bytes b;

/* A megabyte of zeros is rejected after 1 MiB of output if the ratio is
 * exceeded. */
static void test_bomb(void **state)
{
	static unsigned char zeros[ROOM];
	static const struct decode_limits size = { ROOM + 1, 5000 },
					  ratio = { 64 << 20, 100 },
					  both = { 64 << 20, 5000 };
	struct result r;
	(void)state;
	for (int zstd = 0; zstd < 2; zstd++) {
		b.len = 0;
		for (int i = 0; i < 3; i++)
			zstd ? add_zstd(&b, zeros, ROOM)
			     : add_gzip(&b, zeros, ROOM);
		read_limited(&r, &b, ROOM, 65536, &both);
		assert_true(zstd ? !r.ok : r.ok);
		free(r.at);
		read_limited(&r, &b, ROOM, 65536, &ratio);
		assert_false(r.ok);
		assert_int_equal(r.err.code, ERR_TOO_LARGE);
		assert_true(r.len <= ROOM + 65536);
		assert_string_equal(r.err.text,
			zstd ? "the zstd data is more than 100 times as large "
			       "when unpacked, which no trace is; upload it "
			       "unpacked, or raise --max-compression-ratio"
			     : "the gzip data is more than 100 times as large "
			       "when unpacked, which no trace is; upload it "
			       "unpacked, or raise --max-compression-ratio");
		free(r.at);
	}
	b.len = 0;
	for (int i = 0; i < 2; i++)
		add_gzip(&b, zeros, ROOM);
	read_limited(&r, &b, ROOM, 65536, &size);
	assert_false(r.ok);
	assert_string_equal(r.err.text,
		"the trace is larger than 1 MiB when unpacked; record a "
		"shorter window, or raise --max-uncompressed-mib");
	free(r.at);
}

/* Frames whose window exceeds the memory of a worker. */
static void test_window(void **state)
{
	static const unsigned char frame[] = { 0x28, 0xB5, 0x2F, 0xFD, 0x00,
		0x88 /* 2^27 */, 0x01, 0x00, 0x00 };
	static const struct decode_limits limits = { 64 << 20, 200 };
	struct result r;
	(void)state;
	b.len = 0;
	add(&b, frame, sizeof frame);
	read_limited(&r, &b, 2, 100, &limits);
	assert_false(r.ok);
	assert_string_equal(r.err.text,
		"the zstd data looks back further than 32 MiB; compress it "
		"without --long and --ultra");
	free(r.at);
}

struct progress_seen {
	int calls;
	int64_t last, stop;
};

static bool progress_note(void *ctx, int64_t stored, int64_t plain,
	struct err *e)
{
	struct progress_seen *t = ctx;
	t->calls++;
	assert_true(stored - t->last <= 1 << 20);
	assert_true(plain >= stored);
	t->last = stored;
	return stored < t->stop ||
	       err_set(e, ERR_CONFLICT, "the lease is lost");
}

static void test_progress(void **state)
{
	static const struct decode_limits limits = { 1 << 30, 200 };
	static char piece[1 << 20];
	struct progress_seen progress_seen = { .stop = 5 << 20 };
	struct decode_progress progress = { progress_note, &progress_seen };
	struct arena a = { 0 };
	struct notes notes = { 0 };
	struct err e = { 0 };
	struct plain p;
	struct source_memory m;
	struct source s;
	size_t got, len = 10 << 20;
	char *bytes = calloc(1, len);
	(void)state;
	source_memory_init(&m, &s, bytes, len);
	plain_init(&p, &s, &limits, &progress, &a, &notes);
	while (plain_read(&p, piece, sizeof piece, &got, &e))
		;
	assert_int_equal(e.code, ERR_CONFLICT);
	assert_in_range(progress_seen.calls, 5, 20);
	assert_in_range(progress_seen.last, 5 << 20, 6 << 20);
	plain_release(&p);
	arena_release(&a);
	free(bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bomb),
		cmocka_unit_test(test_window),
		cmocka_unit_test(test_progress),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
