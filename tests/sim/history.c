/* history.c - draws the runs that a CI would have stored. */
#include "history.h"
#include "xoshiro.h"
#include <math.h>

enum { FUNCTIONS = 10, ITERATIONS = 30, APART = 10 };
#define ITERATION_NS 10e6
#define FIRST_SHARE (1.0 / 3)
#define IDLE_SHARE 0.1

static const char *const names[FUNCTIONS] = { "gemm", "attention", "norm",
	"rope", "silu", "embed", "add", "copy", "softmax", "sample" };

static double uniform(struct xoshiro *x)
{
	return ((double)(xoshiro_next(x) >> 11) + 0.5) * 0x1p-53;
}

static double normal(struct xoshiro *x)
{
	return sqrt(-2 * log(uniform(x))) * cos(2 * M_PI * uniform(x));
}

static int64_t *numbers(struct arena *a)
{
	return arena_array(a, int64_t, ITERATIONS);
}

static void function_fill(struct pattern *p, const char *name, double ns,
	double noise, struct xoshiro *x, struct arena *a)
{
	*p = (struct pattern){ .name = name,
		.type = FUNCTION_gpu_compute,
		.device = "GPU 0",
		.dur_ns = numbers(a),
		.launches = numbers(a),
		.min_ns = numbers(a),
		.max_ns = numbers(a) };
	for (uint32_t c = 0; c < ITERATIONS; c++) {
		p->dur_ns[c] = (int64_t)(ns * exp(noise * normal(x)));
		p->launches[c] = 8;
		p->min_ns[c] = p->max_ns[c] = p->dur_ns[c] / 8;
	}
}

static struct compared_run run_blank(int64_t id, struct arena *a)
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
		.iterations = arena_array(a, struct iteration, ITERATIONS),
		.strata = arena_array(a, struct stratum, 1),
		.n = ITERATIONS,
		.kept_n = ITERATIONS,
		.strata_n = 1 };
	r.iterations.strata[0] =
		(struct stratum){ "", PHASE_UNKNOWN, -1, -1, -1, ITERATIONS };
	r.patterns = (struct patterns){ .iterations_n = ITERATIONS,
		.iteration = arena_array(a, uint32_t, ITERATIONS),
		.rows = arena_array(a, struct pattern, FUNCTIONS),
		.n = FUNCTIONS };
	return r;
}

/* The effect of a process on all of its functions. */
static double process(const struct history_kind *k, struct xoshiro *x)
{
	double off = k->common * normal(x);
	if (uniform(x) < k->slow_runs)
		off += log1p(k->slow);
	if (uniform(x) < k->outliers)
		off += log(1.5);
	return off;
}

/* `level` is the logarithm of the iteration time without random effects.
 * `head` is the effect that all runs of one head share. */
static struct compared_run run_of(const struct history_kind *k, int64_t id,
	double level, double head, struct xoshiro *x, struct arena *a)
{
	struct compared_run r = run_blank(id, a);
	double all = head + process(k, x), others = 0;

	for (int f = 0; f < FUNCTIONS; f++) {
		double share =
			f ? (1 - IDLE_SHARE - FIRST_SHARE) / (FUNCTIONS - 1)
			  : FIRST_SHARE;
		if (!k->one)
			share *= exp(level);
		else if (!f)
			share += expm1(level);
		function_fill(&r.patterns.rows[f], names[f],
			ITERATION_NS * share * exp(all + k->own * normal(x)),
			k->iteration, x, a);
	}
	for (uint32_t c = 0; c < ITERATIONS; c++) {
		int64_t ns = 0;
		for (int f = 0; f < FUNCTIONS; f++)
			ns += r.patterns.rows[f].dur_ns[c];
		others = ITERATION_NS * IDLE_SHARE *
			 exp(all + (k->one ? 0 : level));
		r.patterns.iteration[c] = c;
		r.iterations.iterations[c] = (struct iteration){ .number = c,
			.dur_ns = ns + (int64_t)others,
			.compute_ns = ns,
			.idle_ns = (int64_t)others,
			.sync_ns = -1,
			.launches = 8 * FUNCTIONS };
		r.kernel_ns += ns;
	}
	return r;
}

/* Draws heads for one kind of change, not close to each other. */
static void plant(struct history *h, struct xoshiro *x, double *by, int sign)
{
	for (uint32_t n = 0; n < HISTORY_PLANTED;) {
		uint32_t at =
			HISTORY_FIRST +
			xoshiro_below(x, HISTORY_HEADS - HISTORY_FIRST - APART);
		bool free = true;
		for (uint32_t i = at - APART; i <= at + APART; i++)
			free = free && !h->changed[i];
		if (!free)
			continue;
		h->changed[at] = true;
		h->planted[at] = sign > 0;
		by[at] = sign * log1p(0.05 + 0.05 * uniform(x));
		n++;
	}
}

void history_from(const struct history_kind *k, uint64_t seed, struct arena *a,
	struct history *out)
{
	double by[HISTORY_HEADS] = { 0 }, level = 0;
	struct xoshiro x;

	*out = (struct history){ .kind = k,
		.runs = arena_array(a, struct compared_run,
			HISTORY_HEADS * k->runs) };
	xoshiro_init(&x, seed);
	plant(out, &x, by, 1);
	if (k->better)
		plant(out, &x, by, -1);
	for (uint32_t i = 0; i < HISTORY_HEADS; i++) {
		double head = k->head * normal(&x);
		if (uniform(&x) < k->slow_heads)
			head += log1p(k->slow);
		out->level[i] = level + by[i];
		if (!k->unmerged)
			level += by[i];
		level += k->drift / HISTORY_HEADS;
		for (uint32_t r = 0; r < k->runs; r++)
			out->runs[i * k->runs + r] = run_of(k,
				(int64_t)(i * HISTORY_RUNS_MAX + r + 1),
				out->level[i], head, &x, a);
	}
}

struct compared_run history_more(const struct history *h, uint64_t seed,
	uint32_t head, uint32_t nth, struct arena *a)
{
	struct xoshiro x;
	xoshiro_init(&x, seed ^ (uint64_t)head << 32 ^ (uint64_t)nth << 48);
	return run_of(h->kind,
		(int64_t)(HISTORY_HEADS * HISTORY_RUNS_MAX + nth + 1),
		h->level[head], 0, &x, a);
}
