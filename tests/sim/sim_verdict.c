/* sim_verdict.c - measures how often the verdict is right, for pairs of sides
 * with a known truth.
 *
 *   sim_verdict PAIRS [PERMUTATIONS [CASE]]
 *
 * Prints one line per case: how often each outcome occurred, and the required
 * rate. */
#include "world.h"
#include "noise_floor.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The macros of sims.def. */
#define PROCESSES(u, c) .units = u, .iterations = c, .rows = 300, .noise = 0.03
#define FLOOR_UNKNOWN \
	.floor = NOISE_FLOOR_DEFAULT_SD, .floor_df = NOISE_FLOOR_DEFAULT_DF
/* As learned from the repeats of eight runs a side that differ by 0.5 %. */
#define FLOOR_KNOWN .floor = 0.005, .floor_df = 14
#define FLOOR_NONE .floor = 0, .floor_df = INFINITY
#define ODD .memory = 0.5, .warm_up = 0.3, .step = 0.05

static const struct sim {
	struct world world;
	/* Limits as shares of the pairs: `accused_max` for an unchanged row
	 * reported as changed, `found_min` for the changed row reported, and
	 * `common_min` and `common_max` for one common line. */
	double accused_max, found_min, common_min, common_max;
	enum change_class found_as;
	double top_min; /* the changed row comes first */
} sims[] = {
#include "sims.def"
};

struct tally {
	uint32_t pairs, accused, found, likely, within, top, common,
		likely_pairs, within_pairs, covered;
};

static bool accusation(enum change_class c)
{
	return c == CHANGE_REGRESSED || c == CHANGE_IMPROVED ||
	       c == CHANGE_APPEARED || c == CHANGE_VANISHED;
}

/* A change within the margin whose estimate is larger may be reported as one
 * beyond it. */
static bool sim_found(const struct sim *s, enum change_class is)
{
	return is == s->found_as ||
	       (s->found_as == CHANGE_WITHIN_MARGIN && accusation(is));
}

static bool play(const struct sim *s, uint64_t seed, uint32_t permutations,
	struct tally *t)
{
	struct arena a = { 0 };
	struct err e = { 0 };
	struct world_pair p = world_pair(&s->world, seed, &a);
	struct change *c = arena_array(&a, struct change, p.in.n);
	struct common_factor common;
	uint32_t block;
	bool accused = false, suspected = false, within = false, top = true;

	p.in.permutations = permutations;
	if (!verdict_from(&p.in, &a, c, &common, &block, &e)) {
		fprintf(stderr, "sim_verdict: %s\n", e.text);
		return false;
	}
	bool changed = s->world.slower != 0 || s->world.stall != 0;
	uint32_t row = s->world.stall != 0 ? 0 : p.changed;
	for (uint32_t i = 0; i < p.in.n; i++) {
		bool mine = changed && i == row;
		accused = accused || (!mine && accusation(c[i].is));
		suspected = suspected || (!mine && c[i].is == CHANGE_LIKELY);
		within = within || (!mine && c[i].is == CHANGE_WITHIN_MARGIN);
		top = top && (c[i].is > c[row].is ||
				     (c[i].is == c[row].is &&
					     fabs(c[i].delta_ns) <=
						     fabs(c[row].delta_ns)));
	}
	t->pairs++;
	t->accused += accused;
	t->likely_pairs += suspected;
	t->within_pairs += within;
	t->found += changed && sim_found(s, c[row].is);
	t->likely += changed && c[row].is == CHANGE_LIKELY;
	t->within += changed && c[row].is == CHANGE_WITHIN_MARGIN;
	t->top += changed && top;
	t->common += common.there;
	t->covered += changed && c[row].low_ns <= p.delta_ns &&
		      c[row].high_ns >= p.delta_ns;
	arena_release(&a);
	return true;
}

/* The limit for n pairs. If there are few, chance may exceed the share, so the
 * limit is higher. A share of zero is always exact. */
static double most(double share, double n)
{
	return share * n + (n < 1000 ? 3 * sqrt(share * n) : 0);
}

static bool judge(const struct sim *s, const struct tally *t)
{
	double n = t->pairs;
	bool ok = t->accused <= most(s->accused_max, n) &&
		  n - t->found <= most(1 - s->found_min, n) &&
		  n - t->top <= most(1 - s->top_min, n) &&
		  n - t->common <= most(1 - s->common_min, n) &&
		  t->common <= most(s->common_max, n);
	printf("%s: of %u pairs %u accuse a row that did not change, %u call "
	       "one likely, %u within the margin; %u find the one that did (%u "
	       "on top, %u likely, %u within the margin, %u intervals hold the "
	       "truth); %u have a common factor: %s\n",
		s->world.name, t->pairs, t->accused, t->likely_pairs,
		t->within_pairs, t->found, t->top, t->likely, t->within,
		t->covered, t->common, ok ? "ok" : "NOT OK");
	fflush(stdout);
	return ok;
}

int main(int argc, char **argv)
{
	uint32_t pairs = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 100;
	uint32_t permutations =
		argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 500;
	bool ok = pairs > 0 && permutations > 0, ran = ok;

	for (size_t i = 0; i < sizeof sims / sizeof *sims; i++) {
		struct tally t = { 0 };
		if (argc > 3 && strcmp(sims[i].world.name, argv[3]))
			continue;
		for (uint32_t k = 0; ran && k < pairs; k++)
			ran = play(&sims[i], k + 1, permutations, &t);
		ok = ran && judge(&sims[i], &t) && ok;
	}
	return ok ? 0 : 1;
}
