/* metrics.c - counts answers and prints the counters for Prometheus. */
#include "api_state.h"
#include <string.h>

static const int statuses[METRIC_STATUSES] = { 200, 202, 204, 400, 401, 403,
	404, 405, 408, 409, 413, 414, 415, 421, 422, 431, 500, 503, 504, 507 };

static const double bucket_s[METRIC_BUCKETS] = { 0.001, 0.0025, 0.005, 0.01,
	0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30 };

void metrics_count(struct metrics *m, int route, int status, int64_t us)
{
	int s = 0, b = 0;
	while (s < METRIC_STATUSES - 1 && statuses[s] && statuses[s] != status)
		s++;
	while (b < METRIC_BUCKETS && (double)us > bucket_s[b] * 1e6)
		b++;
	atomic_fetch_add(&m->answers[route][s], 1);
	if (b < METRIC_BUCKETS)
		atomic_fetch_add(&m->within[route][b], 1);
	atomic_fetch_add(&m->us[route], us);
}

void metrics_gate(struct metrics *m, const char *outcome)
{
	for (enum gate_outcome o = 0; o <= GATE_BAD_DATA; o++)
		if (!strcmp(outcome, gate_outcome_word(o)))
			atomic_fetch_add(&m->gates[o], 1);
}

static void metrics_head(struct buf *b, const char *name, const char *type,
	const char *help)
{
	buf_printf(b, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static const char *metrics_path_of(int route)
{
	return route < ROUTES_N ? routes[route].path : "other";
}

static const char *metrics_method_of(int route)
{
	return route < ROUTES_N ? routes[route].method : "any";
}

static long long metrics_answers_of(struct metrics *m, int route)
{
	long long n = 0;
	for (int s = 0; s < METRIC_STATUSES; s++)
		n += atomic_load(&m->answers[route][s]);
	return n;
}

static void metrics_latency(struct metrics *m, int route, struct buf *b)
{
	const char *name = "kernsift_request_seconds";
	const char *path = metrics_path_of(route),
		   *method = metrics_method_of(route);
	long long n = metrics_answers_of(m, route), within = 0;
	if (!n)
		return;
	for (int k = 0; k < METRIC_BUCKETS; k++) {
		within += atomic_load(&m->within[route][k]);
		buf_printf(b,
			"%s_bucket{method=\"%s\",path=\"%s\",le=\"%g\"} %lld\n",
			name, method, path, bucket_s[k], within);
	}
	buf_printf(b,
		"%s_bucket{method=\"%s\",path=\"%s\",le=\"+Inf\"} %lld\n"
		"%s_sum{method=\"%s\",path=\"%s\"} %.6f\n"
		"%s_count{method=\"%s\",path=\"%s\"} %lld\n",
		name, method, path, n, name, method, path,
		(double)atomic_load(&m->us[route]) / 1e6, name, method, path,
		n);
}

static void metrics_gates(struct metrics *m, struct buf *b)
{
	metrics_head(b, "kernsift_gates_total", "counter",
		"gates created since the start, by outcome");
	for (enum gate_outcome o = 0; o <= GATE_BAD_DATA; o++)
		buf_printf(b, "kernsift_gates_total{outcome=\"%s\"} %lld\n",
			gate_outcome_word(o),
			(long long)atomic_load(&m->gates[o]));
}

void metrics_text(struct metrics *m, struct buf *b)
{
	metrics_head(b, "kernsift_requests_total", "counter",
		"answers, by route and status");
	for (int r = 0; r <= ROUTES_N; r++)
		for (int s = 0; s < METRIC_STATUSES; s++) {
			long long n = atomic_load(&m->answers[r][s]);
			if (n)
				buf_printf(b,
					"kernsift_requests_total{method=\"%s\","
					"path=\"%s\",status=\"%d\"} %lld\n",
					metrics_method_of(r),
					metrics_path_of(r), statuses[s], n);
		}
	metrics_head(b, "kernsift_request_seconds", "histogram",
		"time from a request's headers to its answer");
	for (int r = 0; r <= ROUTES_N; r++)
		metrics_latency(m, r, b);
	metrics_head(b, "kernsift_upload_bytes_total", "counter",
		"bytes of uploads received");
	buf_printf(b, "kernsift_upload_bytes_total %lld\n",
		(long long)atomic_load(&m->upload_bytes));
	metrics_gates(m, b);
}
