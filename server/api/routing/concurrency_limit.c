/* concurrency_limit.c - a semaphore with a fixed number of slots. */
#include "concurrency_limit.h"
#include "api_state.h"
#include <errno.h>
#include <time.h>

enum {
	CONCURRENCY_MAX = 3,
	CONCURRENCY_WAIT_MS = 1000,
	SECOND_NS = 1000000000
};

void concurrency_limit_init(struct api *a)
{
	sem_init(&a->places, 0, CONCURRENCY_MAX);
}

void concurrency_limit_release(struct api *a)
{
	sem_destroy(&a->places);
}

static bool concurrency_limit_place(sem_t *places)
{
	struct timespec until;
	if (sem_trywait(places) == 0)
		return true;
	clock_gettime(CLOCK_MONOTONIC, &until);
	int64_t ns = until.tv_nsec + (int64_t)CONCURRENCY_WAIT_MS * 1000000;
	until.tv_sec += ns / SECOND_NS;
	until.tv_nsec = ns % SECOND_NS;
	int rc;
	do
		rc = sem_clockwait(places, CLOCK_MONOTONIC, &until);
	while (rc != 0 && errno == EINTR);
	return rc == 0;
}

bool concurrency_limit_enter(struct call *c, struct err *e)
{
	if (c->limited)
		return true;
	if (!concurrency_limit_place(&c->api->places)) {
		atomic_fetch_add(&c->api->limited_refused, 1);
		return err_set(e, ERR_BUSY,
			"%d long answers are already being computed, the "
			"maximum; try again later",
			CONCURRENCY_MAX);
	}
	atomic_fetch_add(&c->api->limited, 1);
	c->limited = true;
	return true;
}

void concurrency_limit_leave(struct call *c)
{
	if (!c->limited)
		return;
	c->limited = false;
	atomic_fetch_sub(&c->api->limited, 1);
	sem_post(&c->api->places);
}
