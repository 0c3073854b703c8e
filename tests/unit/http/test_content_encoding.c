/* test_content_encoding.c - tests which headers Accept-Encoding accept gzip,
 * which answers are compressed, and that streams stay whole however their
 * pieces are cut. */
#include "content_encoding.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <isa-l/igzip_lib.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *header;
	enum content_encoding wanted;
} headers[] = {
	{ NULL, ENCODING_IDENTITY },
	{ "", ENCODING_IDENTITY },
	{ "gzip", ENCODING_EITHER },
	{ "GZip", ENCODING_EITHER },
	{ "x-gzip", ENCODING_EITHER },
	{ "gzip, deflate, br, zstd", ENCODING_EITHER },
	{ "br;q=1.0,\t gzip ; q=0.8 , *;q=0.1", ENCODING_EITHER },
	{ ",, gzip,", ENCODING_EITHER },
	{ "gzip;Q=0.001", ENCODING_EITHER },
	{ "*", ENCODING_EITHER },
	{ "deflate, *;q=0.5", ENCODING_EITHER },
	{ "identity;q=1, gzip;q=1.000", ENCODING_EITHER },
	/* the last of two weights counts */
	{ "gzip;q=0, gzip", ENCODING_EITHER },
	/* not accepted, or something else is preferred */
	{ "identity", ENCODING_IDENTITY },
	{ "br, zstd", ENCODING_IDENTITY },
	{ "gzip;q=0", ENCODING_IDENTITY },
	{ "gzip;q=0.000", ENCODING_IDENTITY },
	{ "gzip;q=0, *", ENCODING_IDENTITY },
	{ "*;q=0", ENCODING_IDENTITY },
	{ "identity, gzip;q=0.5", ENCODING_IDENTITY },
	{ "gzip, gzip;q=0", ENCODING_IDENTITY },
	/* other names that only look like it */
	{ "gzipped", ENCODING_IDENTITY },
	{ "gzi", ENCODING_IDENTITY },
	{ "zip gzip", ENCODING_IDENTITY },
	/* malformed weights */
	{ "gzip;q=", ENCODING_IDENTITY },
	{ "gzip;q", ENCODING_IDENTITY },
	{ "gzip;", ENCODING_IDENTITY },
	{ "gzip;q=2", ENCODING_IDENTITY },
	{ "gzip;q=1.001", ENCODING_IDENTITY },
	{ "gzip;q=0.8000", ENCODING_IDENTITY },
	{ "gzip;q=.5", ENCODING_IDENTITY },
	{ "gzip;q=-1", ENCODING_IDENTITY },
	{ "gzip;q=0,5", ENCODING_IDENTITY },
	{ "gzip;level=9", ENCODING_IDENTITY },
	/* unchanged bytes are not accepted */
	{ "gzip, identity;q=0", ENCODING_GZIP },
	{ "identity;q=0, *", ENCODING_GZIP },
	{ "gzip, *;q=0", ENCODING_GZIP },
	{ "gzip, *;q=0, identity", ENCODING_EITHER },
	{ "gzip;q=0.5, identity;q=0.0", ENCODING_GZIP },
	/* nothing is accepted: unchanged bytes are better than no answer */
	{ "gzip;q=0, identity;q=0", ENCODING_IDENTITY },
};

static void test_headers(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
		if (content_encoding_of(headers[i].header) != headers[i].wanted)
			fail_msg("'%s' is %d, not %d",
				headers[i].header ? headers[i].header : "NULL",
				content_encoding_of(headers[i].header),
				headers[i].wanted);
}

/* Decompresses exactly one gzip member. Returns its length. */
static size_t gunzip(const void *from, size_t len, char *to, size_t cap)
{
	struct inflate_state z;
	isal_inflate_init(&z);
	z.crc_flag = ISAL_GZIP;
	z.next_in = (uint8_t *)(uintptr_t)from;
	z.avail_in = (uint32_t)len;
	z.next_out = (uint8_t *)to;
	z.avail_out = (uint32_t)cap;
	assert_int_equal(isal_inflate(&z), ISAL_DECOMP_OK);
	assert_int_equal(z.block_state, ISAL_BLOCK_FINISH);
	assert_int_equal(z.avail_in, 0);
	return cap - z.avail_out;
}

/* Text that compresses, or bytes that do not. */
static char *body_of(size_t len, bool random)
{
	char *body = malloc(len + 1);
	uint32_t x = 1;
	assert_non_null(body);
	for (size_t i = 0; i < len; i++) {
		x = x * 1664525 + 1013904223;
		body[i] = random ? (char)(x >> 24) : "{\"a\":1},"[i % 8];
	}
	return body;
}

