/* test_nvtx_fork.c - tests which state of its parent's threads a forked child
 * keeps. */
#include "nvtx_state.h"
#include <setjmp.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

enum { OTHERS = 3 };
static pthread_barrier_t joined, over;

static struct nvtx_thread *open_one(const char *text)
{
	struct nvtx_label label = { .text = text, .len = 5 };
	struct nvtx_thread *t = nvtx_state_thread(nvtx_state());
	bool lost;
	nvtx_thread_push(t, &label, 7, &lost);
	return t;
}

/* Opens a range, and has one in its ring. */
static void *other(void *ctx)
{
	struct nvtx_event e = { .start_ns = 1, .end_ns = 2 };
	bool half;
	struct nvtx_thread *t = open_one("other");
	nvtx_ring_put(nvtx_state_ring(nvtx_state(), t), &e, NULL, &half);
	pthread_barrier_wait(&joined);
	pthread_barrier_wait(&over);
	return ctx;
}

static int lives(const struct nvtx_state *w)
{
	int n = 0;
	for (int i = 0; i < NVTX_THREADS; i++)
		n += atomic_load(&w->places[i]) != NVTX_FREE;
	return n;
}

static int rings(const struct nvtx_state *w)
{
	int n = 0;
	for (int i = 0; i < NVTX_RINGS; i++)
		n += atomic_load(&w->rings_taken[i]) != NVTX_FREE;
	return n;
}

/* Runs in the child; returns the number of the failed check, or 0. */
static int look(struct nvtx_state *w, const struct nvtx_thread *me)
{
	static uint64_t body[NVTX_BODY_MOST];
	struct nvtx_event e;
	struct nvtx_open o;
	if (lives(w) != 1 || nvtx_state_thread(w) != me)
		return 1;
	if (atomic_load(&me->tid) != (uint32_t)syscall(SYS_gettid))
		return 2;
	if (!nvtx_thread_at(me, 0, &o) || o.start_ns != 7)
		return 3;
	if (rings(w) != 0)
		return 4;
	for (int i = 0; i < NVTX_RINGS; i++)
		if (nvtx_ring_take(&w->rings[i], &e, body))
			return 5;
	return 0;
}

static void test_child_alone(void **state)
{
	struct nvtx_state *w = nvtx_state_make();
	pthread_t threads[OTHERS];
	int status;
	(void)state;
	assert_non_null(w);
	assert_ptr_equal(nvtx_state_make(), w);
	pthread_barrier_init(&joined, NULL, OTHERS + 1);
	pthread_barrier_init(&over, NULL, OTHERS + 1);
	struct nvtx_thread *me = open_one("first");
	for (int i = 0; i < OTHERS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, other, NULL),
			0);
	pthread_barrier_wait(&joined);
	pid_t child = fork();
	assert_true(child >= 0);
	if (child == 0)
		_exit(look(w, me));
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	/* The parent still has all its ranges. */
	assert_int_equal(lives(w), OTHERS + 1);
	assert_int_equal(rings(w), OTHERS);
	assert_int_equal(atomic_load(&me->tid), getpid());
	pthread_barrier_wait(&over);
	for (int i = 0; i < OTHERS; i++)
		pthread_join(threads[i], NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_child_alone),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
