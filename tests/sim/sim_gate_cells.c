/* sim_gate_cells.c - measures how often gates are wrong, per kind of noise,
 * number of runs per head and size of the baseline.
 *
 *   sim_gate_cells [--full] [--null N] [--power N] [--noise NAME] [--cell R/B]
 *                  [--seed N] [--history N]
 *   sim_gate_cells --creep SERIES [--seed N] [--history N]
 *
 * A cell is a noise, the runs per head and the runs of the base. The runs of one
 * commit are neighbors in time; the head is the newest commit. Three other
 * methods judge the same numbers: the pooled t test, the Mann-Whitney test, and
 * the rule of rustc-perf (a head is worse than the commit before it by more than
 * Q3 + 3 IQR of the changes between neighboring commits of the base). They fail
 * only if the change is at least the gate's limit, too.
 *
 * The gate is the first of its commit, so it has 0.8 of alpha. It also has its
 * rule against an anchor. --history is the number of runs before the head that are
 * stored, the base among them (default 200).
 *
 * Prints one line per cell; --cell 5/20 restricts them to those with 5 runs per head
 * and a base of 20.
 *
 * --creep draws series whose level rises by 1 % every five commits, eighteen
 * times. Each commit of three runs has a gate with the newest 20 runs before it
 * as its base. Prints per noise in how many series a gate fails before the level
 * is 6 % above the first. */
#include "blank_run.h"
#include "dist.h"
#include "draw.h"
#include "noise_floor.h"
#include "order_stat.h"
#include "regression_gate.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FUNCTIONS = 2, ITERATIONS = 6, BASE_MAX = 60, HEAD_MAX = 5 };
enum { RUNS_MAX = 1000 };
enum { REPEATS = 64 }; /* as compare_sides.c reads */
/* A series that creeps. */
enum { CREEP_HEAD = 3, CREEP_BASE = 20, CREEP_COMMITS = 5, CREEP_STEPS = 18 };
#define CREEP_STEP 0.01
#define CREEP_MOST 0.06
#define ITERATION_NS 10e6
/* Between the iterations of a run. It adds less than 0.1 % to a run's mean. */
#define ITERATION_NOISE 0.002
/* Of the t distribution of long tails. */
#define LONG_TAILS_DF 3
#define OUTLIER_MIN 0.08
#define OUTLIER_MAX 0.3
/* For the intervals of rates. */
#define Z_999 3.29
#define Z_95 1.96

static const struct noise {
	const char *name;
	double run, commit, ar, outliers, slow_runs, slow;
	bool long_tails;
} noises[] = {
#include "gate_cells.def"
};
static const uint32_t head_runs[] = { 1, 3, 5 }, base_runs[] = { 20, 60 };
static const double rises[] = { 0, 0.03, 0.05, 0.10 };
enum { RISES = sizeof rises / sizeof *rises };
enum method { GATE, POOLED_T, RANK_SUM, IQR, METHODS };

struct cell {
	const struct noise *noise;
	uint32_t head_n, base_n;
	uint32_t history_n; /* at least base_n */
};

/* The base's runs are those before the head. */
struct series {
	double x[RUNS_MAX]; /* logarithms, oldest first */
	uint32_t commit[RUNS_MAX], n;
};

struct tally {
	uint32_t heads, failed[METHODS], undecided, functions, anchors, covered;
	/* Per head, higher is worse: 1 - p, or the change per limit. */
	double *score[METHODS];
};

/* Student's t with three degrees of freedom, with a variance of 1. */
static double long_tailed(struct xoshiro *x)
{
	double squares = 0, z = draw_normal(x);
	for (int i = 0; i < LONG_TAILS_DF; i++) {
		double y = draw_normal(x);
		squares += y * y;
	}
	return z / sqrt(squares);
}

static void series_from(const struct cell *c, struct xoshiro *x,
	struct series *out)
{
	const struct noise *k = c->noise;
	uint32_t n = c->history_n + c->head_n;
	double state = k->run * draw_normal(x), commit = 0;

	out->n = n;
	for (uint32_t i = 0; i < n; i++) {
		out->commit[i] = (n - 1) / c->head_n - (n - 1 - i) / c->head_n;
		if (!i || out->commit[i] != out->commit[i - 1])
			commit = k->commit * draw_normal(x);
		double own = k->run *
			     (k->long_tails ? long_tailed(x) : draw_normal(x));
		state = k->ar * state + sqrt(1 - k->ar * k->ar) * own;
		out->x[i] = commit + (k->ar > 0 ? state : own);
		if (draw_uniform(x) < k->slow_runs)
			out->x[i] += log1p(k->slow);
		if (draw_uniform(x) < k->outliers)
			out->x[i] += log1p(
				OUTLIER_MIN +
				(OUTLIER_MAX - OUTLIER_MIN) * draw_uniform(x));
	}
}

