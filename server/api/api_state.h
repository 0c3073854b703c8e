/* api_state.h - what all calls of one server share. */
#pragma once
#include "api.h"
#include "metrics.h"
#include <stdatomic.h>

struct api {
	struct api_options is; /* constant; `hosts` is ours */
	char *openapi; /* constant */
	size_t openapi_len;
	struct metrics metrics; /* atomics */
	atomic_int uploads; /* being received */
	atomic_int lent; /* database connections */
};
