/* sim_trend.c - measures how many change points are found in series with known
 * levels, correctly or not.
 *
 *   sim_trend SERIES [KIND [SEED]]
 *
 * Prints one line per kind of series. */
#include "change_point.h"
#include "draw.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum shape {
	SAME, /* one level */
	STEP, /* another level from the middle on */
	STAY, /* another level in the middle third */
	VISIT, /* another level in ten units in the middle */
};

/* What is drawn. */
struct kind {
	const char *name;
	uint32_t units, runs; /* runs per unit */
	double noise; /* relative deviation of a run */
	double memory; /* AR(1) coefficient between successive runs */
	enum shape shape;
	double change; /* relative */
	double white; /* independent noise, added; relative to `noise` */
	bool outliers; /* t(3), and 3 % outliers of 8 to 30 % */
};

/* The macro of trend_sims.def. */
#define UNITS(n, r, s) .units = n, .runs = r, .noise = s

static const struct sim {
	struct kind kind;
	/* False change points per 1,000 units, share of changes found, share of
	 * the intervals of found changes that contain the true ratio. */
	double false_max, found_min, covered_min;
} sims[] = {
#include "trend_sims.def"
};

struct tally {
	uint32_t series, planted, found, wrong, covered, series_wrong;
};

/* t(3) with a deviation of 1. */
static double student(struct xoshiro *x)
{
	double a = draw_normal(x), b = draw_normal(x), c = draw_normal(x);
	return draw_normal(x) / sqrt(a * a + b * b + c * c);
}

/* The units of the true changes; at most two. */
static uint32_t changes_of(const struct kind *k, uint32_t *at)
{
	uint32_t n = k->units;
	switch (k->shape) {
	case STEP:
		at[0] = n / 2;
		return 1;
	case STAY:
		at[0] = n / 3;
		at[1] = 2 * n / 3;
		return 2;
	case VISIT:
		at[0] = n / 2 - 5;
		at[1] = n / 2 + 5;
		return 2;
	case SAME:
		break;
	}
	return 0;
}

static void series_draw(const struct kind *k, struct xoshiro *r, double *x,
	uint32_t *group)
{
	uint32_t at[2], changes = changes_of(k, at);
	double e = draw_normal(r), fresh = sqrt(1 - k->memory * k->memory);

	for (uint32_t i = 0; i < k->units * k->runs; i++) {
		uint32_t unit = i / k->runs;
		bool up = changes && unit >= at[0] &&
			  (changes == 1 || unit < at[1]);
		group[i] = unit;
		e = k->memory * e +
		    fresh * (k->outliers ? student(r) : draw_normal(r));
		x[i] = (up ? 1 + k->change : 1) *
		       exp(k->noise *
			       (e + (k->white > 0 ? k->white * draw_normal(r)
						  : 0)));
		if (k->outliers && draw_uniform(r) < 0.03)
			x[i] *= 1.08 + 0.22 * draw_uniform(r);
	}
}

/* A change matches at most one point, of the same direction and at most a
 * twentieth of the series (at least two units) away. Other points are false. */
static void series_count(const struct kind *k, const struct change_point *c,
	uint32_t n, struct tally *t)
{
	uint32_t at[2], changes = changes_of(k, at);
	uint32_t reach = k->units / 20 > 2 ? k->units / 20 : 2, wrong = n;

	for (uint32_t i = 0, p = 0; i < changes; i++) {
		double ratio = i ? 1 / (1 + k->change) : 1 + k->change;
		while (p < n && c[p].at / k->runs + reach < at[i])
			p++;
		if (p == n || c[p].at / k->runs > at[i] + reach ||
			(c[p].ratio > 1) != (ratio > 1))
			continue;
		t->found++;
		t->covered += c[p].low <= ratio && ratio <= c[p].high;
		wrong--;
		p++;
	}
	t->series++;
	t->planted += changes;
	t->wrong += wrong;
	t->series_wrong += wrong > 0;
}

static void series_play(const struct kind *k, uint64_t seed, struct tally *t)
{
	struct change_options o = CHANGE_OPTIONS;
	struct arena a = { 0 };
	uint32_t n = k->units * k->runs, found;
	double *x = arena_array(&a, double, n);
	uint32_t *group = arena_array(&a, uint32_t, n);
	struct change_point *c;
	struct xoshiro r;

	xoshiro_init(&r, seed);
	series_draw(k, &r, x, group);
	if (!change_points_from(x, k->runs > 1 ? group : NULL, n, &o, &a, &c,
		    &found))
		abort();
	series_count(k, c, found, t);
	arena_release(&a);
}

static double pct(uint32_t n, uint32_t of)
{
	return of ? 100.0 * n / of : 0;
}

/* The limit for few series is wider by three standard deviations. */
static bool at_most(double n, double share, double of)
{
	double most = share * of;
	return n <= most + 3 * sqrt(most);
}

static bool judge(const struct sim *s, const struct tally *t)
{
	const struct kind *k = &s->kind;
	bool ok =
		at_most(t->wrong, s->false_max / 1000,
			(double)t->series * k->units) &&
		at_most(t->planted - t->found, 1 - s->found_min, t->planted) &&
		at_most(t->found - t->covered, 1 - s->covered_min, t->found);
	printf("%s: %u series of %u units: %.2f false points per 1,000 units "
	       "(in %.1f %% of the series); %.1f %% of %u changes found; %.1f "
	       "%% of their intervals hold the truth: %s\n",
		k->name, t->series, k->units,
		1000.0 * t->wrong / ((double)t->series * k->units),
		pct(t->series_wrong, t->series), pct(t->found, t->planted),
		t->planted, pct(t->covered, t->found), ok ? "ok" : "NOT OK");
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
			series_play(&sims[i].kind, seed + k, &t);
		ok = judge(&sims[i], &t) && ok;
	}
	return ok ? 0 : 1;
}