/* In the order of names. */
static const char *const functions[FUNCTIONS] = { "attention", "gemm" };

/* A run whose functions share all noise between runs. */
static struct compared_run run_of(int64_t id, double level, struct xoshiro *x,
	struct arena *a)
{
	struct compared_run r =
		blank_run(id, ITERATIONS, functions, FUNCTIONS, a);
	for (uint32_t c = 0; c < ITERATIONS; c++) {
		for (uint32_t f = 0; f < FUNCTIONS; f++)
			blank_run_fill(&r.patterns.rows[f], c,
				ITERATION_NS / FUNCTIONS *
					exp(level + ITERATION_NOISE *
							    draw_normal(x)));
		blank_run_finish(&r, c, 0);
	}
	return r;
}

static double mean_of(const double *x, uint32_t n)
{
	double sum = 0;
	for (uint32_t i = 0; i < n; i++)
		sum += x[i] / n;
	return sum;
}

static double squares_of(const double *x, uint32_t n)
{
	double mean = mean_of(x, n), sum = 0;
	for (uint32_t i = 0; i < n; i++)
		sum += (x[i] - mean) * (x[i] - mean);
	return sum;
}

/* One-sided p of the pooled t test; it needs no second run of the head. */
static double pooled_t(const double *base, uint32_t b, const double *head,
	uint32_t h)
{
	double delta = mean_of(head, h) - mean_of(base, b), df = b + h - 2.0;
	double var = (squares_of(base, b) + squares_of(head, h)) / df;
	double p = dist_t_p(delta / sqrt(var / b + var / h), df) / 2;
	return delta > 0 ? p : 1 - p;
}

static double rank_sum(const double *base, uint32_t b, const double *head,
	uint32_t h, struct arena *a)
{
	double above = 0;
	for (uint32_t i = 0; i < h; i++)
		for (uint32_t k = 0; k < b; k++)
			above += head[i] > base[k];
	double p = dist_rank_sum_p(base, b, head, h, a) / 2;
	return 2 * above > (double)b * h ? p : 1 - p;
}

static int by_value(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;
	return (a > b) - (a < b);
}

static double quantile(const double *sorted, uint32_t n, double p)
{
	double at = p * (n - 1);
	uint32_t low = (uint32_t)at;
	double rest = at - low;
	return low + 1 < n ? sorted[low] * (1 - rest) + sorted[low + 1] * rest
			   : sorted[n - 1];
}

/* The change between the head and the commit before it, per threshold. */
static double iqr_rule(const struct cell *c, const struct series *s)
{
	double mean[BASE_MAX + 1], change[BASE_MAX + 1];
	uint32_t commits = 0, from = s->n - c->head_n - c->base_n;

	for (uint32_t i = from; i < s->n; i++) {
		if (i + 1 < s->n && s->commit[i + 1] == s->commit[i])
			continue;
		mean[commits++] = mean_of(s->x + from, i + 1 - from);
		from = i + 1;
	}
	for (uint32_t i = 0; i + 2 < commits; i++)
		change[i] = fabs(mean[i + 1] - mean[i]);
	double newest = mean[commits - 1] - mean[commits - 2];
	qsort(change, commits - 2, sizeof *change, by_value);
	double q1 = quantile(change, commits - 2, 0.25),
	       q3 = quantile(change, commits - 2, 0.75);
	return newest / (q3 + 3 * (q3 - q1));
}

static const struct gate_rule *iteration_rule(const struct gate *g)
{
	for (uint32_t i = 0; i < g->rules_n; i++)
		if (g->rules[i].kind == GATE_ITERATION)
			return &g->rules[i];
	abort();
}

/* The repeats that a server reads: of the runs before the base, the newest. */
static void repeats_from(const struct series *s, uint32_t before,
	const char *const *commits, struct xoshiro *x, struct arena *a,
	struct repeats *out)
{
	uint32_t n = before < REPEATS ? before : REPEATS;
	struct noise_prior *prior = arena_new(a, struct noise_prior);

