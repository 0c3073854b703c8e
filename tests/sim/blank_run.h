/* blank_run.h - makes a run without times, whose functions are kernels of one
 * GPU. */
#pragma once
#include "arena.h"
#include "compared.h"

/* All iterations are kept, and of one stratum. */
static inline struct compared_run blank_run(int64_t id, uint32_t iterations,
	const char *const *functions, uint32_t functions_n, struct arena *a)
{
	struct compared_run r = { .id = id,
		.name = "",
		.project = "",
		.workload = "train",
		.labels = "{}",
		.format = "kineto",
		.content = CONTENT_LAUNCHES,
		.pid = -1,
		.rank = -1,
		.world_size = -1,
		.started_utc_ns = id,
		.analysis_version = ANALYSIS_VERSION };
	r.iterations = (struct iterations){ .detector = ITERATIONS_ANNOTATION,
		.confidence = 1,
		.range = "step",
		.iterations = arena_array(a, struct iteration, iterations),
		.strata = arena_array(a, struct stratum, 1),
		.n = iterations,
		.kept_n = iterations,
		.strata_n = 1 };
	r.iterations.strata[0] =
		(struct stratum){ "", PHASE_UNKNOWN, -1, -1, -1, iterations };
	r.patterns = (struct patterns){ .iterations_n = iterations,
		.iteration = arena_array(a, uint32_t, iterations),
		.rows = arena_array(a, struct pattern, functions_n),
		.n = functions_n };
	for (uint32_t f = 0; f < functions_n; f++)
		r.patterns.rows[f] = (struct pattern){ .name = functions[f],
			.type = FUNCTION_gpu_compute,
			.device = "GPU 0",
			.dur_ns = arena_array(a, int64_t, iterations),
			.launches = arena_array(a, int64_t, iterations),
			.min_ns = arena_array(a, int64_t, iterations),
			.max_ns = arena_array(a, int64_t, iterations) };
	return r;
}

enum { BLANK_RUN_LAUNCHES = 8 }; /* of each function, per iteration */

static inline void blank_run_fill(struct pattern *p, uint32_t iteration,
	double ns)
{
	p->dur_ns[iteration] = (int64_t)ns;
	p->launches[iteration] = BLANK_RUN_LAUNCHES;
	p->min_ns[iteration] = p->max_ns[iteration] =
		p->dur_ns[iteration] / BLANK_RUN_LAUNCHES;
}

/* The duration of an iteration, after its functions. */
static inline void blank_run_finish(struct compared_run *r, uint32_t iteration,
	int64_t idle_ns)
{
	int64_t ns = 0;
	for (uint32_t f = 0; f < r->patterns.n; f++)
		ns += r->patterns.rows[f].dur_ns[iteration];
	r->patterns.iteration[iteration] = iteration;
	r->iterations.iterations[iteration] =
		(struct iteration){ .number = iteration,
			.dur_ns = ns + idle_ns,
			.compute_ns = ns,
			.idle_ns = idle_ns,
			.sync_ns = -1,
			.launches = BLANK_RUN_LAUNCHES * r->patterns.n };
	r->kernel_ns += ns;
}
