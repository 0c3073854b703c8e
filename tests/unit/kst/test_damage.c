/* test_damage.c - tests that only damaged chunks are lost, that damage is
 * counted, and that rows are never wrong. */
#include "captures.h"

static struct bytes copy_of(const struct bytes *b)
{
	struct bytes c = bytes_new();
	bytes_add(&c, b->at, b->len);
	return c;
}

/* Checks that every line of `part` is in `whole`, in order; returns how many
 * are missing. */
static bool part_of(const char *part, const char *whole, int *lack)
{
	*lack = 0;
	while (*whole) {
		size_t len = (size_t)(strchr(whole, '\n') - whole) + 1;
		if (!strncmp(part, whole, len))
			part += len;
		else
			++*lack;
		whole += len;
	}
	return !*part;
}

/* Each byte of the file is changed in three ways. */
static void every_byte(void **state)
{
	static const uint8_t flips[] = { 0x01, 0x80, 0xff };
	struct bytes good = sample(), b = copy_of(&good);
	struct reading whole = reading_from(&good, SIZE_MAX);
	struct places p = places_of(&good);
	int chunk = -1, lack;
	(void)state;
	for (size_t at = 0; at < good.len; at++) {
		if (chunk + 1 < p.n && at == p.at[chunk + 1])
			chunk++;
		for (size_t f = 0; f < sizeof flips; f++) {
			b.at[at] ^= flips[f];
			struct reading t = reading_from(&b, SIZE_MAX);
			b.at[at] ^= flips[f];
			if (at < 8) {
				assert_int_equal(t.got, KST_FOREIGN);
				reading_free(&t);
				continue;
			}
			assert_int_equal(t.got, KST_END);
			assert_int_equal(t.damage.damaged, 1);
			assert_int_equal(t.damage.missing, 0);
			assert_int_equal(t.damage.repeated, 0);
			assert_int_equal(t.damage.unknown_chunks, 0);
			bool text = chunk >= 0 &&
				    (p.kind[chunk] == KST_text ||
					    p.kind[chunk] == KST_launch);
			assert_int_equal(t.damage.lost > 0, text);
			assert_int_equal(t.damage.cut,
				chunk >= 0 && p.kind[chunk] == KST_end);
			if (!text) {
				assert_true(part_of(t.text, whole.text, &lack));
				assert_int_equal(lack,
					chunk < 0 ? 0 : p.rows[chunk]);
			}
			reading_free(&t);
		}
	}
	reading_free(&whole);
	free(good.at);
	free(b.at);
}

/* The file is cut after each byte: complete chunks before the cut are read. */
static void every_length(void **state)
{
	struct bytes good = sample();
	struct reading whole = reading_from(&good, SIZE_MAX);
	struct places p = places_of(&good);
	(void)state;
	for (size_t len = 0; len < good.len; len++) {
		struct bytes b = { good.at, len };
		struct reading t = reading_from(&b, SIZE_MAX);
		if (len < KST_OPENING) {
			assert_int_equal(t.got, KST_FOREIGN);
			reading_free(&t);
			continue;
		}
		bool between = len == KST_OPENING;
		for (int i = 0; i < p.n; i++)
			between |= len == p.at[i];
		assert_int_equal(t.got, KST_END);
		assert_true(t.damage.cut);
		assert_int_equal(t.damage.damaged, between ? 0 : 1);
		assert_true(!strncmp(t.text, whole.text, t.len));
		reading_free(&t);
	}
	reading_free(&whole);
	free(good.at);
}

/* Joins the chunks of a capture in any order. */
static struct bytes arranged(const struct bytes *good, const int *chunks, int n)
{
	struct places p = places_of(good);
	struct bytes b = bytes_new();
	bytes_add(&b, good->at, KST_OPENING);
	for (int i = 0; i < n; i++)
		bytes_add(&b, good->at + p.at[chunks[i]], p.len[chunks[i]]);
	return b;
}

static void one_missing(void **state)
{
	struct bytes good = sample();
	struct reading whole = reading_from(&good, SIZE_MAX);
	struct places p = places_of(&good);
	int order[256], lack;
	(void)state;
	for (int out = 0; out < p.n; out++) {
		for (int i = 0, n = 0; i < p.n; i++)
			if (i != out)
				order[n++] = i;
		struct bytes b = arranged(&good, order, p.n - 1);
		struct reading t = reading_from(&b, SIZE_MAX);
		assert_int_equal(t.got, KST_END);
		assert_int_equal(t.damage.damaged, 0);
		assert_int_equal(t.damage.missing, out < p.n - 1);
		assert_int_equal(t.damage.cut, out == p.n - 1);
		if (p.kind[out] != KST_text && p.kind[out] != KST_launch) {
			assert_true(part_of(t.text, whole.text, &lack));
			assert_int_equal(lack, p.rows[out]);
		}
		reading_free(&t);
		free(b.at);
	}
	reading_free(&whole);
	free(good.at);
}