	*out = (struct repeats){ .runs = arena_array(a, struct repeat_run, n),
		.n = n,
		.prior = prior };
	for (uint32_t i = 0; i < n; i++) {
		uint32_t at = before - n + i;
		struct repeat_mean *means =
			arena_array(a, struct repeat_mean, FUNCTIONS);
		for (uint32_t f = 0; f < FUNCTIONS; f++)
			means[f] = (struct repeat_mean){ functions[f],
				ITERATION_NS / FUNCTIONS *
					exp(s->x[at] +
						ITERATION_NOISE /
							sqrt(ITERATIONS) *
							draw_normal(x)) };
		out->runs[i] = (struct repeat_run){ .run = at + 1,
			.means = means,
			.means_n = FUNCTIONS,
			.commit = commits[at] };
	}
	*prior = noise_floor_prior(out, a);
}

/* How clearly a gate fails: it fails with `times` its alpha if the score is at least
 * -times. The score of a rule is the larger of its p, as a multiple of its alpha. A rule
 * that is not above its limit has none. */
static double score_of(const struct gate *g)
{
	double best = -INFINITY;

	for (uint32_t i = 0; i < g->rules_n; i++) {
		const struct gate_rule *r = &g->rules[i];
		bool share = isnan(r->limit_pct);
		double change = share ? r->iteration_change_pct : r->change_pct;
		double limit = share ? r->iteration_limit_pct : r->limit_pct;
		if (isnan(r->p) || !(change >= limit))
			continue;
		best = fmax(best, -fmax(r->p, r->p_family) / r->alpha);
	}
	return best;
}

/* Judges the runs [head, head + head_n) of the series. */
static void gated(const struct cell *c, const struct series *s, uint32_t head,
	struct xoshiro *x, struct arena *a, struct gate *out)
{
	uint32_t n = c->base_n + c->head_n, first = head - c->base_n;
	struct compared_run runs[BASE_MAX + HEAD_MAX];
	const char **commits = arena_array(a, const char *, head + c->head_n);
	struct gate_stored_unit *units =
		arena_array(a, struct gate_stored_unit, head + c->head_n);
	const struct gate_history history = { .units = units,
		.head = units + head,
		.n = head,
		.head_n = c->head_n };
	struct gate_given given = { .base = runs,
		.head = runs + c->base_n,
		.base_commits = commits + first,
		.head_commits = commits + head,
		.base_n = c->base_n,
		.head_n = c->head_n,
		.history = &history };
	struct repeats repeats;
	struct gate_policy p;
	struct err e = { 0 };

	given.repeats = &repeats;
	for (uint32_t i = 0; i < n; i++)
		runs[i] = run_of(first + i + 1, s->x[first + i], x, a);
	for (uint32_t i = 0; i < head + c->head_n; i++) {
		commits[i] = arena_printf(a, "c%u", s->commit[i]);
		units[i] = (struct gate_stored_unit){ .run = i + 1,
			.stored = i,
			.commit = commits[i],
			.ns = ITERATION_NS * exp(s->x[i]) };
	}
	repeats_from(s, first, commits, x, a, &repeats);
	regression_gate_policy_init(&p);
	p.alpha = regression_gate_alpha(p.alpha, 1);
	if (regression_gate_from(&given, &p, a, out, &e))
		return;
	fprintf(stderr, "sim_gate_cells: %s\n", e.text);
	exit(1);
}

static bool by_anchor(const struct gate *g)
{
	bool anchor = false;
	for (uint32_t i = 0; i < g->rules_n; i++)
		if (g->rules[i].outcome == GATE_REGRESSED) {
			if (g->rules[i].kind != GATE_ANCHOR)
				return false;
			anchor = true;
		}
	return anchor;
}

static void head_play(const struct cell *c, double rise, uint64_t seed,
	struct tally *t)
{
	struct arena a = { 0 };
	struct xoshiro x;
	struct series s;
	struct gate g;

