/* test_ledger.c - tests the conversion of sums to bytes and back, and numbers
 * of 128 bits. */
#include "ledger.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

static const int128 huge = ((int128)1 << 126) + 5;

static void same(int128 got, int128 want)
{
	assert_true(got == want);
}

static struct int128_reader bytes_of(const struct buf *b)
{
	return (struct int128_reader){ (const uint8_t *)b->at,
		(const uint8_t *)b->at + b->len, false };
}

static void numbers_are_read_back(void **state)
{
	(void)state;
	const int128 numbers[] = { 0, -1, 1, 63, -64, 64, INT64_MAX, INT64_MIN,
		(int128)INT64_MAX + 1, -(int128)INT64_MAX * 1000, huge, -huge,
		((int128)1 << 62) - 1, (int128)1 << 62, -((int128)1 << 62),
		-((int128)1 << 62) - 1 };
	enum { N = sizeof numbers / sizeof *numbers };
	struct buf b;
	buf_init(&b, 1 << 20);
	for (int i = 0; i < N; i++)
		int128_put(&b, numbers[i]);
	struct int128_reader at = bytes_of(&b);
	for (int i = 0; i < N; i++)
		same(int128_next(&at), numbers[i]);
	assert_false(at.bad);
	assert_ptr_equal(at.at, at.end);
	int128_next(&at);
	assert_true(at.bad);
	buf_release(&b);
}

/* 0, -1, 1 and 64 as in sql/README.md. */
static void numbers_take_few_bytes(void **state)
{
	(void)state;
	struct buf b;
	buf_init(&b, 100);
	int128_put(&b, 0);
	int128_put(&b, -1);
	int128_put(&b, 1);
	int128_put(&b, 64);
	assert_int_equal(b.len, 5);
	assert_memory_equal(b.at, "\x00\x01\x02\x80\x01", 5);
	buf_release(&b);
}

static void tagged_numbers_are_read_back(void **state)
{
	(void)state;
	const int128 numbers[] = { 0, -1, 127, 128, -128, -129, 1 << 30,
		INT64_MAX, INT64_MIN, (int128)INT64_MAX + 1, huge, -huge };
	const uint32_t tags[] = { 0, 1, 3, 4, 127, 2000, 65536 };
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		for (size_t k = 0; k < sizeof tags / sizeof *tags; k++) {
			struct buf b;
			uint32_t got;
			buf_init(&b, 100);
			int128_put_tagged(&b, tags[k], numbers[i]);
			struct int128_reader at = bytes_of(&b);
			same(int128_next_tagged(&at, &got), numbers[i]);
			assert_int_equal(got, tags[k]);
			assert_false(at.bad);
			assert_ptr_equal(at.at, at.end);
			buf_release(&b);
		}
	/* 2 next to -3: 2 * 32 + 1, one byte */
	struct buf b;
	buf_init(&b, 100);
	int128_put_tagged(&b, 2, -3);
	assert_int_equal(b.len, 2);
	assert_memory_equal(b.at, "\x41\xfd", 2);
	buf_release(&b);
}

static void a_number_cut_off_is_bad(void **state)
{
	(void)state;
	static const uint8_t cut[20] = { [0 ... 19] = 0x80 };
	for (size_t n = 0; n <= sizeof cut; n++) {
		struct int128_reader b = { cut, cut + n, false };
		same(int128_next(&b), 0);
		assert_true(b.bad);
	}
}

static void numerics_are_read_back(void **state)
{
	(void)state;
	const int128 numbers[] = { 0, 1, 9999, 10000, 10001, 100000000,
		INT64_MAX, huge, (int128)10000 * 10000 * 10000 + 7 };
	char to[INT128_NUMERIC];
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		size_t len = int128_to_numeric(numbers[i], to);
		assert_in_range(len, 8, sizeof to);
		same(int128_from_numeric(to, len), numbers[i]);
	}
	/* -20000.5: two digits, weight 1, negative, one decimal */
	static const char negative[] = "\0\3\0\1\x40\0\0\1\0\2\0\0\x13\x88";
	same(int128_from_numeric(negative, sizeof negative - 1), -20000);
	/* NaN, and truncated values */
	same(int128_from_numeric("\0\0\0\0\xc0\0\0\0", 8), 0);
	same(int128_from_numeric(negative, 9), 0);
}

