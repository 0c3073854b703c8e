/* api_state.h - the data that all API calls of one server share. */
#pragma once
#include "api.h"
#include "buf.h"
#include "gate.h"
#include "route.h"
#include "service.h"
#include <semaphore.h>
#include <stdatomic.h>
#include <stdint.h>

/* Counters of answers and gates, for Prometheus (metrics.c).
 *
 * The counters are atomics, written by every HTTP and writer thread. A route is
 * identified by its index in routes.def. The index after the last route counts
 * paths that are not a route. */
enum {
	METRIC_STATUSES = 24,
	METRIC_BUCKETS = 12,
	METRIC_GATES = GATE_BAD_DATA + 1
};

struct metrics {
	atomic_llong answers[ROUTES_N + 1][METRIC_STATUSES];
	atomic_llong within[ROUTES_N + 1][METRIC_BUCKETS]; /* not cumulative */
	atomic_llong us[ROUTES_N + 1]; /* sum of latencies */
	atomic_llong upload_bytes; /* received */
	atomic_llong gates[METRIC_GATES]; /* evaluated, by outcome */
};

struct api {
	struct service service;
	struct api_options is; /* constant; `hosts` is our own copy */
	char *openapi; /* constant */
	size_t openapi_len;
	struct metrics metrics; /* atomics */
	atomic_int uploads; /* number of uploads that are being received */
	atomic_int timelines; /* number of timelines that are being sent */
	/* number of comparisons and similar requests in progress */
	atomic_int limited;
	sem_t places; /* slots for `limited` (concurrency_limit.h) */
	atomic_llong limited_refused; /* number since the start */
	atomic_bool leaving; /* of api_leave() */
	atomic_int tables; /* number of pattern tables that are being sent */
};

void metrics_count(struct metrics *m, int route, int status, int64_t us);
/* Counts a gate that was stored with this outcome. */
void metrics_gate(struct metrics *m, const char *outcome);
/* Writes the counters in the text format of Prometheus. */
void metrics_text(struct metrics *m, struct buf *b);
