/* sim_gate.c - measures which heads gates report, correctly or not, in
 * histories with a known truth.
 *
 *   sim_gate HISTORIES [KIND [SEED]]
 *
 * Each head is compared with the newest runs before it. Prints one line per
 * kind of history. */
#include "change_point.h"
#include "regression_gate.h"
#include "history.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The macros of gate_sims.def. */
#define CI(r, b) .runs = r, .base = b, .iteration = 0.03

static const struct sim {
	struct history_kind kind;
	double found_min, accused_max, points_min, false_max;
} sims[] = {
#include "gate_sims.def"
};

struct tally {
	uint32_t histories, planted, found, maybe; /* maybe: undecided */
	uint32_t innocent, accused, undecided, since, functions;
	uint32_t tried, decided; /* with as many runs as it requested */
	uint32_t intervals, covered;
	uint32_t points, near, wrong;
};

/* Selects the baseline of a head, drawn again for each head. */
static uint32_t base_of(const struct history *h, uint32_t head,
	struct compared_run *base)
{
	const struct history_kind *k = h->kind;
	uint32_t n = 0;
	for (uint32_t i = head; i-- > 0;) {
		if (k->unmerged && h->planted[i])
			continue;
		for (uint32_t r = k->runs; r-- > 0 && n < k->base;)
			base[n++] = h->runs[i * k->runs + r];
	}
	return n;
}

static const struct gate_rule *iteration_rule(const struct gate *g)
{
	for (uint32_t i = 0; i < g->rules_n; i++)
		if (g->rules[i].kind == GATE_ITERATION)
			return &g->rules[i];
	abort();
}

static void gated(const struct compared_run *base, uint32_t base_n,
	const struct compared_run *head, uint32_t head_n, struct arena *a,
	struct gate *out)
{
	struct gate_given given = { .base = base,
		.head = head,
		.base_n = base_n,
		.head_n = head_n };
	struct gate_policy p;
	struct err e = { 0 };

	regression_gate_policy_init(&p);
	if (regression_gate_from(&given, &p, a, out, &e))
		return;
	fprintf(stderr, "sim_gate: %s\n", e.text);
	exit(1);
}

/* Whether an undecided gate decides with as many runs as it requested. */
static void try_more(const struct history *h, uint64_t seed, uint32_t head,
	const struct compared_run *base, uint32_t base_n, int32_t needed,
	struct tally *t)
{
	enum { MOST = 40 };
	struct compared_run runs[MOST];
	struct arena a = { 0 };
	struct gate g;

	if (needed <= (int32_t)h->kind->runs || needed > MOST ||
		h->kind->head > 0 || h->kind->slow_heads > 0)
		return;
	for (uint32_t i = 0; i < (uint32_t)needed; i++)
		runs[i] = i < h->kind->runs
				  ? h->runs[head * h->kind->runs + i]
				  : history_more(h, seed, head, i, &a);
	gated(base, base_n, runs, (uint32_t)needed, &a, &g);
	t->tried++;
	t->decided += g.outcome != GATE_UNDECIDED;
	arena_release(&a);
}

static void head_play(const struct history *h, uint64_t seed, uint32_t head,
	struct compared_run *base, struct tally *t)
{
	const struct history_kind *k = h->kind;
	uint32_t n = base_of(h, head, base);
	struct arena a = { 0 };
	struct gate g;

	gated(base, n, &h->runs[head * k->runs], k->runs, &a, &g);
	const struct gate_rule *r = iteration_rule(&g);
	if (h->planted[head]) {
		t->planted++;
		t->found += g.outcome == GATE_REGRESSED;
		t->maybe += g.outcome == GATE_UNDECIDED;
	} else {
		t->innocent++;
		t->accused += g.outcome == GATE_REGRESSED;
		t->functions += g.outcome == GATE_REGRESSED &&
				r->outcome != GATE_REGRESSED;
		t->undecided += g.outcome == GATE_UNDECIDED;
		t->since += r->since_run != 0;
	}
	if (k->unmerged) {
		double true_pct = 100 * expm1(h->level[head]);
		t->intervals++;
		t->covered += r->low_pct <= true_pct && true_pct <= r->high_pct;
	}
	if (g.outcome == GATE_UNDECIDED)
		try_more(h, seed, head, base, n, g.runs_needed, t);
	arena_release(&a);
}