	xoshiro_init(&x, seed);
	series_from(c, &x, &s);
	for (uint32_t i = 0; i < c->head_n; i++)
		s.x[c->history_n + i] += log1p(rise);
	gated(c, &s, c->history_n, &x, &a, &g);
	const double *head = s.x + c->history_n, *base = head - c->base_n;
	const struct gate_rule *r = iteration_rule(&g);
	double limit = log1p(r->limit_pct / 100), alpha = 0.01;
	double higher = mean_of(head, c->head_n) - mean_of(base, c->base_n);
	double score[METHODS] = { [GATE] = score_of(&g),
		[POOLED_T] = -pooled_t(base, c->base_n, head, c->head_n),
		[RANK_SUM] = -rank_sum(base, c->base_n, head, c->head_n, &a),
		[IQR] = iqr_rule(c, &s) };
	bool failed[METHODS] = { [GATE] = g.outcome == GATE_REGRESSED,
		[POOLED_T] = score[POOLED_T] >= -alpha && higher >= limit,
		[RANK_SUM] = score[RANK_SUM] >= -alpha && higher >= limit,
		[IQR] = score[IQR] >= 1 && higher >= limit };
	for (int m = 0; m < METHODS; m++) {
		t->failed[m] += failed[m];
		t->score[m][t->heads] =
			m == GATE || higher >= limit ? score[m] : -INFINITY;
	}
	t->heads++;
	t->undecided += g.outcome == GATE_UNDECIDED;
	t->functions += g.outcome == GATE_REGRESSED &&
			r->outcome != GATE_REGRESSED && !by_anchor(&g);
	t->anchors += by_anchor(&g);
	t->covered += r->low_pct <= 100 * rise && 100 * rise <= r->high_pct;
	arena_release(&a);
}

static double pct(double n, double of)
{
	return of > 0 ? 100 * n / of : 0;
}

/* The lower end of Wilson's interval of a share. */
static double lower(uint32_t k, uint32_t n)
{
	double z2 = Z_999 * Z_999, p = (double)k / n;
	return (p + z2 / 2 / n -
		       Z_999 * sqrt(p * (1 - p) / n + z2 / 4 / n / n)) /
	       (1 + z2 / n);
}

/* The threshold above which at most 1 % of the null heads are. */
static double threshold(const struct tally *null, int m)
{
	double *sorted = malloc(null->heads * sizeof *sorted);
	memcpy(sorted, null->score[m], null->heads * sizeof *sorted);
	qsort(sorted, null->heads, sizeof *sorted, by_value);
	double at = sorted[null->heads - 1 - null->heads / 100];
	free(sorted);
	return at;
}

/* Prints how many more heads the gate has above its threshold than the Mann-Whitney
 * test, in percent, with the 95 % interval of the paired difference. */
static void paired_print(const struct tally *null, const struct tally *t)
{
	double gate = threshold(null, GATE), ranks = threshold(null, RANK_SUM);
	double sum = 0, squares = 0, n = t->heads;

	for (uint32_t i = 0; i < t->heads; i++) {
		int more = (t->score[GATE][i] > gate) -
			   (t->score[RANK_SUM][i] > ranks);
		sum += more;
		squares += more * more;
	}
	double variance = squares / n - sum / n * (sum / n);
	printf(" (gate - Mann-Whitney %+.1f, within %.1f)", pct(sum, n),
		100 * Z_95 * sqrt(variance / n));
}

static void cell_print(const struct cell *c, const struct tally *t)
{
	const struct tally *null = &t[0];

	printf("%-18s %u/%u  false alarms", c->noise->name, c->head_n,
		c->base_n);
	for (int m = 0; m < METHODS; m++)
		printf(" %5.2f", pct(null->failed[m], null->heads));
	printf(" (gate at least %.2f; %u by functions, %u by the anchor alone; "
	       "%.1f undecided; coverage %.1f)",
		100 * lower(null->failed[GATE], null->heads), null->functions,
		null->anchors, pct(null->undecided, null->heads),
		pct(null->covered, null->heads));
	for (int d = 1; d < RISES; d++) {
		printf(" | +%.0f %%", 100 * rises[d]);
		for (int m = 0; m < METHODS; m++)
			printf(" %5.1f", pct(t[d].failed[m], t[d].heads));
		printf(" at most 1 %% false");
		for (int m = 0; m < METHODS; m++) {
			double at = threshold(null, m);
			uint32_t above = 0;
			for (uint32_t i = 0; i < t[d].heads; i++)
				above += t[d].score[m][i] > at;
			printf(" %5.1f", pct(above, t[d].heads));
		}
		paired_print(null, &t[d]);
	}
	printf("\n");
	fflush(stdout);
}

static bool cell_play(const struct cell *c, uint32_t null_n, uint32_t power_n,
	uint64_t seed)
{
	struct tally t[RISES] = { 0 };

	for (int d = 0; d < RISES; d++) {
		uint32_t n = d ? power_n : null_n;
		for (int m = 0; m < METHODS; m++)
			t[d].score[m] = malloc(n * sizeof(double));
		for (uint32_t i = 0; i < n; i++)
			head_play(c, rises[d],
				seed + (uint64_t)i * RISES + (uint64_t)d,
				&t[d]);
	}
	cell_print(c, t);
	for (int d = 0; d < RISES; d++)
		for (int m = 0; m < METHODS; m++)
			free(t[d].score[m]);
	return 100 * lower(t->failed[GATE], t->heads) <= 1.5;
}

