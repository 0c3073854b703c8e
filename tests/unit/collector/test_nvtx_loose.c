/* test_nvtx_loose.c - tests ranges that begin in one thread and end in
 * another. */
#include "nvtx_loose.h"
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static _Atomic uint64_t body[NVTX_LOOSE_BYTES / 8];
static bool cut;

static uint64_t start(struct nvtx_loose *l, const char *text,
	const char *payload)
{
	struct nvtx_label s = { .text = text,
		.len = strlen(text),
		.domain = 3,
		.payload_len = strlen(payload) };
	return nvtx_loose_start(l, &s, payload, 99, 1000, &cut);
}

static void test_ends_once(void **state)
{
	struct nvtx_loose *l = nvtx_loose_new();
	struct nvtx_event e;
	(void)state;
	uint64_t a = start(l, "request 1", "{\"n\":1}");
	uint64_t b = start(l, "request 2", "");
	assert_true(a && b && a != b && !cut);
	assert_true(nvtx_loose_end(l, a, &e, body));
	assert_int_equal(e.start_ns, 1000);
	assert_int_equal(e.thread, 99);
	assert_int_equal(e.domain, 3);
	assert_int_equal(e.flags, NVTX_LOOSE);
	assert_int_equal(e.text_len, 9);
	assert_int_equal(e.payload_len, 7);
	assert_memory_equal(body, "request 1\0\0\0\0\0\0\0{\"n\":1}", 23);
	/* a second time; an unknown one; 0, from before the window */
	assert_false(nvtx_loose_end(l, a, &e, body));
	assert_false(nvtx_loose_end(l, a + NVTX_LOOSE_MAX, &e, body));
	assert_false(nvtx_loose_end(l, 0, &e, body));
	assert_false(nvtx_loose_end(l, 1, &e, body));
	assert_true(nvtx_loose_end(l, b, &e, body));
	nvtx_loose_free(l);
}

static void test_ids_are_unique(void **state)
{
	struct nvtx_loose *l = nvtx_loose_new();
	struct nvtx_event e;
	uint64_t last = 0;
	(void)state;
	for (int i = 0; i < 3 * NVTX_LOOSE_MAX; i++) {
		uint64_t id = start(l, "a", "");
		assert_true(id > last);
		last = id;
		assert_true(nvtx_loose_end(l, id, &e, body));
	}
	nvtx_loose_free(l);
}

static void test_full(void **state)
{
	struct nvtx_loose *l = nvtx_loose_new();
	struct nvtx_event e;
	uint32_t at = 0;
	int open = 0, given = 0;
	(void)state;
	for (int i = 0; i < 2 * NVTX_LOOSE_MAX; i++)
		given += start(l, "a", "") != 0;
	assert_int_equal(given, NVTX_LOOSE_MAX);
	while (nvtx_loose_next(l, &at, &e, body))
		open++;
	assert_int_equal(open, NVTX_LOOSE_MAX);
	assert_true(start(l, "room again", "") != 0);
	nvtx_loose_free(l);
}

static void test_too_long(void **state)
{
	static char text[NVTX_LOOSE_BYTES + 2];
	struct nvtx_loose *l = nvtx_loose_new();
	struct nvtx_event e;
	(void)state;
	memset(text, 'x', NVTX_LOOSE_BYTES + 1);
	uint64_t id = start(l, text, "{}");
	assert_true(cut);
	assert_true(nvtx_loose_end(l, id, &e, body));
	assert_int_equal(e.text_len, NVTX_LOOSE_BYTES);
	assert_int_equal(e.payload_len, 0);
	nvtx_loose_free(l);
}

enum { THREADS = 8, EACH = 20000 };
static _Atomic uint64_t ring[1024];
static _Atomic int started, ended;

/* Begins a range and ends one that another thread began. */
static void *race(void *ctx)
{
	_Atomic uint64_t own[NVTX_LOOSE_BYTES / 8];
	struct nvtx_event e;
	char text[32];
	for (int i = 0; i < EACH; i++) {
		snprintf(text, sizeof text, "range %d", i);
		struct nvtx_label s = { .text = text, .len = strlen(text) };
		bool was;
		uint64_t id = nvtx_loose_start(ctx, &s, "", 1, i + 1, &was);
		atomic_fetch_add(&started, id != 0);
		id = atomic_exchange(&ring[i % 1024], id);
		if (!nvtx_loose_end(ctx, id, &e, own))
			continue;
		atomic_fetch_add(&ended, 1);
		snprintf(text, sizeof text, "range %d", (int)e.start_ns - 1);
		assert_memory_equal(own, text, e.text_len);
	}
	return NULL;
}

static void test_eight_threads(void **state)
{
	struct nvtx_loose *l = nvtx_loose_new();
	struct nvtx_event e;
	pthread_t id[THREADS];
	uint32_t at = 0;
	(void)state;
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&id[i], NULL, race, l), 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(id[i], NULL);
	while (nvtx_loose_next(l, &at, &e, body))
		atomic_fetch_add(&ended, 1);
	assert_int_equal(atomic_load(&ended), atomic_load(&started));
	nvtx_loose_free(l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ends_once),
		cmocka_unit_test(test_ids_are_unique),
		cmocka_unit_test(test_full),
		cmocka_unit_test(test_too_long),
		cmocka_unit_test(test_eight_threads),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