static void one_twice(void **state)
{
	struct bytes good = sample();
	struct reading whole = reading_from(&good, SIZE_MAX);
	struct places p = places_of(&good);
	int order[257];
	(void)state;
	for (int twice = 0; twice < p.n - 1; twice++) {
		int n = 0;
		for (int i = 0; i < p.n; i++) {
			order[n++] = i;
			if (i == twice)
				order[n++] = i;
		}
		struct bytes b = arranged(&good, order, n);
		struct reading t = reading_from(&b, SIZE_MAX);
		assert_int_equal(t.damage.repeated, 1);
		assert_int_equal(t.damage.missing, 0);
		assert_string_equal(t.text, whole.text);
		reading_free(&t);
		free(b.at);
	}
	reading_free(&whole);
	free(good.at);
}

/* Two adjacent chunks are swapped: the one with the later number is read, the
 * other is too late. */
static void two_swapped(void **state)
{
	struct bytes good = sample();
	struct reading whole = reading_from(&good, SIZE_MAX);
	struct places p = places_of(&good);
	int order[256], lack;
	(void)state;
	for (int at = 4; at < p.n - 2; at++) {
		for (int i = 0; i < p.n; i++)
			order[i] = i == at ? at + 1 : i == at + 1 ? at : i;
		struct bytes b = arranged(&good, order, p.n);
		struct reading t = reading_from(&b, SIZE_MAX);
		assert_int_equal(t.damage.missing, 1);
		assert_int_equal(t.damage.repeated, 1);
		if (p.kind[at] != KST_launch) {
			assert_true(part_of(t.text, whole.text, &lack));
			assert_int_equal(lack, p.rows[at]);
		}
		reading_free(&t);
		free(b.at);
	}
	reading_free(&whole);
	free(good.at);
}

/* A second capture follows the first, complete or torn: it is not read, and
 * is reported. */
static void two_files(void **state)
{
	struct bytes good = sample(), b = bytes_new();
	struct reading whole = reading_from(&good, SIZE_MAX);
	(void)state;
	bytes_add(&b, good.at, good.len);
	bytes_add(&b, good.at, good.len);
	struct reading t = reading_from(&b, SIZE_MAX);
	assert_string_equal(t.text, whole.text);
	assert_int_equal(t.damage.behind, good.len);
	assert_false(t.damage.cut);
	reading_free(&t);

	b.len = 0;
	bytes_add(&b, good.at, good.len - 100);
	bytes_add(&b, good.at, good.len);
	t = reading_from(&b, SIZE_MAX);
	assert_true(!strncmp(t.text, whole.text, t.len));
	assert_int_equal(t.damage.damaged, 1);
	assert_true(t.damage.cut && t.damage.behind > good.len - 200);
	reading_free(&t);
	reading_free(&whole);
	free(good.at);
	free(b.at);
}

/* Garbage between chunks, which may look like the start of a chunk. */
static void garbage_between(void **state)
{
	struct bytes good = sample();
	struct reading whole = reading_from(&good, SIZE_MAX);
	struct places p = places_of(&good);
	(void)state;
	for (int at = 0; at < p.n; at++) {
		struct bytes b = bytes_new();
		bytes_add(&b, good.at, p.at[at]);
		bytes_add(&b, KST_CHUNK_MAGIC "garbage" KST_CHUNK_MAGIC, 15);
		bytes_add(&b, good.at + p.at[at], KST_HEAD / 2);
		bytes_add(&b, good.at + p.at[at], good.len - p.at[at]);
		struct reading t = reading_from(&b, 7);
		assert_int_equal(t.damage.damaged, 1);
		assert_int_equal(t.damage.missing, 0);
		assert_false(t.damage.cut);
		assert_string_equal(t.text, whole.text);
		reading_free(&t);
		free(b.at);
	}
	reading_free(&whole);
	free(good.at);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_byte),
		cmocka_unit_test(every_length),
		cmocka_unit_test(one_missing),
		cmocka_unit_test(one_twice),
		cmocka_unit_test(two_swapped),
		cmocka_unit_test(two_files),
		cmocka_unit_test(garbage_between),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
