/* sides.h - makes runs in the form that comparisons read. */
#pragma once
#include "compared.h"
#include "compare.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

enum { SIDES_ITERATION_NS = 1000000 };

/* A run of n kept iterations of 1 ms each, with room for one launch in each. */
static inline struct compared_run sides_run(struct arena *a, int64_t id,
	uint32_t n)
{
	struct compared_run r = { .id = id,
		.name = "",
		.project = "",
		.workload = "",
		.labels = "{}",
		.format = "kineto",
		.content = CONTENT_LAUNCHES,
		.pid = -1,
		.rank = -1,
		.world_size = -1,
		.analysis_version = ANALYSIS_VERSION };
	r.iterations = (struct iterations){ .detector = ITERATIONS_ANNOTATION,
		.confidence = 1,
		.range = "step",
		.iterations = arena_array(a, struct iteration, n + 1),
		.strata = arena_array(a, struct stratum, 1),
		.n = n,
		.kept_n = n,
		.strata_n = 1 };
	r.iterations.strata[0] = (struct stratum){ .text = "",
		.sequences = -1,
		.tokens = -1,
		.kv_tokens = -1,
		.iterations = n };
	r.patterns.iterations_n = n;
	r.patterns.iteration = arena_array(a, uint32_t, n + 1);
	for (uint32_t i = 0; i < n; i++) {
		r.patterns.iteration[i] = i;
		r.iterations.iterations[i] = (struct iteration){ .number = i,
			.start_ns = (int64_t)i * SIDES_ITERATION_NS,
			.dur_ns = SIDES_ITERATION_NS,
			.compute_ns = -1,
			.comm_ns = -1,
			.copy_ns = -1,
			.idle_ns = -1,
			.comm_overlapped_ns = -1,
			.sync_ns = -1 };
	}
	r.span_ns = r.busy_ns = (int64_t)n * SIDES_ITERATION_NS;
	return r;
}

/* A function that takes `ns` in `launches` executions in every iteration. */
static inline struct pattern *sides_function(struct arena *a,
	struct compared_run *r, const char *name, enum function_type type,
	const char *device, int64_t ns, int64_t launches)
{
	struct patterns *p = &r->patterns;
	p->rows = arena_grow(a, p->rows, (p->n + 1) * sizeof *p->rows);
	struct pattern *row = &p->rows[p->n++];
	*row = (struct pattern){ .name = name,
		.type = type,
		.device = device,
		.dur_ns = arena_array(a, int64_t, p->iterations_n + 1),
		.launches = arena_array(a, int64_t, p->iterations_n + 1),
		.min_ns = arena_array(a, int64_t, p->iterations_n + 1),
		.max_ns = arena_array(a, int64_t, p->iterations_n + 1) };
	for (uint32_t i = 0; i < p->iterations_n; i++) {
		row->dur_ns[i] = ns;
		row->launches[i] = launches;
		row->min_ns[i] = row->max_ns[i] = launches ? ns / launches : -1;
		r->iterations.iterations[i].launches += launches;
		if (type == FUNCTION_gpu_compute) {
			r->kernel_ns += ns;
			r->launches += launches;
		}
	}
	return row;
}

static inline struct pattern *sides_kernel(struct arena *a,
	struct compared_run *r, const char *name, int64_t ns, int64_t launches)
{
	return sides_function(a, r, name, FUNCTION_gpu_compute, "GPU 0", ns,
		launches);
}

static inline const char *sides_finding(const struct comparison *c,
	enum finding_code code)
{
	for (uint32_t i = 0; i < c->findings_n; i++)
		if (c->findings[i].code == code)
			return c->findings[i].text;
	return "";
}

static inline const struct changed_row *sides_row(const struct comparison *c,
	const char *name)
{
	for (uint32_t i = 0; i < c->rows_n; i++)
		if (!strcmp(c->rows[i].name, name))
			return &c->rows[i];
	return NULL;
}

static inline void sides_compare(const struct compared_run *base, uint32_t b,
	const struct compared_run *head, uint32_t h, struct arena *a,
	struct comparison *out)
{
	struct compare_options o = COMPARE_OPTIONS;
	struct err e = { 0 };
	assert_true(compare_from(base, b, head, h, NULL, &o, a, out, &e));
}
