/* test_nvtx_thread.c - the open ranges of a thread, seen by itself and by
 * others. */
#include "nvtx_thread.h"
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static struct nvtx_thread *thread_new(void)
{
	struct nvtx_thread *t = aligned_alloc(64, sizeof *t);
	memset(t, 0, sizeof *t);
	nvtx_thread_init(t, 1, 4711);
	return t;
}

static bool lost;

static int push(struct nvtx_thread *t, uint16_t domain, const char *text,
	const char *payload, int64_t at)
{
	struct nvtx_label s = { .text = text,
		.len = strlen(text),
		.domain = domain,
		.payload_len = strlen(payload) };
	memcpy(t->payload, payload, s.payload_len);
	return nvtx_thread_push(t, &s, at, &lost);
}

/* Ends the innermost range of the domain, which must be this one. */
static void pops(struct nvtx_thread *t, uint16_t domain, const char *text,
	const char *payload, int64_t start_ns)
{
	struct nvtx_open o;
	assert_int_equal(nvtx_thread_pop(t, domain, &o), NVTX_POPPED);
	const char *at = (const char *)&t->words[o.at];
	assert_int_equal(o.text_len, strlen(text));
	assert_memory_equal(at, text, strlen(text));
	assert_int_equal(o.payload_len, strlen(payload));
	assert_memory_equal(at + 8 * nvtx_words(o.text_len), payload,
		strlen(payload));
	assert_int_equal(o.start_ns, start_ns);
	assert_int_equal(o.domain, domain);
}

static void test_nested(void **state)
{
	struct nvtx_thread *t = thread_new();
	struct nvtx_open o;
	(void)state;
	/* texts of 0, 8 and 9 bytes; one that is not recorded; payloads */
	assert_int_equal(push(t, 0, "", "", 5), 0);
	assert_int_equal(push(t, 0, "12345678", "{\"a\":1}", 0), 1);
	assert_int_equal(push(t, 0, "123456789", "[1,2]", 7), 2);
	pops(t, 0, "123456789", "[1,2]", 7);
	pops(t, 0, "12345678", "{\"a\":1}", 0);
	assert_int_equal(push(t, 0, "again", "", 8), 1);
	pops(t, 0, "again", "", 8);
	pops(t, 0, "", "", 5);
	assert_int_equal(nvtx_thread_pop(t, 0, &o), NVTX_NONE_OPEN);
	assert_int_equal(t->top, 0);
	free(t);
}

static void test_domains_cross(void **state)
{
	struct nvtx_thread *t = thread_new();
	struct nvtx_open o;
	(void)state;
	assert_int_equal(push(t, 1, "a0", "", 1), 0);
	assert_int_equal(push(t, 2, "b0", "", 2), 0);
	assert_int_equal(push(t, 1, "a1", "", 3), 1);
	/* a domain without an open range */
	assert_int_equal(nvtx_thread_pop(t, 3, &o), NVTX_NONE_OPEN);
	/* from the middle: the gap is not visible */
	pops(t, 2, "b0", "", 2);
	assert_int_equal(nvtx_thread_pop(t, 2, &o), NVTX_NONE_OPEN);
	assert_true(nvtx_thread_at(t, 0, &o));
	assert_false(nvtx_thread_at(t, 1, &o));
	assert_int_equal(push(t, 2, "b1", "", 4), 0);
	pops(t, 1, "a1", "", 3);
	pops(t, 1, "a0", "", 1);
	pops(t, 2, "b1", "", 4);
	assert_int_equal(atomic_load(&t->depth), 0);
	assert_int_equal(t->top, 0);
	free(t);
}

static void test_deeper_than_the_limit(void **state)
{
	struct nvtx_thread *t = thread_new();
	struct nvtx_open o;
	(void)state;
	for (int i = 0; i < NVTX_FRAMES; i++) {
		assert_int_equal(push(t, 0, "deep", "", i + 1), i);
		assert_false(lost);
	}
	assert_int_equal(push(t, 0, "too deep", "", 1000), NVTX_FRAMES);
	assert_true(lost);
	assert_int_equal(push(t, 0, "deeper", "", 1001), NVTX_FRAMES + 1);
	assert_int_equal(nvtx_thread_pop(t, 0, &o), NVTX_POPPED_BEYOND);
	assert_int_equal(nvtx_thread_pop(t, 0, &o), NVTX_POPPED_BEYOND);
	for (int i = NVTX_FRAMES; i > 0; i--)
		pops(t, 0, "deep", "", i);
	assert_int_equal(nvtx_thread_pop(t, 0, &o), NVTX_NONE_OPEN);
	free(t);
}

static void test_texts_longer_than_the_limit(void **state)
{
	static char text[NVTX_TEXT_MOST + 1];
	struct nvtx_thread *t = thread_new();
	struct nvtx_open o;
	(void)state;
	memset(text, 'x', NVTX_TEXT_MOST);
	for (int i = 0; i < 4; i++)
		push(t, 0, text, "", 1);
	assert_false(lost);
	assert_int_equal(push(t, 0, "no room", "", 1), 4);
	assert_true(lost);
	assert_int_equal(push(t, 0, "", "", 1), 5);
	assert_false(lost);
	nvtx_thread_pop(t, 0, &o);
	assert_false(o.lost);
	nvtx_thread_pop(t, 0, &o);
	assert_true(o.lost);
	assert_int_equal(o.level, 4);
	for (int i = 0; i < 4; i++)
		pops(t, 0, text, "", 1);
	free(t);
}

