/* test_words.c - tests known words, and words that only look like them. */
#include "kineto.h"
#include "fixture.h"

static uint32_t find(const struct word_table *w, const char *s)
{
	struct padded room;
	return word_table_find(w, pad(&room, s, strlen(s)), strlen(s));
}

static void test_all(void **state)
{
	struct kineto_words w;
	(void)state;
	kineto_words_init(&w);
#define KEY(name, text) assert_int_equal(find(&w.keys, text), KEY_##name);
#include "kineto.def"
#undef KEY
#define CATEGORY(text, what) \
	assert_int_equal(find(&w.categories, text), CATEGORY_##what);
#include "kineto.def"
#undef CATEGORY
}

static void test_others(void **state)
{
	static const char *const others[] = { "", "p", "pH", "ts ", "tsx",
		"traceEvent", "traceEvents2", "registers per threae",
		"Input Strides", "memory bandwidth (GB/s)",
		"a key that is longer than any that is known here" };
	struct kineto_words w;
	(void)state;
	kineto_words_init(&w);
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		assert_int_equal(find(&w.keys, others[i]), 0);
	assert_int_equal(find(&w.categories, "kernels"), 0);
	assert_int_equal(find(&w.categories, "KERNEL"), 0);
}

/* The word ends at its length, whatever follows it. */
static void test_length(void **state)
{
	struct kineto_words w;
	(void)state;
	kineto_words_init(&w);
	assert_int_equal(word_table_find(&w.keys, "tsunami!", 2), KEY_TS);
	assert_int_equal(word_table_find(&w.keys, "device1234567", 6),
		KEY_DEVICE);
}

/* A word with one other byte is another word, wherever the byte is. */
static void test_each_byte(void **state)
{
	static const char *const words[] = {
#define KEY(name, text) text,
#include "kineto.def"
#undef KEY
	};
	struct kineto_words w;
	(void)state;
	kineto_words_init(&w);
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		size_t len = strlen(words[i]);
		for (size_t at = 0; at < len; at++) {
			char other[WORDS_MAX + 1] = { 0 };
			memcpy(other, words[i], len);
			other[at] = '~'; /* no key contains it */
			assert_int_equal(find(&w.keys, other), 0);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all),
		cmocka_unit_test(test_others),
		cmocka_unit_test(test_length),
		cmocka_unit_test(test_each_byte),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
