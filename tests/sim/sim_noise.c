/* sim_noise.c - measures how often the 95 % interval of a learned noise floor
 * misses the difference between two runs that do the same.
 *
 *   sim_noise PROJECTS
 *
 * Each case draws projects: deviations of functions, then stored runs of one
 * workload or of several. The noise of a function is its own, or common to all
 * functions of a run. Two more runs differ by the same noise. Prints for
 * functions with repeats and for a new one how often their difference exceeds the
 * interval, and the mean half width relative to the true one. */
#include "dist.h"
#include "draw.h"
#include "noise_floor.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const struct noise_case {
	const char *name;
	uint32_t functions, workloads, runs; /* runs of each workload */
	uint32_t prior_df; /* of the functions' variances; 0: all are equal */
	double common; /* part of the variance that all functions share */
	double missed_max; /* share of projects */
} cases[] = {
#include "noise_sims.def"
};

static double noise_sd(const struct noise_case *c, struct xoshiro *x)
{
	double sum = 0;
	for (uint32_t k = 0; k < c->prior_df; k++) {
		double z = draw_normal(x);
		sum += z * z;
	}
	return 0.01 * (c->prior_df ? sqrt(c->prior_df / sum) : 1);
}

/* Fills the means of a run; sd[functions]. */
static void noise_run(const struct noise_case *c, const double *sd,
	struct xoshiro *x, struct repeat_run *run, struct arena *a)
{
	double common = draw_normal(x);
	run->means = arena_array(a, struct repeat_mean, c->functions);
	run->means_n = c->functions;
	for (uint32_t i = 0; i < c->functions; i++)
		run->means[i] =
			(struct repeat_mean){ arena_printf(a, "%06u", i),
				exp(sd[i] * (sqrt(c->common) * common +
						    sqrt(1 - c->common) *
							    draw_normal(x))) };
}

struct noise_tally {
	double missed, width;
};

static void noise_tell(struct noise_tally *t, const struct noise_floor *f,
	double difference, double sd)
{
	double half = dist_t_quantile(0.975, fmax(1, f->df)) * f->sd * M_SQRT2;
	t->missed += fabs(difference) > half;
	t->width += half / (1.96 * sd * M_SQRT2);
}

static void noise_project(const struct noise_case *c, uint64_t seed,
	struct noise_tally *own, struct noise_tally *fresh)
{
	struct arena a = { 0 };
	struct xoshiro x;
	double *sd = arena_array(&a, double, c->functions);
	struct repeats r = { .runs = arena_array(&a, struct repeat_run,
				     (size_t)c->workloads * c->runs) };
	struct repeat_run two[2] = { { 0 } };

	xoshiro_init(&x, seed);
	for (uint32_t w = 0; w < c->workloads; w++) {
		for (uint32_t i = 0; i < c->functions; i++)
			sd[i] = noise_sd(c, &x);
		for (uint32_t k = 0; k < c->runs; k++) {
			struct repeat_run *run = &r.runs[r.n++];
			*run = (struct repeat_run){ .run = r.n,
				.group = w,
				.cluster = w,
				.other = w + 1 < c->workloads };
			noise_run(c, sd, &x, run, &a);
		}
	}
	const struct noise_prior prior = noise_floor_prior(&r, &a);
	r.prior = &prior;
	noise_run(c, sd, &x, &two[0], &a);
	noise_run(c, sd, &x, &two[1], &a);
	struct noise_floor f =
		noise_floor_learned(&r, two[0].means[0].name, -1);
	noise_tell(own, &f,
		log(two[0].means[0].mean_ns / two[1].means[0].mean_ns), sd[0]);
	double new_sd = noise_sd(c, &x);
	f = noise_floor_learned(&r, "new", -1);
	noise_tell(fresh, &f, new_sd * (draw_normal(&x) - draw_normal(&x)),
		new_sd);
	arena_release(&a);
}

int main(int argc, char **argv)
{
	uint32_t projects =
		argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 1000;
	bool ok = projects > 0;

	for (size_t i = 0; projects && i < sizeof cases / sizeof *cases; i++) {
		const struct noise_case *c = &cases[i];
		struct noise_tally own = { 0 }, fresh = { 0 };
		double n = projects;
		double most = c->missed_max * n + 3 * sqrt(c->missed_max * n);
		for (uint32_t k = 0; k < projects; k++)
			noise_project(c, k + 1, &own, &fresh);
		bool fits = own.missed <= most && fresh.missed <= most;
		printf("%s: missed %.1f %%, half width %.2f; new function %.1f "
		       "%%, %.2f: %s\n",
			c->name, 100 * own.missed / n, own.width / n,
			100 * fresh.missed / n, fresh.width / n,
			fits ? "ok" : "NOT OK");
		fflush(stdout);
		ok = ok && fits;
	}
	return ok ? 0 : 1;
}
