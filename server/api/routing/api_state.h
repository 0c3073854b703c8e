/* api_state.h - what all calls of one server share. */
#pragma once
#include "api.h"
#include "metrics.h"
#include "service.h"
#include <semaphore.h>
#include <stdatomic.h>

struct api {
	struct service service;
	struct api_options is; /* constant; `hosts` is ours */
	char *openapi; /* constant */
	size_t openapi_len;
	struct metrics metrics; /* atomics */
	atomic_int uploads; /* being received */
	atomic_int timelines; /* being sent */
	atomic_int limited; /* comparisons and their like under way */
	sem_t places; /* for these (concurrency_limit.h) */
	atomic_llong limited_refused; /* since the start */
	atomic_int tables; /* of patterns, being sent */
};
