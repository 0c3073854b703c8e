/* test_scarce.c - tests reading functions that fail, memory that runs out, and
 * files that would take a long time to read. */
#include "made.h"

static int64_t fails_later(void *ctx, void *to, size_t cap)
{
	struct piece *p = ctx;
	return p->at == p->of->len ? -1 : piece_read(ctx, to, cap);
}

static void source_fails(void **state)
{
	struct bytes b = sample();
	struct kst_chunk c;
	(void)state;
	for (size_t len = 0; len < b.len; len += 11) {
		struct bytes cut = { b.at, len };
		struct piece p = { &cut, 0, 64 };
		struct kst_reader *r = kst_reader_new(fails_later, &p, NULL);
		enum kst_got got;
		while ((got = kst_reader_next(r, &c)) == KST_CHUNK)
			;
		assert_int_equal(got, KST_STOPPED);
		kst_reader_free(r);
	}
	free(b.at);
}

/* Memory runs out after some calls: the reader reports it and leaks nothing. */
struct scarce {
	int left;
};

static void *scarce_grow(void *ctx, void *p, size_t bytes)
{
	struct scarce *s = ctx;
	return s->left-- > 0 ? realloc(p, bytes) : NULL;
}

static void scarce_drop(void *ctx, void *p)
{
	(void)ctx;
	free(p);
}

static void no_memory(void **state)
{
	struct bytes b = sample();
	bool whole = false;
	(void)state;
	for (int n = 0; !whole; n++) {
		struct scarce s = { n };
		struct kst_memory m = { scarce_grow, scarce_drop, &s };
		struct piece p = { &b, 0, SIZE_MAX };
		struct kst_reader *r = kst_reader_new(piece_read, &p, &m);
		struct kst_chunk c;
		enum kst_got got = KST_FULL;
		while (r && (got = kst_reader_next(r, &c)) == KST_CHUNK)
			;
		assert_true(got == KST_FULL || got == KST_END);
		whole = got == KST_END;
		kst_reader_free(r);
		assert_true(n < 1000);
	}
	free(b.at);
}

/* A million chunk heads claim the maximum length, and every payload has a
 * wrong checksum. The reader computes checksums over at most twice the file
 * plus 32 MiB. */
static void heads_that_fail(void **state)
{
	struct made m = made_new(KST_MAJOR, KST_MINOR);
	uint8_t head[KST_HEAD];
	struct kst_head h = { .kind = KST_kernel,
		.payload_len = KST_RAW_MAX,
		.raw_len = KST_RAW_MAX,
		.payload_crc = 1,
		.capture = 5 };
	(void)state;
	kst_head_put(head, &h);
	while (m.b.len + 2 * KST_HEAD < MOST)
		bytes_add(&m.b, head, sizeof head);
	struct reading t = made_reading(&m);
	assert_int_equal(t.got, KST_END);
	assert_int_equal(t.damage.damaged, 1);
	reading_free(&t);
}

static void sums(void **state)
{
	static const uint8_t zeros[32];
	(void)state;
	/* RFC 3720, B.4, and the check value of the Castagnoli polynomial */
	assert_int_equal(kst_crc(0, zeros, 32), 0x8a9136aa);
	assert_int_equal(kst_crc(0, "123456789", 9), 0xe3069283);
	assert_int_equal(kst_crc(kst_crc(0, "1234", 4), "56789", 5),
		0xe3069283);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(source_fails),
		cmocka_unit_test(no_memory),
		cmocka_unit_test(heads_that_fail),
		cmocka_unit_test(sums),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
