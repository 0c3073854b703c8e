/* test_round_trip.c - tests that any row that is written is read back. */
#include "captures.h"

static struct kst_writer *begin(struct bytes *b, const struct kst_options *o)
{
	*b = bytes_new();
	struct kst_writer *w = kst_writer_new(&sample_about, bytes_add, b, o);
	assert_non_null(w);
	return w;
}

static void every_kind(void **state)
{
	struct bytes b = sample();
	struct reading t = reading_from(&b, SIZE_MAX);
	int lines = 0;
	(void)state;
	assert_true(reading_whole(&t));
	for (char *p = t.text; (p = strchr(p, '\n')); p++)
		lines++;
#define KIND(number, kind, COLUMNS, what) +1
	assert_int_equal(lines, 6 * (0 KST_KINDS(KIND) - 1));
#undef KIND
	/* process 1000, start 2000, dur 3000, name 1 + 3 % 3, device 5000, … */
	assert_non_null(strstr(t.text,
		"kernel 1000 2000 3000 relu/4/683218cd 5000 6000 7000 8000 "
		"9000 10000 1,2,3:4,5,6:7:8\n"));
	assert_string_equal(t.about.source, "kineto");
	assert_string_equal(t.about.host, "here");
	assert_int_equal(t.about.base_ns, 1700000000000000000);
	reading_free(&t);
	free(b.at);
}

static void any_part_size(void **state)
{
	struct bytes b = sample();
	struct reading whole = reading_from(&b, SIZE_MAX);
	(void)state;
	for (size_t each = 1; each < 200; each += each < 70 ? 1 : 13) {
		struct reading t = reading_from(&b, each);
		assert_true(reading_whole(&t));
		assert_string_equal(t.text, whole.text);
		reading_free(&t);
	}
	reading_free(&whole);
	free(b.at);
}

/* The same cells in every column of a kind, one value after the other. */
static void extremes(void **state)
{
	static const int64_t values[] = { 0, INT64_MIN, INT64_MAX, -1, 1,
		INT64_MAX, INT64_MIN, INT64_MIN, 1LL << 32, -(1LL << 47) };
	static const uint64_t reals[] = { 0x7ff8000000000000, 0, 1ull << 63,
		0x7ff0000000000000, 0xfff0000000000000, 1, 0x7fefffffffffffff,
		0xffffffffffffffff, 0x3ff0000000000000, 0x3ff0000000000000 };
	enum { N = sizeof values / sizeof *values };
	struct bytes b;
	(void)state;
	struct kst_writer *w = begin(&b, NULL);
	struct piece p = { &b, 0, SIZE_MAX };
	struct kst_chunk c;
	for (int i = 0; i < N; i++) {
		struct kst_kernel k = { values[i], values[(i + 1) % N],
			values[(i + 2) % N], 0, values[(i + 3) % N],
			values[(i + 4) % N], values[i], values[i], values[i],
			values[i], 0 };
		struct kst_counter x = { values[i], values[i], 0, values[i],
			0 };
		memcpy(&x.value, &reals[i], 8);
		assert_true(kst_writer_kernel(w, &k));
		assert_true(kst_writer_counter(w, &x));
	}
	assert_true(kst_writer_end(w));
	kst_writer_free(w);
	struct kst_reader *r = kst_reader_new(piece_read, &p, NULL);
	assert_int_equal(kst_reader_next(r, &c), KST_CHUNK);
	assert_int_equal(c.kind, KST_kernel);
	for (int i = 0; i < N; i++) {
		assert_int_equal(c.column[0].i[i], values[i]);
		assert_int_equal(c.column[1].i[i], values[(i + 1) % N]);
		assert_int_equal(c.column[2].i[i], values[(i + 2) % N]);
		assert_int_equal(c.column[6].i[i], values[i]);
	}
	assert_int_equal(kst_reader_next(r, &c), KST_CHUNK);
	assert_int_equal(c.kind, KST_counter);
	for (int i = 0; i < N; i++)
		assert_memory_equal(&c.column[KST_COLUMN(counter, value)].d[i],
			&reals[i], 8);
	assert_int_equal(kst_reader_next(r, &c), KST_END);
	kst_reader_free(r);
	free(b.at);
}

