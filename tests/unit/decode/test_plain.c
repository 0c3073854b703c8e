/* test_plain.c - compression undone, in pieces of any size and whatever way it
 * ends. */
#include "fixture.h"
#include "plain.h"
#include <isa-l/igzip_lib.h>
#include <zstd.h>

enum { ROOM = 1 << 20 };

struct bytes {
	unsigned char at[ROOM];
	size_t len;
};

static void add(struct bytes *b, const void *bytes, size_t len)
{
	assert_true(b->len + len <= ROOM);
	memcpy(b->at + b->len, bytes, len);
	b->len += len;
}

static void add_gzip(struct bytes *b, const void *plain, size_t len)
{
	struct isal_zstream z;
	isal_deflate_stateless_init(&z);
	z.gzip_flag = IGZIP_GZIP;
	z.end_of_stream = 1;
	z.next_in = (uint8_t *)(uintptr_t)plain;
	z.avail_in = (uint32_t)len;
	z.next_out = b->at + b->len;
	z.avail_out = (uint32_t)(ROOM - b->len);
	assert_int_equal(isal_deflate_stateless(&z), COMP_OK);
	b->len += z.total_out;
}

static void add_zstd(struct bytes *b, const void *plain, size_t len)
{
	size_t n = ZSTD_compress(b->at + b->len, ROOM - b->len, plain, len, 3);
	assert_false(ZSTD_isError(n));
	b->len += n;
}

/* What came out of reading all of b in pieces, and how it ended. */
struct result {
	unsigned char *at;
	size_t len;
	struct notes notes;
	struct err err;
	bool ok;
};

static void read_limited(struct result *r, const struct bytes *b, size_t each,
	size_t at_once, const struct decode_limits *limits)
{
	struct pieces pieces = { (const char *)b->at, b->len, each };
	struct source s = { pieces_next, &pieces, -1 };
	struct arena a = { 0 };
	struct plain p;
	size_t got = at_once;
	*r = (struct result){ .at = malloc(4 * ROOM), .ok = true };
	plain_init(&p, &s, limits, NULL, &a, &r->notes);
	while (r->ok && got == at_once && r->len + at_once <= 4 * ROOM) {
		r->ok = plain_read(&p, r->at + r->len, at_once, &got, &r->err);
		r->len += r->ok ? got : 0;
	}
	plain_release(&p);
	arena_release(&a);
}

static void read_all(struct result *r, const struct bytes *b, size_t each,
	size_t at_once)
{
	static const struct decode_limits limits = { 64 << 20, 2000 };
	read_limited(r, b, each, at_once, &limits);
	assert_true(r->ok);
}

static int64_t all_notes(const struct notes *ns)
{
	int64_t n = 0;
	for (int c = 0; c < NOTE_CODES; c++)
		n += ns->count[c];
	return n;
}

/* 5,000 bytes that do not repeat soon. */
static const unsigned char *sample(size_t *len)
{
	static unsigned char bytes[5000];
	uint32_t x = 1;
	for (size_t i = 0; i < sizeof bytes; i++) {
		x = x * 1664525 + 1013904223;
		bytes[i] = (unsigned char)"{}[]\",: 01234567"[x >> 24 & 15];
	}
	*len = sizeof bytes;
	return bytes;
}

static struct bytes b;
static const size_t sizes[] = { 1, 2, 3, 7, 64, 1000, ROOM };
enum { SIZES = sizeof sizes / sizeof *sizes };

static void same_however(size_t times)
{
	size_t len;
	const unsigned char *plain = sample(&len);
	for (size_t i = 0; i < SIZES; i++)
		for (size_t o = 0; o < SIZES; o++) {
			struct result r;
			read_all(&r, &b, sizes[i], sizes[o]);
			assert_int_equal(r.len, times * len);
			for (size_t t = 0; t < times; t++)
				assert_memory_equal(r.at + t * len, plain, len);
			assert_int_equal(all_notes(&r.notes), 0);
			free(r.at);
		}
}

static void test_whole(void **state)
{
	size_t len;
	const unsigned char *plain = sample(&len);
	(void)state;
	b.len = 0;
	add(&b, plain, len);
	same_however(1);
	b.len = 0;
	add_gzip(&b, plain, len);
	same_however(1);
	add_gzip(&b, plain, len);
	add_gzip(&b, plain, len);
	same_however(3);
	b.len = 0;
	add_zstd(&b, plain, len);
	same_however(1);
	add_zstd(&b, plain, len);
	same_however(2);
}