static void fill(struct ledger *l, int sign)
{
	ledger_add(l, ledger_row(l, 900), 3, sign * huge);
	ledger_add(l, ledger_row(l, 0), 7, sign);
	ledger_add(l, ledger_row(l, 0), 0, sign * -5);
	ledger_add(l, ledger_row(l, 17), 2000, sign * 9);
	ledger_add(l, ledger_row(l, 0), 7, sign * 10);
}

static void sums_are_read_back(void **state)
{
	(void)state;
	struct arena a = { 0 };
	struct ledger l = { .arena = &a }, back = { .arena = &a };
	struct buf b, again;
	buf_init(&b, 1 << 20);
	buf_init(&again, 1 << 20);
	fill(&l, 1);
	ledger_write(&l, &b);
	struct int128_reader at = bytes_of(&b);
	assert_true(ledger_read(&back, &at, 1));
	assert_ptr_equal(at.at, at.end);
	assert_int_equal(back.n, 3);
	same(ledger_sum(ledger_row(&back, 0), 7), 11);
	same(ledger_sum(ledger_row(&back, 0), 0), -5);
	same(ledger_sum(ledger_row(&back, 0), 1), 0);
	same(ledger_sum(ledger_row(&back, 17), 2000), 9);
	same(ledger_sum(ledger_row(&back, 900), 3), huge);
	ledger_write(&back, &again);
	assert_int_equal(again.len, b.len);
	assert_memory_equal(again.at, b.at, b.len);
	buf_release(&b);
	buf_release(&again);
	arena_release(&a);
}

/* Added with other ids and codes in between, then subtracted. */
static void sums_of_zero_are_empty(void **state)
{
	(void)state;
	struct arena a = { 0 };
	struct ledger l = { .arena = &a }, some = { .arena = &a };
	struct buf b;
	buf_init(&b, 1 << 20);
	fill(&some, 1);
	ledger_write(&some, &b);
	ledger_add(&l, ledger_row(&l, 5), 1, 1);
	ledger_add(&l, ledger_row(&l, 17), 1, 1);
	for (int sign = 1; sign >= -1; sign -= 2) {
		struct int128_reader at = bytes_of(&b);
		assert_true(ledger_read(&l, &at, sign));
	}
	assert_false(ledger_is_empty(&l));
	ledger_add(&l, ledger_row(&l, 5), 1, -1);
	ledger_add(&l, ledger_row(&l, 17), 1, -1);
	assert_true(ledger_is_empty(&l));
	buf_release(&b);
	buf_init(&b, 100);
	ledger_write(&l, &b);
	assert_int_equal(b.len, 1); /* no rows */
	buf_release(&b);
	arena_release(&a);
}

/* Truncated at every byte. */
static void sums_cut_off_are_refused(void **state)
{
	(void)state;
	struct arena a = { 0 };
	struct ledger l = { .arena = &a };
	struct buf b;
	buf_init(&b, 1 << 20);
	fill(&l, 1);
	ledger_write(&l, &b);
	for (size_t n = 0; n < b.len; n++) {
		struct ledger cut = { .arena = &a };
		struct int128_reader at = bytes_of(&b);
		at.end = at.at + n;
		assert_false(ledger_read(&cut, &at, 1));
	}
	buf_release(&b);
	arena_release(&a);
}

int main(void)
{
	const struct CMUnitTest cases[] = {
		cmocka_unit_test(numbers_are_read_back),
		cmocka_unit_test(numbers_take_few_bytes),
		cmocka_unit_test(tagged_numbers_are_read_back),
		cmocka_unit_test(a_number_cut_off_is_bad),
		cmocka_unit_test(numerics_are_read_back),
		cmocka_unit_test(sums_are_read_back),
		cmocka_unit_test(sums_of_zero_are_empty),
		cmocka_unit_test(sums_cut_off_are_refused),
	};
	return cmocka_run_group_tests(cases, NULL, NULL);
}
