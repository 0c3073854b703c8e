/* history.c - draws the runs that a CI would have stored. */
#include "history.h"
#include "blank_run.h"
#include "draw.h"
#include <math.h>

enum { FUNCTIONS = 10, ITERATIONS = 30, APART = 10 };
#define ITERATION_NS 10e6
#define FIRST_SHARE (1.0 / 3)
#define IDLE_SHARE 0.1

static const char *const names[FUNCTIONS] = { "gemm", "attention", "norm",
	"rope", "silu", "embed", "add", "copy", "softmax", "sample" };

/* The effect of a process on all of its functions. */
static double process(const struct history_kind *k, struct xoshiro *x)
{
	double off = k->common * draw_normal(x);
	if (draw_uniform(x) < k->slow_runs)
		off += log1p(k->slow);
	if (draw_uniform(x) < k->outliers)
		off += log(1.5);
	return off;
}

/* `level` is the logarithm of the iteration time without random effects.
 * `head` is the effect that all runs of one head share. */
static struct compared_run run_of(const struct history_kind *k, int64_t id,
	double level, double head, struct xoshiro *x, struct arena *a)
{
	struct compared_run r = blank_run(id, ITERATIONS, names, FUNCTIONS, a);
	double all = head + process(k, x);

	for (int f = 0; f < FUNCTIONS; f++) {
		double share =
			f ? (1 - IDLE_SHARE - FIRST_SHARE) / (FUNCTIONS - 1)
			  : FIRST_SHARE;
		if (!k->one)
			share *= exp(level);
		else if (!f)
			share += expm1(level);
		double ns = ITERATION_NS * share *
			    exp(all + k->own * draw_normal(x));
		for (uint32_t c = 0; c < ITERATIONS; c++)
			blank_run_fill(&r.patterns.rows[f], c,
				ns * exp(k->iteration * draw_normal(x)));
	}
	double idle_ns =
		ITERATION_NS * IDLE_SHARE * exp(all + (k->one ? 0 : level));
	for (uint32_t c = 0; c < ITERATIONS; c++)
		blank_run_finish(&r, c, (int64_t)idle_ns);
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
		by[at] = sign * log1p(0.05 + 0.05 * draw_uniform(x));
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
		double head = k->head * draw_normal(&x);
		if (draw_uniform(&x) < k->slow_heads)
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
