/* metrics.h - counters of answers and gates, for Prometheus.
 *
 * Counters are atomics, written by every HTTP and writer thread. A route is
 * identified by its index in routes.def; the index past the last one is for paths
 * that are no route. */
#pragma once
#include "buf.h"
#include "gate.h"
#include "route.h"
#include <stdatomic.h>
#include <stdint.h>

enum {
	METRIC_STATUSES = 24,
	METRIC_BUCKETS = 12,
	METRIC_GATES = GATE_BAD_DATA + 1
};

struct metrics {
	atomic_llong answers[ROUTES_N + 1][METRIC_STATUSES];
	atomic_llong within[ROUTES_N + 1][METRIC_BUCKETS]; /* not cumulated */
	atomic_llong us[ROUTES_N + 1]; /* sum of latencies */
	atomic_llong upload_bytes; /* taken in */
	atomic_llong gates[METRIC_GATES]; /* evaluated, by outcome */
};

void metrics_count(struct metrics *m, int route, int status, int64_t us);
/* Counts a gate that was stored, with this outcome. */
void metrics_gate(struct metrics *m, const char *outcome);
/* The counters, in Prometheus' text form. */
void metrics_text(struct metrics *m, struct buf *b);