/* What stands behind the last member is ignored and counted. */
static void test_garbage(void **state)
{
	static const char *const behind[] = { "x", "garbage", "\x1F",
		"\x1F\x8Bmore", "\0\0\0\0\0\0\0\0\0\0\0\0", "}" };
	static const size_t lens[] = { 1, 7, 1, 6, 12, 1 };
	size_t len;
	const unsigned char *plain = sample(&len);
	(void)state;
	for (size_t i = 0; i < sizeof lens / sizeof *lens; i++)
		for (size_t each = 0; each < SIZES; each++) {
			struct result r;
			b.len = 0;
			add_gzip(&b, plain, len);
			add(&b, behind[i], lens[i]);
			read_all(&r, &b, sizes[each], 1000);
			assert_int_equal(r.len, len);
			assert_int_equal(r.notes.count[NOTE_gzip_garbage],
				lens[i]);
			assert_int_equal(r.notes.count[NOTE_damaged], 0);
			free(r.at);
		}
	b.len = 0;
	add_zstd(&b, plain, len);
	add(&b, "garbage", 7);
	struct result r;
	read_all(&r, &b, 3, 1000);
	assert_int_equal(r.len, len);
	assert_int_equal(r.notes.count[NOTE_gzip_garbage], 7);
	free(r.at);
}

/* Cut off anywhere: what came before is what it was, and it is told. */
static void cut_anywhere(void)
{
	size_t len, whole = b.len;
	const unsigned char *plain = sample(&len);
	for (b.len = 4; b.len < whole; b.len += b.len < 40 ? 1 : 97) {
		struct result r;
		read_all(&r, &b, 50, 1000);
		assert_true(r.len <= len);
		assert_memory_equal(r.at, plain, r.len);
		assert_int_equal(r.notes.count[NOTE_truncated] > 0 ||
					 r.len == 0,
			1);
		assert_int_equal(r.notes.count[NOTE_truncated], r.len);
		free(r.at);
	}
}

static void test_cut(void **state)
{
	size_t len;
	const unsigned char *plain = sample(&len);
	(void)state;
	b.len = 0;
	add_gzip(&b, plain, len);
	cut_anywhere();
	b.len = 0;
	add_zstd(&b, plain, len);
	cut_anywhere();
}

static void test_checksum(void **state)
{
	size_t len;
	const unsigned char *plain = sample(&len);
	struct result r;
	(void)state;
	b.len = 0;
	add_gzip(&b, plain, len);
	b.at[b.len - 6] ^= 1;
	read_all(&r, &b, ROOM, 700);
	assert_int_equal(r.len, len);
	assert_int_equal(r.notes.count[NOTE_checksum], len);
	free(r.at);
}

/* A flipped bit anywhere in the middle is noticed, one way or another. */
static void test_flipped(void **state)
{
	size_t len;
	const unsigned char *plain = sample(&len);
	(void)state;
	b.len = 0;
	add_gzip(&b, plain, len);
	/* Not the last four bytes: a length, which the checksum makes needless. */
	for (size_t i = 12; i < b.len - 4; i += 61) {
		struct result r;
		b.at[i] ^= 0x10;
		read_all(&r, &b, 333, 1000);
		assert_true(r.len <= 2 * ROOM);
		if (all_notes(&r.notes) == 0 && r.len > 0)
			fail_msg("byte %zu of %zu", i, b.len);
		b.at[i] ^= 0x10;
		free(r.at);
	}
}

/* A megabyte of zeros: refused once 1 MiB is out at more than the ratio. */
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
			zstd ? "the zstd data unpacks to more than 100 times "
			       "its size, which no trace does; upload it "
			       "unpacked, or raise --ratio"
			     : "the gzip data unpacks to more than 100 times "
			       "its size, which no trace does; upload it "
			       "unpacked, or raise --ratio");
		free(r.at);
	}
	b.len = 0;
	for (int i = 0; i < 2; i++)
		add_gzip(&b, zeros, ROOM);
	read_limited(&r, &b, ROOM, 65536, &size);
	assert_false(r.ok);
	assert_string_equal(r.err.text,
		"the trace is larger than 1 MiB when unpacked; record a "
		"shorter window, or raise --plain_mib");
	free(r.at);
}

/* Frames that look back further than an ingest may remember. */
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

struct told {
	int calls;
	int64_t last, stop;
};

static bool tell(void *ctx, int64_t stored, int64_t plain, struct err *e)
{
	struct told *t = ctx;
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
	struct told told = { .stop = 5 << 20 };
	struct decode_progress progress = { tell, &told };
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
	assert_in_range(told.calls, 5, 20);
	assert_in_range(told.last, 5 << 20, 6 << 20);
	plain_release(&p);
	arena_release(&a);
	free(bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole),
		cmocka_unit_test(test_garbage),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_checksum),
		cmocka_unit_test(test_flipped),
		cmocka_unit_test(test_bomb),
		cmocka_unit_test(test_window),
		cmocka_unit_test(test_progress),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
