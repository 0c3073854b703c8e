/* test_concurrency_limit.c - tests that at most a fixed number of requests run
 * at the same time, and that each slot is returned once. */
#include "concurrency_limit.h"
#include "api_state.h"
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>
#include <cmocka.h>

enum { AT_ONCE = 3 };

static void test_places(void **state)
{
	(void)state;
	struct api api = { 0 };
	struct call calls[AT_ONCE], late = { .api = &api };
	struct err e = { 0 };
	concurrency_limit_init(&api);
	for (int i = 0; i < AT_ONCE; i++) {
		calls[i] = (struct call){ .api = &api };
		assert_true(concurrency_limit_enter(&calls[i], &e));
		assert_true(concurrency_limit_enter(&calls[i],
			&e)); /* returning once is enough */
	}
	assert_false(concurrency_limit_enter(&late, &e));
	assert_int_equal(e.code, ERR_BUSY);
	assert_string_equal(e.text,
		"3 long answers are already being computed, the maximum; try "
		"again later");
	concurrency_limit_leave(&late);
	concurrency_limit_leave(&calls[0]);
	concurrency_limit_leave(&calls[0]);
	e = (struct err){ 0 };
	assert_true(concurrency_limit_enter(&late, &e));
	for (int i = 1; i < AT_ONCE; i++)
		concurrency_limit_leave(&calls[i]);
	concurrency_limit_leave(&late);
	assert_int_equal(atomic_load(&api.limited), 0);
	concurrency_limit_release(&api);
}

static void *take_late(void *ctx)
{
	struct err e = { 0 };
	assert_true(concurrency_limit_enter(ctx, &e));
	return NULL;
}

/* A request that arrives while all slots are taken waits and gets the slot
 * that another request returns. */
static void test_waits(void **state)
{
	(void)state;
	struct api api = { 0 };
	struct call calls[AT_ONCE], late = { .api = &api };
	struct err e = { 0 };
	pthread_t thread;
	concurrency_limit_init(&api);
	for (int i = 0; i < AT_ONCE; i++) {
		calls[i] = (struct call){ .api = &api };
		assert_true(concurrency_limit_enter(&calls[i], &e));
	}
	assert_int_equal(pthread_create(&thread, NULL, take_late, &late), 0);
	nanosleep(&(struct timespec){ .tv_nsec = 50000000 }, NULL);
	assert_int_equal(atomic_load(&api.limited), AT_ONCE);
	concurrency_limit_leave(&calls[1]);
	pthread_join(thread, NULL);
	assert_int_equal(atomic_load(&api.limited), AT_ONCE);
	concurrency_limit_leave(&calls[0]);
	concurrency_limit_leave(&calls[2]);
	concurrency_limit_leave(&late);
	assert_int_equal(atomic_load(&api.limited), 0);
	concurrency_limit_release(&api);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_places),
		cmocka_unit_test(test_waits) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
