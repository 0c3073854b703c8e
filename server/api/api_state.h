/* api_state.h - what all calls of one server share. */
#pragma once
#include "api.h"
#include "metrics.h"
#include <semaphore.h>
#include <stdatomic.h>

struct api {
	struct catalog_held *catalog; /* has a lock of its own */
	struct api_options is; /* constant; `hosts` is ours */
	char *openapi; /* constant */
	size_t openapi_len;
	struct metrics metrics; /* atomics */
	atomic_int uploads; /* being received */
	atomic_int streams; /* captures being sent */
	atomic_int timelines; /* those of them that are read on the way */
	atomic_int heavy; /* comparisons and their like under way */
	sem_t places; /* for these; heavy.h's */
	atomic_llong heavy_refused; /* since the start */
	atomic_int tables; /* of patterns, being sent */
	atomic_int lent; /* database connections */
};

/* A database connection, counted; NULL with *e where there is none. */
struct db *api_lend(struct api *a, struct err *e);
void api_take_back(struct api *a, struct db *db);
