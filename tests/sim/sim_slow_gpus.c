/* sim_slow_gpus.c - counts how often a slow GPU of a fleet is found, and how
 * often a good one is accused.
 *
 *   sim_slow_gpus FLEETS [KIND [SEED]]
 *
 * Each fleet is drawn twice with the same noise: with its slow GPUs and without.
 * Prints one line per kind of fleet. */
#include "draw.h"
#include "slow_gpu.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is drawn. */
struct kind {
	const char *name;
	uint32_t gpus, runs; /* runs per GPU */
	uint32_t operators, of_gpu; /* how many each GPU executes */
	uint32_t launches; /* of each operator in a run */
	double launch_noise, run_noise, gpu_noise; /* relative */
	double slowdown; /* of the slow GPUs */
	uint32_t slow; /* the first GPUs are slow */
	bool tails; /* run noise is t(3), and 5 % of the runs take 10 to 50 %
		       longer */
	/* The GPUs of a run: groups of so many GPUs execute all runs together,
	 * and half of the variance of a run is that of the group.
	 * 0: each run has one GPU. */
	uint32_t together;
	bool clock; /* the slowdown is a lower clock, held by power in 70 % of
		       the time */
};

#define FLEET(g, r, o, of)                                          \
	.gpus = (g), .runs = (r), .operators = (o), .of_gpu = (of), \
	.launches = 20, .launch_noise = 0.02, .run_noise = 0.005

static const struct sim {
	struct kind kind;
	/* Minimum share of slow GPUs found, maximum share of fleets that accuse
	 * a good GPU, minimum share of intervals with the true slowdown. */
	double found_min, accuse_max, covered_min;
} sims[] = {
#include "slow_gpu_sims.def"
};

struct tally {
	uint32_t fleets, planted, found, accusing, null_accusing;
	uint32_t judged, covered, split_ok;
	double slowdown; /* sum over the slow GPUs */
};

/* t(3) with a deviation of 1. */
static double student(struct xoshiro *x)
{
	double a = draw_normal(x), b = draw_normal(x), c = draw_normal(x);
	return draw_normal(x) / sqrt(a * a + b * b + c * c);
}

/* The noise of all runs of a group of GPUs; 0 if a run has one GPU. */
static void fleet_draw_groups(const struct kind *k, struct xoshiro *x,
	double *noise)
{
	for (uint32_t i = 0; i < k->gpus * k->runs; i++)
		noise[i] = k->together ? k->run_noise * draw_normal(x) : 0;
}

/* Draws the fleet into `g`, whose arrays have room. Writes the true effect
 * of each GPU to `truth`. */
static void fleet_draw(const struct kind *k, struct xoshiro *x, bool planted,
	struct slow_gpu_given *g, struct slow_gpu_sample *samples,
	struct slow_gpu_run *runs, double *truth, double *group)
{
	uint32_t n = 0;

	fleet_draw_groups(k, x, group);
	for (uint32_t u = 0; u < k->gpus; u++) {
		double slow = planted && u < k->slow ? log1p(k->slowdown) : 0;
		truth[u] = k->gpu_noise * draw_normal(x) + slow;
		for (uint32_t r = 0; r < k->runs; r++) {
			uint32_t run = u * k->runs + r;
			double noise = k->run_noise *
				       (k->tails ? student(x) : draw_normal(x));
			double odd = draw_uniform(x), by = draw_uniform(x);
			if (k->tails && odd < 0.05)
				noise += log1p(0.1 + 0.4 * by);
			if (k->together)
				noise = M_SQRT1_2 *
					(noise + group[u / k->together *
								 k->runs +
							 r]);
			runs[run] = (struct slow_gpu_run){ .gpu = u,
				.sm_clock_mhz =
					k->clock
						? 1980 * exp(-slow +
								 0.002 * draw_normal(
										 x))
						: (double)NAN,
				.throttled_pct = k->clock ? slow > 0 ? 70 : 0
							  : (double)NAN };
			for (uint32_t o = 0; o < k->of_gpu; o++) {
				uint32_t cell = (u + o) % k->operators;
				samples[n++] = (struct slow_gpu_sample){ run,
					cell,
					10 + cell + truth[u] + noise +
						k->launch_noise /
							sqrt(k->launches) *
							draw_normal(x) };
			}
		}
	}
	*g = (struct slow_gpu_given){ samples, runs, n, k->gpus * k->runs,
		k->gpus, k->operators };
}