/* The commits of a series whose gates failed, by which rules first. */
struct creep_found {
	double level; /* of the first head that failed; INFINITY none */
	bool anchor; /* only the rule against the anchor failed */
};

static struct creep_found creep_play(const struct noise *noise,
	uint32_t history, uint64_t seed)
{
	uint32_t rising = CREEP_HEAD * CREEP_COMMITS * CREEP_STEPS;
	const struct cell c = { noise, CREEP_HEAD, CREEP_BASE, history };
	const struct cell all = { noise, CREEP_HEAD, CREEP_BASE,
		history + rising };
	struct creep_found found = { .level = INFINITY };
	struct xoshiro x;
	struct series s;

	xoshiro_init(&x, seed);
	series_from(&all, &x, &s);
	for (uint32_t i = 0; i < rising && isinf(found.level);
		i += CREEP_HEAD) {
		struct arena a = { 0 };
		struct gate g;
		double level =
			CREEP_STEP * (1 + i / (CREEP_HEAD * CREEP_COMMITS));
		for (uint32_t k = 0; k < CREEP_HEAD; k++)
			s.x[history + i + k] += log1p(level);
		gated(&c, &s, history + i, &x, &a, &g);
		if (g.outcome == GATE_REGRESSED)
			found = (struct creep_found){ level, by_anchor(&g) };
		arena_release(&a);
	}
	return found;
}

static bool creep_print(const struct noise *noise, uint32_t series,
	uint32_t history, uint64_t seed)
{
	uint32_t found = 0, anchors = 0;

	printf("creep, %-18s history %u: first failing at +%%", noise->name,
		history);
	for (uint32_t i = 0; i < series; i++) {
		struct creep_found f = creep_play(noise, history, seed + i);
		found += f.level < CREEP_MOST;
		anchors += f.level < CREEP_MOST && f.anchor;
		printf(" %.0f", 100 * f.level);
	}
	printf(" | before +%.0f %%: %u of %u, %u by the anchor alone\n",
		100 * CREEP_MOST, found, series, anchors);
	fflush(stdout);
	return found == series;
}

int main(int argc, char **argv)
{
	uint32_t null_n = 200, power_n = 50, history = 200, creep = 0;
	const char *noise = NULL, *only = NULL;
	uint64_t seed = 1;
	bool ok = true;

	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--full"))
			null_n = 6000, power_n = 400;
		else if (i + 1 < argc && !strcmp(argv[i], "--null"))
			null_n = (uint32_t)strtoul(argv[++i], NULL, 10);
		else if (i + 1 < argc && !strcmp(argv[i], "--power"))
			power_n = (uint32_t)strtoul(argv[++i], NULL, 10);
		else if (i + 1 < argc && !strcmp(argv[i], "--noise"))
			noise = argv[++i];
		else if (i + 1 < argc && !strcmp(argv[i], "--cell"))
			only = argv[++i];
		else if (i + 1 < argc && !strcmp(argv[i], "--history"))
			history = (uint32_t)strtoul(argv[++i], NULL, 10);
		else if (i + 1 < argc && !strcmp(argv[i], "--creep"))
			creep = (uint32_t)strtoul(argv[++i], NULL, 10);
		else if (i + 1 < argc && !strcmp(argv[i], "--seed"))
			seed = strtoul(argv[++i], NULL, 10);
		else
			return 2;
	}
	if (history > RUNS_MAX / 2)
		return 2;
	/* The requirement is for independent runs. */
	for (int k = 0; creep && k < 2; k++)
		ok = creep_print(&noises[k], creep, history, seed) && ok;
	if (creep)
		return ok ? 0 : 1;
	printf("per cell: gate, pooled t, Mann-Whitney, rustc-perf; percent\n");
	for (size_t k = 0; k < sizeof noises / sizeof *noises; k++)
		for (size_t h = 0; h < 3; h++)
			for (size_t b = 0; b < 2; b++) {
				struct cell c = { &noises[k], head_runs[h],
					base_runs[b],
					history < base_runs[b] ? base_runs[b]
							       : history };
				char cell[32];
				snprintf(cell, sizeof cell, "%u/%u", c.head_n,
					c.base_n);
				if ((!noise ||
					    !strcmp(noise, noises[k].name)) &&
					(!only || !strcmp(only, cell)))
					ok = cell_play(&c, null_n, power_n,
						     seed) &&
					     ok;
			}
	return ok ? 0 : 1;
}