static void texts(void **state)
{
	struct bytes b;
	(void)state;
	struct kst_writer *w = begin(&b, NULL);
	char *long_text = malloc(KST_TEXT_MAX + 1);
	memset(long_text, 'x', KST_TEXT_MAX + 1);
	assert_int_equal(kst_writer_text(w, "", 0), 0);
	assert_int_equal(kst_writer_text(w, "a\0b", 3), 1);
	assert_int_equal(kst_writer_text(w, "\xff\xfe", 2), 2);
	assert_int_equal(kst_writer_text(w, long_text, 65536), 3);
	assert_int_equal(kst_writer_text(w, long_text, KST_TEXT_MAX), 4);
	assert_int_equal(kst_writer_text(w, long_text, KST_TEXT_MAX + 1), -1);
	for (int64_t i = 0; i < 5; i++)
		assert_true(kst_writer_op(w, &(struct kst_op){ .name = i }));
	assert_true(kst_writer_end(w));
	kst_writer_free(w);

	struct piece p = { &b, 0, SIZE_MAX };
	struct kst_reader *r = kst_reader_new(piece_read, &p, NULL);
	struct kst_chunk c;
	static const size_t lens[] = { 0, 3, 2, 65536, KST_TEXT_MAX };
	assert_int_equal(kst_reader_next(r, &c), KST_CHUNK);
	assert_int_equal(kst_reader_texts(r), 5);
	for (int i = 0; i < 5; i++) {
		size_t len;
		int64_t cell = c.column[KST_COLUMN(op, name)].i[i];
		const char *text = kst_reader_text(r, cell, &len);
		assert_int_equal(cell, i);
		assert_int_equal(len, lens[i]);
		assert_int_equal(text[len], 0);
		assert_memory_equal(text,
			i == 1	 ? "a\0b"
			: i == 2 ? "\xff\xfe"
				 : long_text,
			len);
	}
	assert_null(kst_reader_text(r, KST_LOST, NULL));
	assert_null(kst_reader_text(r, 5, NULL));
	kst_reader_free(r);
	free(long_text);
	free(b.at);
}

/* There are more launches than a writer remembers. If a writer has forgotten a
 * launch, it writes the launch again with a new id. */
static void many_launches(void **state)
{
	enum { N = 70000 };
	struct bytes b;
	(void)state;
	struct kst_writer *w = begin(&b, NULL);
	int64_t name = text_of(w, "f");
	for (int turn = 0; turn < 2; turn++)
		for (int i = 0; i < N; i++) {
			struct kst_shape s = { { i, 1, 1 }, { 1, 1, 1 }, 0, 0 };
			int64_t shape = kst_writer_shape(w, &s);
			assert_int_equal(shape, i + 1);
			assert_true(kst_writer_kernel(w,
				&(struct kst_kernel){ .name = name,
					.launch = shape }));
		}
	assert_true(kst_writer_end(w));
	kst_writer_free(w);
	struct piece p = { &b, 0, SIZE_MAX };
	struct kst_reader *r = kst_reader_new(piece_read, &p, NULL);
	struct kst_chunk c;
	int64_t at = 0;
	while (kst_reader_next(r, &c) == KST_CHUNK)
		for (uint32_t i = 0; i < c.rows; i++, at++)
			assert_int_equal(kst_reader_shape(r,
						 c.column[KST_COLUMN(kernel,
								  launch)]
							 .i[i])
						 ->grid[0],
				at % N);
	assert_int_equal(at, 2 * N);
	assert_int_equal(kst_reader_damage(r)->lost, 0);
	kst_reader_free(r);
	free(b.at);
}

static void only_some(void **state)
{
	struct bytes b = sample();
	struct piece p = { &b, 0, SIZE_MAX };
	struct kst_reader *r = kst_reader_new(piece_read, &p, NULL);
	struct kst_chunk c;
	int chunks = 0;
	(void)state;
	kst_reader_only(r, KST_BIT(kernel) | KST_BIT(stat));
	for (; kst_reader_next(r, &c) == KST_CHUNK; chunks++)
		assert_true(c.kind == KST_kernel || c.kind == KST_stat);
	assert_int_equal(chunks, 4);
	assert_int_equal(kst_reader_bytes(r), b.len);
	kst_reader_free(r);
	free(b.at);
}

/* Flushed rows can be read even if nothing follows. */
static void flushed(void **state)
{
	struct bytes b;
	(void)state;
	struct kst_writer *w = begin(&b, NULL);
	assert_true(kst_writer_copy(w, &(struct kst_copy){ .bytes = 77 }));
	assert_true(kst_writer_flush(w));
	struct reading t = reading_from(&b, SIZE_MAX);
	assert_non_null(strstr(t.text, "copy "));
	assert_true(t.damage.cut && t.damage.damaged == 0);
	reading_free(&t);
	kst_writer_free(w);
	free(b.at);
}

static bool refuse(void *ctx, const void *bytes, size_t len)
{
	int *left = ctx;
	(void)bytes;
	(void)len;
	return (*left)-- > 0;
}

/* A sink fails at its nth write: all later calls report it. */
static void sink_fails(void **state)
{
	(void)state;
	for (int n = 0; n < 12; n++) {
		int left = n;
		struct kst_writer *w =
			kst_writer_new(&sample_about, refuse, &left, NULL);
		bool ok = w;
		ok = ok && kst_writer_text(w, "f", 1) == 1;
		ok = ok && kst_writer_kernel(w, &(struct kst_kernel){ 0 });
		ok = ok && kst_writer_op(w, &(struct kst_op){ .name = 1 });
		ok = ok && kst_writer_end(w);
		/* There are 11 writes: the opening, then head and payload of
		 * about, text, kernel, op and end. */
		assert_int_equal(ok, n >= 11);
		if (w && !ok)
			assert_false(kst_writer_op(w, &(struct kst_op){ 0 }));
		kst_writer_free(w);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_kind),
		cmocka_unit_test(any_part_size),
		cmocka_unit_test(extremes),
		cmocka_unit_test(texts),
		cmocka_unit_test(many_launches),
		cmocka_unit_test(only_some),
		cmocka_unit_test(flushed),
		cmocka_unit_test(sink_fails),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
