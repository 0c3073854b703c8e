/* test_nvtx_ring.c - the ring between a program's thread and the collector's
 * thread. */
#include "nvtx_ring.h"
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static struct nvtx_ring *ring_new(void)
{
	struct nvtx_ring *r = aligned_alloc(64, sizeof *r);
	memset(r, 0, sizeof *r);
	r->words = malloc(NVTX_RING_WORDS * sizeof *r->words);
	return r;
}

static void ring_free(struct nvtx_ring *r)
{
	free(r->words);
	free(r);
}

/* A range whose bytes all depend on its number. */
static bool put(struct nvtx_ring *r, uint32_t n, bool *half)
{
	_Atomic uint64_t body[64];
	struct nvtx_event e = { .start_ns = n,
		.end_ns = (int64_t)n * 3,
		.thread = n,
		.text_len = (uint16_t)(n % 200),
		.payload_len = (uint16_t)(n % 7) };
	for (size_t i = 0; i < 64; i++)
		body[i] = n * 64 + i;
	return nvtx_ring_put(r, &e, body, half);
}

static uint64_t taken[NVTX_BODY_MOST];

static bool take(struct nvtx_ring *r, uint32_t *n)
{
	struct nvtx_event e;
	if (!nvtx_ring_take(r, &e, taken))
		return false;
	*n = e.thread;
	assert_int_equal(e.start_ns, *n);
	assert_int_equal(e.end_ns, (int64_t)*n * 3);
	assert_int_equal(e.text_len, *n % 200);
	assert_int_equal(e.payload_len, *n % 7);
	size_t words = nvtx_words(e.text_len) + nvtx_words(e.payload_len);
	for (size_t i = 0; i < words; i++)
		assert_int_equal(taken[i], *n * 64 + i);
	return true;
}

static void test_order_over_the_end(void **state)
{
	struct nvtx_ring *r = ring_new();
	bool half;
	uint32_t n, out = 0;
	(void)state;
	assert_false(take(r, &n));
	/* wraps around several times, at a different place each time */
	for (uint32_t in = 0; in < 50000; in++) {
		assert_true(put(r, in, &half));
		if (in % 3)
			continue;
		while (take(r, &n))
			assert_int_equal(n, out++);
	}
	ring_free(r);
}

static void test_full_loses_the_newest(void **state)
{
	struct nvtx_ring *r = ring_new();
	bool half;
	uint32_t in = 0, n, out = 0;
	int halves = 0;
	(void)state;
	while (put(r, in, &half)) {
		halves += half;
		in++;
	}
	halves += half;
	assert_int_equal(halves, 1);
	assert_false(put(r, in, &half) && half);
	/* 4 words and up to 26 of text and payload: about 1,900 fit */
	assert_in_range(in, NVTX_RING_WORDS / 30, NVTX_RING_WORDS / 4);
	while (take(r, &n))
		assert_int_equal(n, out++);
	assert_int_equal(out, in);
	/* once it is empty, it reports a full ring again */
	for (halves = 0; put(r, out, &half); out++)
		halves += half;
	assert_int_equal(halves, 1);
	ring_free(r);
}

static void test_exactly_full(void **state)
{
	struct nvtx_ring *r = ring_new();
	_Atomic uint64_t body[4] = { 0 };
	struct nvtx_event e = { .text_len = 25 }; /* 8 words */
	bool half;
	(void)state;
	for (int i = 0; i < NVTX_RING_WORDS / 8; i++)
		assert_true(nvtx_ring_put(r, &e, body, &half));
	assert_false(nvtx_ring_put(r, &e, body, &half));
	assert_true(nvtx_ring_take(r, &e, taken));
	assert_true(nvtx_ring_put(r, &e, body, &half));
	assert_false(nvtx_ring_put(r, &e, body, &half));
	ring_free(r);
}

enum { MANY = 200000 };

static void *produce(void *ctx)
{
	bool half;
	for (uint32_t i = 0; i < MANY;)
		i += put(ctx, i, &half);
	return NULL;
}

static void test_two_threads(void **state)
{
	struct nvtx_ring *r = ring_new();
	pthread_t id;
	uint32_t n, out = 0;
	(void)state;
	assert_int_equal(pthread_create(&id, NULL, produce, r), 0);
	while (out < MANY)
		if (take(r, &n))
			assert_int_equal(n, out++);
	pthread_join(id, NULL);
	assert_false(take(r, &n));
	ring_free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order_over_the_end),
		cmocka_unit_test(test_full_loses_the_newest),
		cmocka_unit_test(test_exactly_full),
		cmocka_unit_test(test_two_threads),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