static void fleet_count(const struct kind *k, const struct slow_gpu *rows,
	const double *truth, bool planted, struct tally *t)
{
	bool accuses = false;

	for (uint32_t u = 0; u < k->gpus; u++) {
		const struct slow_gpu *row = &rows[u];
		bool slow = planted && u < k->slow;
		if (slow) {
			t->planted++;
			t->found += row->verdict == SLOW_GPU_SLOW;
			t->slowdown += row->slowdown;
			t->split_ok += fabs(row->by_power - 0.7 * k->slowdown) <
					       0.005 &&
				       fabs(row->by_clock - 0.3 * k->slowdown) <
					       0.005 &&
				       row->by_neither < 0.005;
		} else {
			accuses |= row->verdict == SLOW_GPU_SLOW;
		}
		if (row->reason == SLOW_GPU_JUDGED) {
			t->judged++;
			t->covered += log1p(row->low) <= truth[u] &&
				      truth[u] <= log1p(row->high);
		}
	}
	if (planted)
		t->accusing += accuses;
	else
		t->null_accusing += accuses;
}

static void fleet_play(const struct kind *k, uint64_t seed, struct tally *t)
{
	for (int planted = 0; planted < 2; planted++) {
		struct arena a = { 0 };
		struct slow_gpu_given g;
		struct xoshiro x;
		uint32_t runs = k->gpus * k->runs;
		struct slow_gpu *rows =
			arena_array(&a, struct slow_gpu, k->gpus);
		double *truth = arena_array(&a, double, k->gpus);

		xoshiro_init(&x, seed);
		fleet_draw(k, &x, planted, &g,
			arena_array(&a, struct slow_gpu_sample,
				(size_t)runs * k->of_gpu),
			arena_array(&a, struct slow_gpu_run, runs), truth,
			arena_array(&a, double, runs));
		slow_gpus_from(&g, &a, rows, NULL);
		fleet_count(k, rows, truth, planted, t);
		arena_release(&a);
	}
	t->fleets++;
}

static double pct(uint32_t n, uint32_t of)
{
	return of ? 100.0 * n / of : 0;
}

/* The limit is wider by three standard deviations, because it is that of many more
 * fleets; `exact`: it is not. */
static bool at_most(double n, double share, double of, bool exact)
{
	double most = share * of;
	return n <= most + (exact ? 1e-9 : 3 * sqrt(most));
}

static bool judge(const struct sim *s, const struct tally *t)
{
	const struct kind *k = &s->kind;
	/* 100 fleets of the first kind are what kernsift promises. */
	bool exact = s == sims && t->fleets >= 100;
	bool ok = at_most(t->planted - t->found, 1 - s->found_min, t->planted,
			  exact) &&
		  at_most(t->accusing, s->accuse_max, t->fleets, exact) &&
		  at_most(t->null_accusing, s->accuse_max, t->fleets, exact) &&
		  at_most(t->judged - t->covered, 1 - s->covered_min, t->judged,
			  false) &&
		  (!k->clock || t->split_ok >= 0.9 * t->planted);
	printf("%s: %u fleets: %u of %u slow GPUs found (mean slowdown %.2f "
	       "%%); a good GPU accused in %u fleets with slow GPUs, in %u "
	       "without; %.1f %% of the intervals hold the truth",
		k->name, t->fleets, t->found, t->planted,
		t->planted ? 100 * t->slowdown / t->planted : 0.0, t->accusing,
		t->null_accusing, pct(t->covered, t->judged));
	if (k->clock)
		printf("; %.1f %% split correctly",
			pct(t->split_ok, t->planted));
	printf(": %s\n", ok ? "ok" : "NOT OK");
	fflush(stdout);
	return ok;
}

int main(int argc, char **argv)
{
	uint32_t n = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 10;
	uint64_t seed = argc > 3 ? strtoul(argv[3], NULL, 10) : 1;
	bool ok = n > 0;

	for (size_t i = 0; i < sizeof sims / sizeof *sims; i++) {
		struct tally t = { 0 };
		if (argc > 2 && *argv[2] && strcmp(sims[i].kind.name, argv[2]))
			continue;
		for (uint32_t k = 0; k < n; k++)
			fleet_play(&sims[i].kind, seed + k, &t);
		ok = judge(&sims[i], &t) && ok;
	}
	return ok ? 0 : 1;
}
