/* sim_energy.c - counts how often the interval of an operator's power contains the
 * power that was drawn.
 *
 *   sim_energy RUNS [KIND [SEED]]
 *
 * A run is a sequence of steps in which operators follow each other. Its energy is
 * known in windows, as between two samples of a counter. Prints one line per kind
 * of run. */
#include "draw.h"
#include "iteration_parts.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Cause 0 is idle power. */
enum { OPERATORS_MAX = 12, CAUSES_MAX = OPERATORS_MAX + 1 };

/* What is drawn. */
struct energy_kind {
	const char *name;
	uint32_t windows, operators;
	double window_s, step_s;
	double idle; /* share of the step */
	double step_noise; /* of the time of each operator in a step */
	double launch_noise; /* of its power in each execution */
	double drift; /* of the power, over minutes */
	double late_s; /* the energy is read up to this much too late */
	double behind_s; /* all of it is read this much too late in addition */
	bool paired; /* operators 1 and 2 alternate in a fixed ratio */
};

#define RUN(n, o, w, s, none)                                             \
	.windows = (n), .operators = (o), .window_s = (w), .step_s = (s), \
	.idle = (none), .step_noise = 0.1, .launch_noise = 0.03,          \
	.late_s = 0.1 * (w)

static const struct energy_sim {
	struct energy_kind kind;
	/* Minimum share of intervals that contain the truth, and of operators
	 * with an interval; their maximum share. */
	double covered_min, known_min, known_max;
} energy_sims[] = {
#include "energy_sims.def"
};

struct energy_tally {
	uint32_t runs, operators, known, covered;
	double width; /* sum of width / power */
};

/* A run that is being drawn. */
struct energy_run {
	const struct energy_kind *kind;
	struct xoshiro x;
	double at_s;
	double watts[CAUSES_MAX];
	double energy_j[CAUSES_MAX], busy_s[CAUSES_MAX]; /* what was drawn */
	double *late_s; /* by window: of its first sample */
	double *window_j;
	int64_t *start_ns, *dur_ns;
	uint8_t *cause;
	uint32_t n, max;
};

/* Adds the energy of some time to the windows, `late_s` after it was used. */
static void energy_use_add(struct energy_run *r, double from_s, double to_s,
	double watts)
{
	double length = r->kind->window_s;
	uint32_t i = from_s > length ? (uint32_t)(from_s / length) - 1 : 0;

	for (; i < r->kind->windows; i++) {
		double begin = i * length + r->late_s[i];
		double end = (i + 1) * length + r->late_s[i + 1];
		if (begin >= to_s)
			return;
		double s = fmin(end, to_s) - fmax(begin, from_s);
		r->window_j[i] += s > 0 ? watts * s : 0;
	}
}

static void energy_launch_add(struct energy_run *r, uint32_t cause, double s)
{
	if (r->n == r->max)
		abort();
	r->start_ns[r->n] = llround(r->at_s * 1e9);
	r->dur_ns[r->n] = llround(s * 1e9);
	r->cause[r->n++] = (uint8_t)cause;
}

/* Draws one execution; cause 0 is a pause. */
static void energy_run_add(struct energy_run *r, uint32_t cause, double s)
{
	const struct energy_kind *k = r->kind;
	double drift = 1 + k->drift * sin(r->at_s / 20);
	double watts = r->watts[0];
	double to_s = r->at_s + s;

	if (cause) {
		double own = r->watts[cause] *
			     (1 + k->launch_noise * draw_normal(&r->x));
		r->energy_j[cause] += own * drift * s;
		r->busy_s[cause] += s;
		watts += own;
		energy_launch_add(r, cause, s);
	}
	energy_use_add(r, r->at_s, to_s, watts * drift);
	r->at_s = to_s;
}

static void energy_step(struct energy_run *r)
{
	const struct energy_kind *k = r->kind;
	double busy = k->step_s * (1 - k->idle) / k->operators;
	double noise[CAUSES_MAX];

	for (uint32_t i = 0; i <= k->operators; i++)
		noise[i] = exp(k->step_noise * draw_normal(&r->x));
	for (uint32_t i = 1; i <= k->operators; i++) {
		bool pair = k->paired && i == 1;
		int turns = pair ? 100 : 1;
		for (int t = 0; t < turns; t++) {
			energy_run_add(r, i, busy * noise[i] / turns);
			if (pair)
				energy_run_add(r, 2, busy * noise[1] / turns);
		}
		i += pair;
	}
	energy_run_add(r, 0, k->step_s * k->idle * noise[0]);
}

