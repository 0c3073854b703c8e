/* world.c - draws a pair of sides, the base and the head of a comparison. */
#include "world.h"
#include "draw.h"
#include <math.h>

#define ITERATION_NS 10e6
#define KERNELS_SHARE 0.9

/* One unit's iterations of a function: a mean with AR(1) noise. */
static void play(const struct world *w, struct xoshiro *x, double mean,
	const double *clock, double *to)
{
	double e = draw_normal(x), fresh = sqrt(1 - w->memory * w->memory);
	for (uint32_t c = 0; c < w->iterations; c++) {
		to[c] = mean * clock[c] * exp(w->noise * e);
		e = w->memory * e + fresh * draw_normal(x);
	}
}

/* The effect of a process on all of its kernels, per iteration. */
static void clock_of(const struct world *w, struct xoshiro *x, double *clock)
{
	uint32_t at = xoshiro_below(x, w->iterations);
	double by = draw_uniform(x) < 0.5 ? 1 + w->step : 1 / (1 + w->step);
	double all = exp(w->run_common * draw_normal(x));
	for (uint32_t c = 0; c < w->iterations; c++) {
		clock[c] = all * (c >= at ? by : 1);
		if (c < 2)
			clock[c] *= 1 + (c ? w->warm_up / 3 : w->warm_up);
	}
}

static struct verdict_side side_of(const struct world *w, struct arena *a)
{
	uint32_t *iterations = arena_array(a, uint32_t, w->units);
	for (uint32_t u = 0; u < w->units; u++)
		iterations[u] = w->iterations;
	return (struct verdict_side){ w->units, iterations,
		w->units * w->iterations };
}

static double side_tail(const struct world *w, struct xoshiro *x)
{
	if (!(w->tail > 0) || draw_uniform(x) >= w->tail)
		return 1;
	return 1.08 + 0.22 * draw_uniform(x);
}

static double *side_play(const struct world *w, struct xoshiro *x, double mean,
	double *const *clocks, struct arena *a)
{
	double *to = arena_array(a, double, w->units * w->iterations);
	for (uint32_t u = 0; u < w->units; u++)
		play(w, x,
			mean * exp(w->run * draw_normal(x)) * side_tail(w, x),
			clocks[u], to + u * w->iterations);
	return to;
}

static void extremes(const double *v, uint32_t n, double launches, double *of,
	double *min, double *max)
{
	*of = 0;
	*min = INFINITY;
	*max = 0;
	for (uint32_t i = 0; i < n; i++) {
		*of += v[i] > 0 ? launches : 0;
		*min = fmin(*min, v[i] / launches);
		*max = fmax(*max, v[i] / launches);
	}
}

struct world_pair world_pair(const struct world *w, uint64_t seed,
	struct arena *a)
{
	struct world_pair p = { .in = { .base = side_of(w, a),
					.head = side_of(w, a),
					.n = w->rows,
					.base_iteration_ns = ITERATION_NS,
					.head_iteration_ns = ITERATION_NS,
					.margin = 0.05,
					.alpha = 0.05,
					.permutations = 2000,
					.seed = seed } };
	struct verdict_row *rows = arena_array(a, struct verdict_row, w->rows);
	double *share = arena_array(a, double, w->rows), sum = 0;
	double *clocks[2][WORLD_UNITS_MAX];
	struct xoshiro x;

	xoshiro_init(&x, seed);
	for (uint32_t i = 0; i < w->rows; i++)
		sum += share[i] = exp(1.3 * draw_normal(&x));
	for (uint32_t u = 0; u < 2 * w->units; u++) {
		double *clock = arena_array(a, double, w->iterations);
		clock_of(w, &x, clock);
		clocks[u % 2][u / 2] = clock;
	}
	p.changed = xoshiro_below(&x, w->rows);
	double wanted = (w->share > 0 ? w->share : 0.0101) / KERNELS_SHARE,
	       others = sum - share[p.changed];
	if (w->slower != 0 &&
		(w->share > 0 || share[p.changed] < wanted * sum)) {
		share[p.changed] = others * wanted / (1 - wanted);
		sum = others + share[p.changed];
	}
	for (uint32_t i = 0; i < w->rows; i++) {
		double mean = share[i] / sum * KERNELS_SHARE * ITERATION_NS;
		double head = mean;
		bool idle = w->stall != 0 && i == 0;
		double launches = 1 + xoshiro_below(&x, 40);
		bool touched = !idle && draw_uniform(&x) >= w->untouched;
		if (idle)
			head = (mean = 0.05 * ITERATION_NS) * (1 + w->stall);
		if (touched)
			head *= 1 + w->clock;
		if (w->slower != 0 && i == p.changed) {
			head = isinf(w->slower) ? mean : mean * (1 + w->slower);
			mean = isinf(w->slower) ? 0 : mean;
			p.delta_ns = head - mean;
		}
		struct verdict_row *r = &rows[i];
		r->base = side_play(w, &x, mean, clocks[0], a);
		r->head = side_play(w, &x, head, clocks[1], a);
		for (uint32_t c = 0; i == p.changed && c < w->iterations; c++)
			((double *)r->base)[c] *= 1 + w->outlier;
		extremes(r->base, p.in.base.n, launches, &r->base_launches,
			&r->base_min_ns, &r->base_max_ns);
		extremes(r->head, p.in.head.n, launches, &r->head_launches,
			&r->head_min_ns, &r->head_max_ns);
		r->kernel = !idle;
		r->floor = w->floor;
		r->floor_df = w->floor_df;
		r->floor_from =
			isinf(w->floor_df) ? FLOOR_GIVEN : FLOOR_DEFAULT;
	}
	p.in.rows = rows;
	return p;
}