/* Counts change points. Each change matches at most one point, which is at
 * most two heads away. All other points are false. */
static void points_play(const struct history *h, struct arena *a,
	struct tally *t)
{
	const struct history_kind *k = h->kind;
	struct change_options o = CHANGE_OPTIONS;
	struct change_point *c;
	uint32_t n = HISTORY_HEADS * k->runs, found;
	double *x = arena_array(a, double, n);
	uint32_t *group = arena_array(a, uint32_t, n);

	for (uint32_t i = 0; i < n; i++) {
		const struct compared_run *r = &h->runs[i];
		group[i] = i / k->runs;
		for (uint32_t y = 0; y < r->iterations.n; y++)
			x[i] += (double)r->iterations.iterations[y].dur_ns /
				r->iterations.n;
	}
	if (!change_points_from(x, group, n, &o, a, &c, &found))
		abort();
	t->wrong += found;
	for (uint32_t i = 0, at = 0; i < HISTORY_HEADS; i++) {
		if (!h->changed[i] || k->unmerged)
			continue;
		t->points++;
		while (at < found && c[at].at / k->runs + 2 < i)
			at++;
		if (at < found && c[at].at / k->runs <= i + 2) {
			t->near++;
			t->wrong--;
			at++;
		}
	}
}

static void history_play(const struct sim *s, uint64_t seed, struct tally *t)
{
	struct arena a = { 0 };
	struct history h;

	history_from(&s->kind, seed, &a, &h);
	struct compared_run *base =
		arena_array(&a, struct compared_run, s->kind.base);
	t->histories++;
	for (uint32_t i = HISTORY_FIRST; i < HISTORY_HEADS; i++)
		head_play(&h, seed, i, base, t);
	points_play(&h, &a, t);
	arena_release(&a);
}

/* With few histories, chance may exceed the bound. */
static bool at_most(double n, double share, double of)
{
	double most = share * of;
	return n <= most + (of < 2000 ? 3 * sqrt(most) : 0);
}

static double pct(uint32_t n, uint32_t of)
{
	return of ? 100.0 * n / of : 0;
}

static bool judge(const struct sim *s, const struct tally *t)
{
	bool ok =
		at_most(t->planted - t->found, 1 - s->found_min, t->planted) &&
		at_most(t->accused, s->accused_max, t->innocent) &&
		at_most(t->points - t->near, 1 - s->points_min, t->points) &&
		at_most(t->wrong, s->false_max, t->histories) &&
		at_most(t->tried - t->decided, 0.35, t->tried) &&
		at_most(t->intervals - t->covered, 0.065, t->intervals);
	printf("%s: of %u histories %.1f %% of the slower heads are found "
	       "(%.1f "
	       "%% undecided), %.2f %% of the others accused (%u, %u by a "
	       "function alone; %.1f %% undecided, %.1f %% since before); "
	       "%.1f %% of %u changes are points within two heads, %u points "
	       "are false; %.0f %% of %u are decided with the requested number "
	       "of runs; %.1f %% of %u intervals hold the truth: %s\n",
		s->kind.name, t->histories, pct(t->found, t->planted),
		pct(t->maybe, t->planted), pct(t->accused, t->innocent),
		t->accused, t->functions, pct(t->undecided, t->innocent),
		pct(t->since, t->innocent), pct(t->near, t->points), t->points,
		t->wrong, pct(t->decided, t->tried), t->tried,
		pct(t->covered, t->intervals), t->intervals,
		ok ? "ok" : "NOT OK");
	fflush(stdout);
	return ok;
}

int main(int argc, char **argv)
{
	uint32_t n = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 1;
	uint64_t seed = argc > 3 ? strtoul(argv[3], NULL, 10) : 1;
	bool ok = n > 0;

	for (size_t i = 0; i < sizeof sims / sizeof *sims; i++) {
		struct tally t = { 0 };
		if (argc > 2 && *argv[2] && strcmp(sims[i].kind.name, argv[2]))
			continue;
		for (uint32_t k = 0; k < n; k++)
			history_play(&sims[i], seed + k, &t);
		ok = judge(&sims[i], &t) && ok;
	}
	return ok ? 0 : 1;
}