static void energy_run_draw(struct energy_run *r, struct arena *a)
{
	const struct energy_kind *k = r->kind;
	double all_s = (k->windows + 1) * k->window_s;

	r->max = (uint32_t)(3 * all_s / k->step_s + 10) * 220;
	r->window_j = arena_array(a, double, k->windows);
	r->late_s = arena_array(a, double, k->windows + 1);
	r->start_ns = arena_array(a, int64_t, r->max);
	r->dur_ns = arena_array(a, int64_t, r->max);
	r->cause = arena_array(a, uint8_t, r->max);
	r->watts[0] = 60 + 60 * draw_uniform(&r->x);
	for (uint32_t i = 1; i <= k->operators; i++)
		r->watts[i] = 50 + 500 * draw_uniform(&r->x);
	for (uint32_t i = 0; i <= k->windows; i++)
		r->late_s[i] = -k->behind_s - k->late_s * draw_uniform(&r->x);
	while (r->at_s < all_s)
		energy_step(r);
}

static void energy_run_fit(struct energy_run *r, struct arena *a,
	struct energy_share *out)
{
	const struct energy_kind *k = r->kind;
	int64_t *from_ns = arena_array(a, int64_t, k->windows);
	int64_t *to_ns = arena_array(a, int64_t, k->windows);

	for (uint32_t i = 0; i < k->windows; i++) {
		from_ns[i] = llround(i * k->window_s * 1e9);
		to_ns[i] = llround((i + 1) * k->window_s * 1e9);
	}
	struct energy_windows w = { from_ns, to_ns, r->window_j, k->windows,
		k->operators + 1,
		{ { r->start_ns, r->dur_ns, r->cause, r->n } },
		llround(k->window_s * 1e9) };
	if (!energy_fit(&w, a, out))
		abort();
}

static void energy_play(const struct energy_kind *k, uint64_t seed,
	struct energy_tally *t)
{
	struct energy_run r = { .kind = k };
	struct energy_share is[CAUSES_MAX];
	struct arena a = { 0 };

	xoshiro_init(&r.x, seed);
	energy_run_draw(&r, &a);
	energy_run_fit(&r, &a, is);
	for (uint32_t i = 1; i <= k->operators; i++) {
		double truth = r.energy_j[i] / r.busy_s[i];
		t->operators++;
		if (is[i].state != ENERGY_SHARE_KNOWN)
			continue;
		t->known++;
		t->covered += is[i].low_w <= truth && truth <= is[i].high_w;
		t->width += (is[i].high_w - is[i].low_w) / is[i].watts;
	}
	t->runs++;
	arena_release(&a);
}

/* Limits are wider by three standard deviations. */
static bool energy_judge(const struct energy_sim *s,
	const struct energy_tally *t)
{
	double missed = t->known - t->covered;
	double allowed = (1 - s->covered_min) * t->known;
	double known = (double)t->known / t->operators;
	double around = 1.5 / sqrt(t->operators);
	bool ok = missed <= allowed + 3 * sqrt(allowed) &&
		  known >= s->known_min - around &&
		  known <= s->known_max + around;

	printf("%s: %u runs: %.1f %% of the operators have an interval, "
	       "with a mean width of %.1f %%; %.1f %% of the intervals hold "
	       "the truth: %s\n",
		s->kind.name, t->runs, 100 * known,
		t->known ? 100 * t->width / t->known : 0.0,
		t->known ? 100.0 * t->covered / t->known : 100.0,
		ok ? "ok" : "NOT OK");
	fflush(stdout);
	return ok;
}

int main(int argc, char **argv)
{
	uint32_t n = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 10;
	uint64_t seed = argc > 3 ? strtoul(argv[3], NULL, 10) : 1;
	bool ok = n > 0;

	for (size_t i = 0; i < sizeof energy_sims / sizeof *energy_sims; i++) {
		struct energy_tally t = { 0 };
		if (argc > 2 && *argv[2] &&
			strcmp(energy_sims[i].kind.name, argv[2]))
			continue;
		for (uint32_t k = 0; k < n; k++)
			energy_play(&energy_sims[i].kind, seed + k, &t);
		ok = energy_judge(&energy_sims[i], &t) && ok;
	}
	return ok ? 0 : 1;
}