static const struct {
	const char *odd, *type;
	size_t len;
	bool random;
	enum content_encoding accepted;
	bool compressed;
} bodies[] = {
	{ "JSON", "application/json", 5000, false, ENCODING_EITHER, true },
	{ "a type with parameters", "text/csv; charset=utf-8", 5000, false,
		ENCODING_EITHER, true },
	{ "JSON of another name", "application/vnd.kernsift.set+json", 5000,
		false, ENCODING_EITHER, true },
	{ "a badge", "image/svg+xml", 1000, false, ENCODING_EITHER, true },
	{ "less than a packet", "application/json", 999, false, ENCODING_EITHER,
		false },
	{ "text that gzip makes longer", "text/plain", 5000, true,
		ENCODING_EITHER, false },
	{ "not text", "application/vnd.kernsift.capture", 5000, false,
		ENCODING_EITHER, false },
	{ "not accepted", "application/json", 5000, false, ENCODING_IDENTITY,
		false },
	{ "no body", NULL, 0, false, ENCODING_GZIP, false },
	{ "small, and only gzip is accepted", "application/json", 2, false,
		ENCODING_GZIP, true },
	{ "empty, and only gzip is accepted", "text/csv", 0, false,
		ENCODING_GZIP, true },
	{ "longer as gzip, and only gzip is accepted", "image/png", 5000, true,
		ENCODING_GZIP, true },
	{ "longer than a window", "application/json", 3000000, false,
		ENCODING_EITHER, true },
};

static void test_bodies(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
		size_t len = bodies[i].len;
		char *plain = body_of(len, bodies[i].random);
		char *again = malloc(len + 1);
		struct api_answer a = { .type = bodies[i].type,
			.body = body_of(len, bodies[i].random),
			.len = len };
		bool done = content_encoding_apply(&a, bodies[i].accepted);
		if (done != bodies[i].compressed)
			fail_msg("%s: %d", bodies[i].odd, done);
		if (done) {
			assert_int_equal(gunzip(a.body, a.len, again, len + 1),
				len);
			assert_memory_equal(again, plain, len);
		} else {
			assert_int_equal(a.len, len);
			assert_memory_equal(a.body, plain, len);
		}
		api_answer_release(&a);
		free(plain);
		free(again);
	}
}

/* A stream of `left` bytes in pieces of at most `piece`; fails at `fails_at`
 * bytes that are left. */
struct source {
	const char *at;
	size_t left, piece, fails_at;
	bool freed;
};

static int64_t source_next(void *ctx, void *to, size_t cap)
{
	struct source *s = ctx;
	size_t n = s->left < s->piece ? s->left : s->piece;
	n = n < cap ? n : cap;
	if (s->fails_at && s->left <= s->fails_at)
		return -1;
	memcpy(to, s->at, n);
	s->at += n;
	s->left -= n;
	return (int64_t)n;
}

static void source_free(void *ctx)
{
	((struct source *)ctx)->freed = true;
}

static struct api_answer streamed(struct source *s, const char *type)
{
	return (struct api_answer){ .type = type,
		.stream = { source_next, source_free, s } };
}

static const struct {
	const char *odd;
	size_t len, piece, cap;
	bool random;
} streams[] = {
	{ "nothing", 0, 1, 4096, false },
	{ "one byte", 1, 1, 4096, false },
	{ "pieces of one byte", 100000, 1, 65536, false },
	{ "one byte of room", 20000, 65536, 1, true },
	{ "pieces larger than the input buffer", 3000000, 1 << 20, 65536,
		false },
	{ "bytes that do not compress", 1000000, 65536, 65536, true },
	{ "odd pieces", 1000000, 8191, 997, true },
};

static void test_streams(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof streams / sizeof *streams; i++) {
		size_t len = streams[i].len, sent = 0, room = 2 * len + 100000;
		char *plain = body_of(len, streams[i].random);
		char *packed = malloc(room), *again = malloc(len + 1);
		struct source s = { plain, len, streams[i].piece, 0, false };
		struct api_answer a = streamed(&s, "application/json");
		assert_true(content_encoding_apply(&a, ENCODING_EITHER));
		int64_t n;
		while ((n = a.stream.next(a.stream.ctx, packed + sent,
				streams[i].cap)) > 0) {
			assert_in_range(n, 1, streams[i].cap);
			sent += (size_t)n;
		}
		assert_int_equal(n, 0);
		/* the end stays the end */
		assert_int_equal(a.stream.next(a.stream.ctx, packed, 1), 0);
		assert_int_equal(gunzip(packed, sent, again, len + 1), len);
		assert_memory_equal(again, plain, len);
		assert_false(s.freed);
		api_answer_release(&a);
		assert_true(s.freed);
		free(plain);
		free(packed);
		free(again);
	}
}

/* A stream that fails does not look complete: it has no trailer. */
static void test_failing_stream(void **state)
{
	(void)state;
	char to[65536];
	char *plain = body_of(500000, true);
	struct source s = { plain, 500000, 65536, 100000, false };
	struct api_answer a = streamed(&s, "application/json");
	assert_true(content_encoding_apply(&a, ENCODING_EITHER));
	int64_t n;
	while ((n = a.stream.next(a.stream.ctx, to, sizeof to)) > 0)
		;
	assert_int_equal(n, -1);
	api_answer_release(&a);
	assert_true(s.freed);
	free(plain);
}

/* A capture is compressed already, so its stream stays what it was. */
static void test_capture(void **state)
{
	(void)state;
	struct source s = { "abc", 3, 3, 0, false };
	struct api_answer a = streamed(&s, "application/vnd.kernsift.capture");
	assert_false(content_encoding_apply(&a, ENCODING_EITHER));
	assert_ptr_equal(a.stream.ctx, &s);
	assert_true(content_encoding_apply(&a, ENCODING_GZIP));
	api_answer_release(&a);
	assert_true(s.freed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_headers),
		cmocka_unit_test(test_bodies),
		cmocka_unit_test(test_streams),
		cmocka_unit_test(test_failing_stream),
		cmocka_unit_test(test_capture),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