/* A range that ends in a full stack and has no words in it leaves it full. */
static void test_full_to_the_last_word(void **state)
{
	static char text[4][NVTX_TEXT_MOST + 1];
	static const char *const within[] = { "", "no room" };
	struct nvtx_thread *t = thread_new();
	struct nvtx_open o;
	(void)state;
	for (int i = 0; i < 4; i++) {
		memset(text[i], 'a' + i, NVTX_TEXT_MOST);
		push(t, 0, text[i], "", i + 1);
	}
	assert_int_equal(t->top, NVTX_STACK_WORDS);
	for (int i = 0; i < 2; i++) {
		push(t, 0, within[i], "", 5);
		assert_int_equal(lost, i);
		assert_int_equal(nvtx_thread_pop(t, 0, &o), NVTX_POPPED);
		assert_int_equal(o.at, NVTX_STACK_WORDS);
		push(t, 0, "over the outermost", "", 6);
		assert_true(lost);
		nvtx_thread_pop(t, 0, &o);
	}
	for (int i = 4; i-- > 0;)
		pops(t, 0, text[i], "", i + 1);
	assert_int_equal(t->top, 0);
	free(t);
}

static void test_payload_at_the_end(void **state)
{
	struct nvtx_thread *t = thread_new();
	(void)state;
	memcpy(t->payload, "null", 4);
	nvtx_thread_add(t, 0, 4); /* no range is open */
	push(t, 0, "a", "", 1);
	push(t, 1, "b", "[1]", 2);
	nvtx_thread_add(t, 0, 4); /* not the innermost */
	nvtx_thread_add(t, 1, 4); /* it has one */
	pops(t, 1, "b", "[1]", 2);
	memcpy(t->payload, "null", 4);
	nvtx_thread_add(t, 0, 4);
	pops(t, 0, "a", "null", 1);
	free(t);
}

static uint64_t seen[NVTX_STACK_WORDS];

static void test_named(void **state)
{
	struct nvtx_thread *t = thread_new();
	struct nvtx_open o;
	(void)state;
	push(t, 9, "text", "{}", 3);
	nvtx_thread_name(t, 0, 77);
	assert_true(nvtx_thread_look(t, 0, &o, seen));
	assert_int_equal(o.text, 77);
	assert_int_equal(o.domain, 9);
	assert_memory_equal(seen, "text\0\0\0\0{}", 10);
	pops(t, 9, "text", "{}", 3);
	assert_false(nvtx_thread_look(t, 0, &o, seen));
	free(t);
}

/* Texts whose bytes all identify the start that they belong to. */
enum { ROUNDS = 60000, DEPTH = 6 };
static atomic_bool done, enough;

static void *change(void *ctx)
{
	struct nvtx_thread *t = ctx;
	struct nvtx_open o;
	char text[64];
	for (int i = 1; i < ROUNDS || !atomic_load(&enough); i++) {
		size_t len = (size_t)i % 40 + 1;
		memset(text, 'a' + i % 26, len);
		text[len] = '\0';
		push(t, (uint16_t)(i % 2), text, i % 3 ? "" : "{}", i);
		uint32_t keep = atomic_load(&t->depth) < DEPTH
					? DEPTH
					: (uint32_t)i % DEPTH;
		for (uint16_t d = 0; atomic_load(&t->depth) > keep; d ^= 1)
			nvtx_thread_pop(t, d, &o);
	}
	atomic_store(&done, true);
	return NULL;
}

static void test_read_while_it_changes(void **state)
{
	struct nvtx_thread *t = thread_new();
	struct nvtx_open o;
	pthread_t id;
	int believed = 0;
	(void)state;
	push(t, 0, "a", "", 0);
	push(t, 1, "a", "", 0);
	assert_int_equal(pthread_create(&id, NULL, change, t), 0);
	while (!atomic_load(&done))
		for (uint32_t at = 0; at < DEPTH; at++) {
			if (!nvtx_thread_look(t, at, &o, seen) || !o.start_ns)
				continue;
			const char *text = (const char *)seen;
			assert_int_equal(o.text_len, o.start_ns % 40 + 1);
			for (int i = 0; i < o.text_len; i++)
				assert_int_equal(text[i],
					'a' + o.start_ns % 26);
			assert_int_equal(o.payload_len, o.start_ns % 3 ? 0 : 2);
			if (++believed == 1000)
				atomic_store(&enough, true);
		}
	pthread_join(id, NULL);
	assert_true(believed >= 1000);
	free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nested),
		cmocka_unit_test(test_domains_cross),
		cmocka_unit_test(test_deeper_than_the_limit),
		cmocka_unit_test(test_texts_longer_than_the_limit),
		cmocka_unit_test(test_full_to_the_last_word),
		cmocka_unit_test(test_payload_at_the_end),
		cmocka_unit_test(test_named),
		cmocka_unit_test(test_read_while_it_changes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
