/* test_nvtx_texts.c - tests that each text is stored once, in limited
 * memory. */
#include "nvtx_texts.h"
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static uint32_t put(struct nvtx_texts *t, uint32_t domain, const char *text)
{
	return nvtx_texts_put(t, domain, text, strlen(text));
}

static void is(const struct nvtx_texts *t, uint32_t id, const char *want)
{
	size_t len;
	assert_string_equal(nvtx_texts_get(t, id, &len), want);
	assert_int_equal(len, strlen(want));
}

static void test_same_text_same_number(void **state)
{
	struct nvtx_texts *t = nvtx_texts_new();
	(void)state;
	uint32_t nccl = put(t, 0, "NCCL"), a = put(t, nccl, "ncclAllReduce");
	assert_true(nccl > 0 && a > 0 && a != nccl);
	assert_int_equal(put(t, nccl, "ncclAllReduce"), a);
	/* the same text in another domain is a different one */
	assert_int_not_equal(put(t, 0, "ncclAllReduce"), a);
	/* texts with the same beginning, of 8, 9 and 16 bytes */
	assert_int_not_equal(put(t, nccl, "ncclAllR"), a);
	assert_int_not_equal(put(t, nccl, "ncclAllRe"), a);
	assert_int_not_equal(put(t, nccl, "ncclAllReduceX16"), a);
	assert_int_equal(nvtx_texts_domain(t, a), nccl);
	is(t, a, "ncclAllReduce");
	nvtx_texts_free(t);
}

static void test_odd_texts(void **state)
{
	struct nvtx_texts *t = nvtx_texts_new();
	size_t len;
	(void)state;
	uint32_t none = put(t, 0, "");
	assert_true(none > 0);
	is(t, none, "");
	/* a NUL inside is kept like other bytes */
	uint32_t nul = nvtx_texts_put(t, 0, "a\0b", 3);
	assert_memory_equal(nvtx_texts_get(t, nul, &len), "a\0b", 4);
	assert_int_equal(len, 3);
	/* a number that was never assigned */
	is(t, 0, "");
	is(t, nul + 1, "");
	is(t, UINT32_MAX, "");
	assert_int_equal(nvtx_texts_domain(t, UINT32_MAX), 0);
	nvtx_texts_free(t);
}

static void test_table_full(void **state)
{
	struct nvtx_texts *t = nvtx_texts_new();
	char text[32];
	uint32_t given = 0;
	(void)state;
	for (int i = 0; i < NVTX_TEXTS_MAX + 10; i++) {
		snprintf(text, sizeof text, "text %d", i);
		given += put(t, 0, text) > 0;
	}
	/* all except number 0 and those that collided */
	assert_in_range(given, NVTX_TEXTS_MAX * 9 / 10, NVTX_TEXTS_MAX - 1);
	assert_int_equal(put(t, 0, "one more"), 0);
	is(t, put(t, 0, "text 7"), "text 7");
	nvtx_texts_free(t);
}

static void test_memory_full(void **state)
{
	static char large[1 << 20];
	struct nvtx_texts *t = nvtx_texts_new();
	int given = 0;
	(void)state;
	for (int i = 0; i < 32; i++) {
		memset(large, 'a' + i, sizeof large);
		given += nvtx_texts_put(t, 0, large, sizeof large) > 0;
	}
	/* each needs one byte more than its length */
	assert_int_equal(given, 15);
	assert_true(put(t, 0, "there is still room for a small one") > 0);
	assert_int_equal(nvtx_texts_put(t, 0, large, SIZE_MAX / 2), 0);
	nvtx_texts_free(t);
}

enum { THREADS = 8, TEXTS = 2000 };

struct racer {
	struct nvtx_texts *t;
	uint32_t ids[TEXTS];
};

static void *race(void *ctx)
{
	struct racer *r = ctx;
	char text[32];
	for (int i = 0; i < TEXTS; i++) {
		snprintf(text, sizeof text, "aten::op_%d", i);
		r->ids[i] = put(r->t, 0, text);
	}
	return NULL;
}

static void test_eight_threads(void **state)
{
	static struct racer r[THREADS];
	pthread_t id[THREADS];
	struct nvtx_texts *t = nvtx_texts_new();
	char text[32];
	(void)state;
	for (int i = 0; i < THREADS; i++) {
		r[i].t = t;
		assert_int_equal(pthread_create(&id[i], NULL, race, &r[i]), 0);
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(id[i], NULL);
	for (int i = 0; i < THREADS; i++)
		for (int n = 0; n < TEXTS; n++) {
			snprintf(text, sizeof text, "aten::op_%d", n);
			is(t, r[i].ids[n], text);
		}
	nvtx_texts_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same_text_same_number),
		cmocka_unit_test(test_odd_texts),
		cmocka_unit_test(test_table_full),
		cmocka_unit_test(test_memory_full),
		cmocka_unit_test(test_eight_threads),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
