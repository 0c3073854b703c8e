/* concurrency_limit.c - a semaphore with a fixed number of places. */
#include "concurrency_limit.h"
#include "api_state.h"
#include <errno.h>
#include <time.h>

enum { HEAVY_MAX = 3, HEAVY_WAIT_MS = 1000, SECOND_NS = 1000000000 };

void heavy_init(struct api *a)
{
	sem_init(&a->places, 0, HEAVY_MAX);
}

void heavy_release(struct api *a)
{
	sem_destroy(&a->places);
}

static bool concurrency_limit_place(sem_t *places)
{
	struct timespec until;
	if (sem_trywait(places) == 0)
		return true;
	clock_gettime(CLOCK_MONOTONIC, &until);
	int64_t ns = until.tv_nsec + (int64_t)HEAVY_WAIT_MS * 1000000;
	until.tv_sec += ns / SECOND_NS;
	until.tv_nsec = ns % SECOND_NS;
	int rc;
	do
		rc = sem_clockwait(places, CLOCK_MONOTONIC, &until);
	while (rc != 0 && errno == EINTR);
	return rc == 0;
}

bool heavy_take(struct call *c, struct err *e)
{
	if (c->heavy)
		return true;
	if (!concurrency_limit_place(&c->api->places)) {
		atomic_fetch_add(&c->api->heavy_refused, 1);
		return err_set(e, ERR_BUSY,
			"%d answers that take long are being made already, the "
			"most at once; try again in a moment",
			HEAVY_MAX);
	}
	atomic_fetch_add(&c->api->heavy, 1);
	c->heavy = true;
	return true;
}

void heavy_give_back(struct call *c)
{
	if (!c->heavy)
		return;
	c->heavy = false;
	atomic_fetch_sub(&c->api->heavy, 1);
	sem_post(&c->api->places);
}
