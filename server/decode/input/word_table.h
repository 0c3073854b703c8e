/* word_table.h - looks up a few dozen known words in a handful of iterations.
 *
 * The words are the keys and categories of a trace: at most 64 words of at most
 * 32 bytes, looked up by their first eight bytes and their length. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { WORDS_SLOTS = 256, WORDS_MAX = 32 };

struct word_table {
	struct word {
		uint64_t head; /* the first eight bytes, padded with zeros */
		const char *text;
		uint32_t len;
		uint32_t id;
	} slots[WORDS_SLOTS];
};

/* Adds a word that the table does not contain yet; `id` is not 0. */
void word_table_add(struct word_table *w, const char *text, uint32_t id);

static inline uint64_t word_table_head(const char *s, size_t len)
{
	uint64_t head;
	memcpy(&head, s, 8);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	return len >= 8 ? head : head & ~(~UINT64_C(0) << 8 * len);
#else
	return len >= 8 ? head : head & ~(~UINT64_C(0) >> 8 * len);
#endif
}

static inline uint32_t word_table_hash(uint64_t head, size_t len)
{
	return (uint32_t)(((head ^ len << 3) * 0x9E3779B97F4A7C15u) >> 56);
}

/* Whether two texts of more than eight bytes, whose first eight are equal, are
 * equal. The last eight bytes may overlap those before them. */
static inline bool word_table_rest_equal(const char *a, const char *b,
	size_t len)
{
	for (size_t i = 8; i + 8 < len; i += 8)
		if (memcmp(a + i, b + i, 8) != 0)
			return false;
	return !memcmp(a + len - 8, b + len - 8, 8);
}

/* The id of the word at s, or 0. Eight bytes at s must be readable. */
static inline uint32_t word_table_find(const struct word_table *w,
	const char *s, size_t len)
{
	if (len == 0 || len > WORDS_MAX)
		return 0;
	uint64_t head = word_table_head(s, len);
	for (uint32_t i = word_table_hash(head, len);; i++) {
		const struct word *x = &w->slots[i % WORDS_SLOTS];
		if (!x->id)
			return 0;
		if (x->head == head && x->len == len &&
			(len <= 8 || word_table_rest_equal(x->text, s, len)))
			return x->id;
	}
}
