/* sim_needs.c - measures whether as many iterations or runs as verdict_needs.c
 * computes prove a change.
 *
 *   sim_needs PAIRS [CASE]
 *
 * Each case is a change with a known size and noise. The computed number is that
 * of a plan with these true values. Then pairs with random times are drawn for
 * numbers around it. Half of the pairs must prove the change with one more than
 * computed, and less than half with two fewer: the number at which half of them
 * do is then at most one off. Prints a line per case. */
#include "draw.h"
#include "noise_floor.h"
#include "verdict.h"
#include "verdict_needs.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PER_RUN = 4, AROUND = 3 };
static const double base_ns = 1e6, within_sd = 0.001;

static const struct needs_case {
	const char *name;
	double ratio, sd, floor, floor_df;
	uint32_t family;
	bool runs; /* sd: of runs' means; otherwise of iterations */
} cases[] = {
#include "needs_sims.def"
};

/* n runs of PER_RUN iterations, or one run of n iterations. */
static double *needs_side(const struct needs_case *c, uint32_t n, double at,
	struct xoshiro *x, struct arena *a)
{
	uint32_t per = c->runs ? PER_RUN : 1;
	double *to = arena_array(a, double, (size_t)n *per);
	for (uint32_t i = 0; i < n; i++) {
		double mean = at * exp(c->sd * draw_normal(x));
		for (uint32_t k = 0; k < per; k++)
			to[i * per + k] = mean;
		for (uint32_t k = 0; c->runs && k < per; k++)
			to[i * per + k] += within_sd * base_ns * draw_normal(x);
	}
	return to;
}

/* As compare.c does it, the floor of few runs contains their differences. */
static void needs_floor_update(const struct needs_case *c,
	const struct verdict_side *side, struct verdict_row *row)
{
	const double *const sides[] = { row->base, row->head };
	struct noise_floor f = { c->floor, c->floor_df, FLOOR_DEFAULT };
	for (int s = 0; s < 2 && side->units < 4; s++) {
		double logs[4];
		for (uint32_t u = 0; u < side->units; u++) {
			double sum = 0;
			for (uint32_t k = 0; k < PER_RUN; k++)
				sum += sides[s][u * PER_RUN + k];
			logs[u] = log(sum / PER_RUN);
		}
		struct successive_diff own =
			successive_diff_from(logs, side->units);
		noise_floor_update(&f, &own);
	}
	row->floor = f.sd;
	row->floor_df = f.df;
}

static bool needs_proven(const struct needs_case *c, uint32_t n, uint64_t seed)
{
	struct arena a = { 0 };
	struct err e = { 0 };
	struct xoshiro x;
	struct common_factor common;
	uint32_t block, total = c->runs ? n * PER_RUN : n;
	uint32_t *units = arena_array(&a, uint32_t, n);
	struct verdict_side side = { c->runs ? n : 1, units, total };
	struct verdict_row *rows =
		arena_array(&a, struct verdict_row, c->family);
	struct change *changes = arena_array(&a, struct change, c->family);

	xoshiro_init(&x, seed);
	for (uint32_t u = 0; u < side.units; u++)
		units[u] = c->runs ? PER_RUN : n;
	for (uint32_t i = 0; i < c->family; i++)
		rows[i] = (struct verdict_row){ .base = needs_side(c, n,
							base_ns, &x, &a),
			.head = needs_side(c, n, (i ? 1 : c->ratio) * base_ns,
				&x, &a),
			.base_min_ns = NAN,
			.base_max_ns = NAN,
			.head_min_ns = NAN,
			.head_max_ns = NAN,
			.floor = c->floor,
			.floor_df = c->floor_df };
	for (uint32_t i = 0; c->runs && i < c->family; i++)
		needs_floor_update(c, &side, &rows[i]);
	struct verdict_input in = { .base = side,
		.head = side,
		.rows = rows,
		.n = c->family,
		.base_iteration_ns = base_ns,
		.head_iteration_ns = base_ns,
		.margin = 0.05,
		.alpha = 0.05,
		.permutations = 1000,
		.seed = seed };
	if (!verdict_from(&in, &a, changes, &common, &block, &e)) {
		fprintf(stderr, "sim_needs: %s\n", e.text);
		exit(2);
	}
	enum change_class is = changes[0].is;
	arena_release(&a);
	return is == CHANGE_REGRESSED || is == CHANGE_IMPROVED;
}

static uint32_t needs_computed(const struct needs_case *c)
{
	/* The deviation is relative, so that of the head is larger. */
	double sd = c->sd * base_ns * sqrt((1 + c->ratio * c->ratio) / 2);
	const struct verdict_plan p = { .delta_ns = (c->ratio - 1) * base_ns,
		.mean_ns = (1 + c->ratio) / 2 * base_ns,
		.iteration_sd_ns = c->runs ? within_sd * base_ns : sd,
		.run_sd_ns = c->runs ? sd : NAN,
		.floor = c->floor,
		.floor_df = c->floor_df,
		.prior = c->floor,
		.prior_df = c->floor_df,
		.alpha = 0.05,
		.units = 1,
		.iterations = PER_RUN,
		.family = c->family };
	return c->runs ? verdict_needs_runs(&p) : verdict_needs_iterations(&p);
}

static bool needs_judge(const struct needs_case *c, uint32_t pairs)
{
	uint32_t n = needs_computed(c), found[2 * AROUND + 1] = { 0 };
	double half = pairs / 2.0, chance = 1.5 * sqrt(pairs);

	printf("%s: computed %u; proven in %%:", c->name, n);
	for (uint32_t i = 0; n && i <= 2 * AROUND; i++) {
		uint32_t at = n + i;
		if (at <= AROUND + 1)
			continue;
		at -= AROUND;
		for (uint32_t k = 0; k < pairs; k++)
			found[i] += needs_proven(c, at, k + 1);
		printf(" %u %.0f", at, 100.0 * found[i] / pairs);
	}
	bool ok = n && found[AROUND + 1] >= half - chance &&
		  found[AROUND - 2] <= half + chance;
	printf(": %s\n", ok ? "ok" : "NOT OK");
	fflush(stdout);
	return ok;
}

int main(int argc, char **argv)
{
	uint32_t pairs = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 100;
	bool ok = pairs > 0;

	for (size_t i = 0; pairs && i < sizeof cases / sizeof *cases; i++)
		if (argc < 3 || !strcmp(argv[2], cases[i].name))
			ok = needs_judge(&cases[i], pairs) && ok;
	return ok ? 0 : 1;
}
