/* regression_gate.c - applies gate rules to a comparison and decides the outcome. */
#include "regression_gate.h"
#include "compare_state.h"
#include "creep_test.h"
#include "decimals.h"
#include "duration_text.h"
#include "level_test.h"
#include "noise_floor.h"
#include "ranks.h"
#include "stored_units.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct regression_gate {
	const struct gate_given *given;
	const struct gate_policy *p;
	struct arena *a;
	struct compare *c;
	struct gate *out;
	/* The part of alpha for each kind of rule, by weight; 0 if there is no
	 * rule of this kind. */
	double alpha[GATE_FUNCTIONS + 1];
	/* Units that have enough iterations, by commit, the oldest commit first;
	 * and the number of each unit's commit. */
	uint32_t *units[2], *commits[2], units_n[2];
	bool labeled; /* commits of the base are known */
};

/* One value per unit, the commit of each, and the first run of each unit of the
 * base. Units without a value are excluded. */
struct gate_units {
	struct gate_values v;
	uint32_t *commits[2];
	int64_t *runs;
};

static const struct compare_unit *
regression_gate_unit(const struct regression_gate *g, int s, uint32_t i)
{
	return &g->c->side[s].units[g->units[s][i]];
}

/* One value per unit: means over its iterations. */

struct filling {
	const struct regression_gate *g;
	double *of[2];
	uint32_t *commits[2], n[2];
	int64_t *runs;
};

static struct filling regression_gate_filling(const struct regression_gate *g)
{
	struct filling f = { .g = g,
		.runs = arena_array(g->a, int64_t, g->units_n[BASE] + 1) };
	for (int s = 0; s < 2; s++) {
		f.of[s] = arena_array(g->a, double, g->units_n[s] + 1);
		f.commits[s] = arena_array(g->a, uint32_t, g->units_n[s] + 1);
	}
	return f;
}

/* Adds the value of units[s][i]. */
static void regression_gate_unit_add(struct filling *f, int s, uint32_t i,
	double x)
{
	if (isnan(x))
		return;
	if (s == BASE)
		f->runs[f->n[s]] =
			regression_gate_unit(f->g, s, i)->runs[0]->id;
	f->commits[s][f->n[s]] = f->g->commits[s][i];
	f->of[s][f->n[s]++] = x;
}

static struct gate_units regression_gate_units_filled(const struct filling *f)
{
	return (struct gate_units){ { f->of[BASE], f->of[HEAD], f->n[BASE],
					    f->n[HEAD] },
		{ f->commits[BASE], f->commits[HEAD] }, f->runs };
}

static struct gate_units regression_gate_unit_means(const struct regression_gate
							    *g,
	double *const ns[2])
{
	struct filling f = regression_gate_filling(g);
	for (int s = 0; s < 2; s++)
		for (uint32_t i = 0; i < g->units_n[s]; i++) {
			const struct compare_unit *u =
				regression_gate_unit(g, s, i);
			double sum = 0;
			for (uint32_t k = 0; k < u->iterations_n; k++)
				sum += ns[s][u->first + k];
			regression_gate_unit_add(&f, s, i,
				sum / u->iterations_n);
		}
	return regression_gate_units_filled(&f);
}

static struct gate_units regression_gate_units_iteration(
	const struct regression_gate *g)
{
	double *const ns[2] = { g->c->side[BASE].iteration_ns,
		g->c->side[HEAD].iteration_ns };
	return regression_gate_unit_means(g, ns);
}

static struct gate_units regression_gate_units_row(const struct regression_gate
							   *g,
	const struct compare_row *row)
{
	return regression_gate_unit_means(g, row->ns);
}

/* The GPU time of a run in one compared iteration. */
static double regression_gate_gpu_ns(const struct compare_unit *u, uint32_t r)
{
	const struct patterns *p = &u->runs[r]->patterns;
	double sum = 0;
	for (uint32_t i = 0; i < p->n; i++)
		for (uint32_t k = 0; k < u->iterations_n &&
				     !compare_on_host(p->rows[i].type);
			k++)
			sum += (double)p->rows[i].dur_ns[u->at[r][k]];
	return sum / u->iterations_n;
}

/* Shares of a run's GPU time. */
struct shares {
	bool known; /* the run has operator times */
	double time, headroom, covered, attributed;
};

static struct shares regression_gate_shares_of(const struct gate_given *given,
	int64_t run, const char *op)
{
	struct shares s = { 0 };
	for (uint32_t i = 0; i < given->operators_n; i++) {
		const struct gate_operator_time *o = &given->operators[i];
		if (o->run != run)
			continue;
		s.known = true;
		s.attributed += o->op ? o->share : 0;
		if (op && o->op && !strcmp(op, o->op))
			s.time += o->share;
		if (!o->op || isnan(o->headroom))
			continue;
		s.headroom += o->headroom;
		s.covered += o->share;
	}
	return s;
}

/* The mean over the ranks of a job, in ns per iteration; `known` is false if a
 * rank has no operator times. */
static struct shares regression_gate_unit_shares(const struct regression_gate
							 *g,
	const struct compare_unit *u, const char *op)
{
	struct shares all = { .known = true };
	for (uint32_t r = 0; r < u->runs_n; r++) {
		struct shares s =
			regression_gate_shares_of(g->given, u->runs[r]->id, op);
		double ns = regression_gate_gpu_ns(u, r) / u->runs_n;
		all.known = all.known && s.known;
		all.time += s.time * ns;
		all.headroom += s.headroom * ns;
		all.covered += s.covered * ns;
	}
	return all;
}

/* The time of an operator per iteration. `op` NULL: headroom, and
 * *covered is the mean time of operators whose headroom is known. */
static struct gate_units regression_gate_units_operator(
	const struct regression_gate *g, const char *op, double *covered)
{
	struct filling f = regression_gate_filling(g);
	double known = 0, n = 0;

	for (int s = 0; s < 2; s++)
		for (uint32_t i = 0; i < g->units_n[s]; i++) {
			const struct compare_unit *u =
				regression_gate_unit(g, s, i);
			struct shares x = regression_gate_unit_shares(g, u, op);
			if (!x.known || (!op && !(x.covered > 0)))
				continue;
			regression_gate_unit_add(&f, s, i,
				op ? x.time : x.headroom);
			known += x.covered;
			n++;
		}
	if (covered)
		*covered = n > 0 ? known / n : 0;
	return regression_gate_units_filled(&f);
}

/* The value of a measure of a run; NULL if it has none. */
static const struct gate_measure_value *regression_gate_measure_of(
	const struct gate_given *given, int64_t run, const char *name)
{
	for (uint32_t i = 0; i < given->measures_n; i++)
		if (given->measures[i].run == run &&
			!strcmp(given->measures[i].name, name))
			return &given->measures[i];
	return NULL;
}

/* A value of a measure, of any run; NULL if no run has it. */
static const struct gate_measure_value *
regression_gate_measure_any(const struct regression_gate *g, const char *name)
{
	for (uint32_t i = 0; i < g->given->measures_n; i++)
		if (!strcmp(g->given->measures[i].name, name))
			return &g->given->measures[i];
	return NULL;
}

/* The mean of a measure over the ranks of a unit that have it; NaN if none has. */
static double regression_gate_unit_measure(const struct regression_gate *g,
	const struct compare_unit *u, const char *name)
{
	double sum = 0, n = 0;

	for (uint32_t r = 0; r < u->runs_n; r++) {
		const struct gate_measure_value *v =
			regression_gate_measure_of(g->given, u->runs[r]->id,
				name);
		sum += v ? v->value : 0;
		n += v != NULL;
	}
	return n > 0 ? sum / n : (double)NAN;
}

/* A measure; its inverse if higher values are better, so that more is worse. */
static struct gate_units regression_gate_units_measure(
	const struct regression_gate *g, const char *name, bool inverse)
{
	struct filling f = regression_gate_filling(g);

	for (int s = 0; s < 2; s++)
		for (uint32_t i = 0; i < g->units_n[s]; i++) {
			double x = regression_gate_unit_measure(g,
				regression_gate_unit(g, s, i), name);
			regression_gate_unit_add(&f, s, i, inverse ? 1 / x : x);
		}
	return regression_gate_units_filled(&f);
}

/* The time per byte on the bus, in ns. */
static struct gate_units regression_gate_units_busbw(
	const struct regression_gate *g)
{
	struct filling f = regression_gate_filling(g);

	for (int s = 0; s < 2; s++)
		for (uint32_t i = 0; i < g->units_n[s]; i++) {
			const struct compare_unit *u =
				regression_gate_unit(g, s, i);
			struct bus_sum sum;
			ranks_bus_sum(u->runs, u->runs_n, g->a, &sum);
			if (sum.bytes > 0 && sum.total_ns > 0)
				regression_gate_unit_add(&f, s, i,
					(double)sum.total_ns / sum.bytes);
		}
	return regression_gate_units_filled(&f);
}

/* Share of GPU time that is attributed to operators; NaN unknown. */
static double regression_gate_attributed(const struct regression_gate *g,
	int side)
{
	double sum = 0, n = 0;
	for (uint32_t i = 0; i < g->c->side[side].runs_n; i++) {
		struct shares s = regression_gate_shares_of(g->given,
			g->c->side[side].runs[i].id, NULL);
		sum += s.known ? s.attributed : 0;
		n += s.known;
	}
	return n > 0 ? sum / n : NAN;
}

/* Whether any value is 0, so that there are no logarithms. */
static bool regression_gate_units_zero(const struct gate_values *v)
{
	for (uint32_t i = 0; i < v->base_n; i++)
		if (!(v->base[i] > 0))
			return true;
	for (uint32_t i = 0; i < v->head_n; i++)
		if (!(v->head[i] > 0))
			return true;
	return false;
}

/* Whether the data satisfy the gate's requirements. */

static const char *const side_names[] = { "base", "head" };

static void regression_gate_shortfall_add(struct regression_gate *g,
	const char *what, const char *sentence)
{
	struct gate *out = g->out;
	out->shortfalls = arena_grow(g->a, out->shortfalls,
		(out->shortfalls_n + 1) * sizeof *out->shortfalls);
	out->shortfalls[out->shortfalls_n++] =
		(struct gate_shortfall){ what, sentence };
}

/* The commit of a unit; NULL unknown. */
static const char *regression_gate_commit_of(const struct regression_gate *g,
	int s, uint32_t unit)
{
	const struct gate_given *q = g->given;
	const struct compared_run *runs = s == BASE ? q->base : q->head;
	const char *const *commits =
		s == BASE ? q->base_commits : q->head_commits;

	return commits ? commits[g->c->side[s].units[unit].runs[0] - runs]
		       : NULL;
}

/* Numbers the commits of the selected units, which are in order of time, and
 * sorts the units by these numbers. */
static void regression_gate_number_commits(struct regression_gate *g, int s)
{
	uint32_t n = g->units_n[s], sorted = 0;
	uint32_t *units = arena_array(g->a, uint32_t, n + 1);
	uint32_t *number = arena_array(g->a, uint32_t, n + 1);
	const char **commits = arena_array(g->a, const char *, n + 1);

	for (uint32_t i = 0; i < n; i++) {
		commits[i] = regression_gate_commit_of(g, s, g->units[s][i]);
		g->labeled = g->labeled || (commits[i] && s == BASE);
	}
	uint32_t numbers = stored_units_number(commits, n, s == HEAD, number);
	for (uint32_t c = 0; c < numbers; c++)
		for (uint32_t i = 0; i < n; i++)
			if (number[i] == c) {
				g->commits[s][sorted] = c;
				units[sorted++] = g->units[s][i];
			}
	g->units[s] = units;
}

static bool regression_gate_is_heads(const struct regression_gate *g,
	uint32_t unit)
{
	const char *own = regression_gate_commit_of(g, BASE, unit);
	const struct compare_side *head = &g->c->side[HEAD];

	for (uint32_t i = 0; own && i < head->units_n; i++) {
		const char *other = regression_gate_commit_of(g, HEAD, i);
		if (other && !strcmp(own, other))
			return true;
	}
	return false;
}

/* Removes earlier runs of the head's commits from the base, unless the base has
 * no others: two settings of one commit can be compared. */
static void regression_gate_drop_heads(struct regression_gate *g)
{
	uint32_t *units = g->units[BASE], kept = 0;

	for (uint32_t i = 0; i < g->units_n[BASE]; i++)
		kept += !regression_gate_is_heads(g, units[i]);
	if (!kept || kept == g->units_n[BASE])
		return;
	kept = 0;
	for (uint32_t i = 0; i < g->units_n[BASE]; i++)
		if (!regression_gate_is_heads(g, units[i]))
			units[kept++] = units[i];
	g->units_n[BASE] = kept;
}

/* Selects the units that have enough iterations. */
static void regression_gate_select_units(struct regression_gate *g)
{
	for (int s = 0; s < 2; s++) {
		const struct compare_side *side = &g->c->side[s];
		g->units[s] = arena_array(g->a, uint32_t, side->units_n + 1);
		g->commits[s] = arena_array(g->a, uint32_t, side->units_n + 1);
		if (g->c->statistics || !side->by_time)
			continue;
		for (uint32_t i = 0; i < side->units_n; i++) {
			uint32_t u = side->by_time[i];
			if (side->units[u].iterations_n >= g->p->min_iterations)
				g->units[s][g->units_n[s]++] = u;
		}
		if (s == BASE)
			regression_gate_drop_heads(g);
		regression_gate_number_commits(g, s);
	}
}

static void regression_gate_check_findings(struct regression_gate *g)
{
	const struct comparison *c = &g->out->compared;
	for (uint32_t i = 0; i < c->findings_n; i++) {
		const struct finding *f = &c->findings[i];
		if (finding_severity(f->code) == FINDING_REFUSE ||
			g->p->reject_on >> f->code & 1)
			regression_gate_shortfall_add(g, finding_name(f->code),
				f->text);
	}
}

static const char *regression_gate_plural(uint32_t n)
{
	return n == 1 ? "" : "s";
}

/* Reports runs with too few iterations only if too few runs remain because of
 * them. */
static void regression_gate_check_runs(struct regression_gate *g, int s)
{
	const struct compare_side *side = &g->c->side[s];
	uint32_t runs = g->p->min_runs > 0 ? g->p->min_runs : 1;
	uint32_t iterations = g->p->min_iterations;

	if (g->units_n[s] >= runs)
		return;
	if (side->units_n < runs) {
		regression_gate_shortfall_add(g, "runs",
			arena_printf(g->a,
				"the %s has %u run%s to compare; at least %u %s "
				"required",
				side_names[s], side->units_n,
				regression_gate_plural(side->units_n), runs,
				runs == 1 ? "is" : "are"));
		return;
	}
	regression_gate_shortfall_add(g, "iterations",
		arena_printf(g->a,
			"of the %u run%s of the %s %u %s %u iteration%s or more to "
			"compare; at least %u %s required",
			side->units_n, regression_gate_plural(side->units_n),
			side_names[s], g->units_n[s],
			g->units_n[s] == 1 ? "has" : "have", iterations,
			regression_gate_plural(iterations), runs,
			runs == 1 ? "is" : "are"));
}

static void regression_gate_check_share(struct regression_gate *g, int s,
	const char *what, const char *of, double is, double min_pct)
{
	if (!(min_pct > 0) || 100 * is >= min_pct)
		return;
	const char *had =
		is >= 0 ? compare_text_pct(g->a, is) : "an unknown share";
	regression_gate_shortfall_add(g, what,
		arena_printf(g->a,
			"%s %s of the %s's GPU time; at least %.3g %% is "
			"required",
			of, had, side_names[s], min_pct));
}

/* Adds a sentence for each requirement that the data do not satisfy. */
static void regression_gate_check_data(struct regression_gate *g)
{
	regression_gate_check_findings(g);
	if (!g->out->compared.comparable)
		return;
	for (int s = 0; s < 2; s++) {
		regression_gate_check_runs(g, s);
		regression_gate_check_share(g, s, "coverage", "iterations hold",
			compare_covered(&g->c->side[s]),
			g->p->min_coverage_pct);
		regression_gate_check_share(g, s, "attributed",
			"operators are known for",
			regression_gate_attributed(g, s),
			g->p->min_attributed_pct);
	}
}

/* Sentences: what a rule found, and what the gate decides. */

static const char *regression_gate_text_subject(const struct regression_gate *g,
	const struct gate_rule *r)
{
	if (r->kind == GATE_OPERATOR)
		return arena_printf(g->a, "operator '%s'", r->of);
	if (r->kind == GATE_MEASURE)
		return arena_printf(g->a, "measure '%s'", r->of);
	if (r->kind == GATE_BUSBW)
		return "the bus bandwidth of collectives";
	return r->kind == GATE_HEADROOM ? "headroom" : "the iteration";
}

/* "120 ms instead of 100 ms", of a measure. */
static const char *regression_gate_text_values(const struct regression_gate *g,
	const struct gate_rule *r)
{
	bool plain = !strcmp(r->unit, "1");
	const char *unit = plain ? "" : r->unit, *blank = plain ? "" : " ";

	return arena_printf(g->a, "%.4g%s%s instead of %.4g%s%s", r->head_value,
		blank, unit, r->base_value, blank, unit);
}

static const char *regression_gate_text_times(const struct regression_gate *g,
	const struct gate_rule *r)
{
	if (r->kind == GATE_BUSBW)
		return arena_printf(g->a, "%.4g GB/s instead of %.4g GB/s",
			r->head_gb_s, r->base_gb_s);
	if (r->kind == GATE_MEASURE)
		return regression_gate_text_values(g, r);
	return arena_printf(g->a, "%s per iteration instead of %s",
		duration_text(g->a, r->head_ns),
		duration_text(g->a, r->base_ns));
}

/* The commits of the base; its units if no commit is known. */
static uint32_t regression_gate_base_commits(const struct regression_gate *g)
{
	uint32_t n = g->units_n[BASE];
	return g->labeled && n ? g->commits[BASE][n - 1] + 1 : n;
}

/* One unit on a side is not enough to fail a gate, because one unusual run is
 * not a change; unless the base shows how unusual it is (level_test.h). */
static bool regression_gate_several_units(const struct regression_gate *g)
{
	return !isnan(g->p->noise_floor) ||
	       (g->units_n[HEAD] > 1 &&
		       (g->units_n[BASE] > 1 || g->out->compared.repeats)) ||
	       (g->units_n[HEAD] == 1 && regression_gate_base_commits(g) >=
						 LEVEL_TEST_ONE_RUN_COMMITS);
}

/* The same of the anchor. */
static uint32_t regression_gate_anchor_commits(const struct gate_anchor *to)
{
	return to->commits ? to->commits : to->units_n;
}

/* What a side has too few of. */
static const char *regression_gate_text_limiting(const struct regression_gate
							 *g,
	bool anchor)
{
	bool labeled = anchor ? g->out->anchor.commits > 0 : g->labeled;
	return labeled ? "commits" : "runs";
}

/* "9 more runs of the head would probably decide" */
static const char *regression_gate_text_decides(const struct regression_gate *g,
	const struct gate_rule *r)
{
	bool anchor = r->kind == GATE_ANCHOR;
	uint32_t have = anchor ? g->given->history->head_n : g->units_n[HEAD];
	int32_t more = r->runs_needed > (int32_t)have
			       ? r->runs_needed - (int32_t)have
			       : 1;
	const char *one =
		have == 1 && !anchor && !regression_gate_several_units(g)
			? arena_printf(g->a,
				  "one run of the head cannot fail the gate, because "
				  "the base has fewer than %d commits; ",
				  LEVEL_TEST_ONE_RUN_COMMITS)
			: "";

	if (r->runs_needed < 0)
		return arena_printf(g->a,
			"%sno number of runs of the head would decide, because "
			"the %s has too few %s (%u)",
			one, anchor ? "anchor" : "base",
			regression_gate_text_limiting(g, anchor),
			anchor ? regression_gate_anchor_commits(&g->out->anchor)
			       : regression_gate_base_commits(g));
	return arena_printf(g->a,
		"%s%d more run%s of the head would probably decide", one, more,
		more == 1 ? "" : "s");
}

static const char *regression_gate_text_unknown(const struct regression_gate *g,
	const struct gate_rule *r)
{
	if (r->kind == GATE_ITERATION)
		return "the iteration is not judged: no iterations were found, and "
		       "recordings differ in length by chance";
	if (r->kind == GATE_HEADROOM)
		return "headroom is unknown: no "
		       "operator's sizes are known on one side or both";
	if (r->kind == GATE_BUSBW)
		return arena_printf(g->a,
			"the bus bandwidth of collectives is not judged: no "
			"collective of %s has a known size and process group",
			isnan(r->base_gb_s) && isnan(r->head_gb_s)
				? "either side"
			: isnan(r->base_gb_s) ? "the base"
					      : "the head");
	if (!isnan(r->base_ns) && !isnan(r->head_ns))
		return arena_printf(g->a,
			"operator '%s' is on neither side, so nothing is "
			"judged",
			r->of);
	return arena_printf(g->a,
		"operator '%s' is not judged: the operators of one side are "
		"unknown",
		r->of);
}

static const char *regression_gate_text_one_sided(const struct regression_gate
							  *g,
	const struct gate_rule *r)
{
	const char *time =
		duration_text(g->a, r->head_ns > 0 ? r->head_ns : r->base_ns);
	if (r->head_ns == 0)
		return arena_printf(g->a,
			"%s is gone: it took %s per iteration",
			regression_gate_text_subject(g, r), time);
	if (r->outcome == GATE_UNDECIDED)
		return arena_printf(g->a, "%s is new: %s per iteration; %s",
			regression_gate_text_subject(g, r), time,
			regression_gate_text_decides(g, r));
	return arena_printf(g->a, "%s is new: %s per iteration",
		regression_gate_text_subject(g, r), time);
}

/* "7.3 % slower (95 % interval: 4.1 to 10.6 %)" */
static const char *regression_gate_text_change(const struct regression_gate *g,
	const struct gate_rule *r)
{
	bool share = r->kind == GATE_HEADROOM;
	double change = share ? r->iteration_change_pct : r->change_pct;
	double from = share ? r->iteration_low_pct : r->low_pct,
	       to = share ? r->iteration_high_pct : r->high_pct;
	bool less = change < 0;
	double low = less ? -to : from, high = less ? -from : to;

	int decimals = decimals_near_limit(r->fall ? -change : change,
		share ? r->iteration_limit_pct : r->limit_pct, 1);
	const char *word =
		r->kind == GATE_BUSBW || r->kind == GATE_MEASURE || share
			? less ? "lower" : "higher"
		: less ? "faster"
		       : "slower";

	if (share)
		return arena_printf(g->a,
			"%s by %.*f %% of the iteration (95 %% interval: %.1f "
			"to %.1f)",
			word, decimals, fabs(change), low, high);
	return arena_printf(g->a, "%.*f %% %s (95 %% interval: %.1f to %.1f)",
		decimals, fabs(change), word, low, high);
}

static const char *regression_gate_text_limit(const struct regression_gate *g,
	const struct gate_rule *r)
{
	if (r->kind == GATE_HEADROOM)
		return arena_printf(g->a,
			"the limit is %.3g %% of the iteration",
			r->iteration_limit_pct);
	return arena_printf(g->a, "the limit is %.3g %%", r->limit_pct);
}

static const char *regression_gate_text_since(const struct regression_gate *g,
	const struct gate_rule *r)
{
	const char *then = r->outcome == GATE_UNDECIDED
				   ? regression_gate_text_decides(g, r)
				   : regression_gate_text_limit(g, r);
	return arena_printf(g->a,
		"%s has been %s since run %lld of the base, before this "
		"head; against the base from there on it is %s, %s; %s",
		regression_gate_text_subject(g, r),
		r->fall			  ? "lower"
		: r->kind == GATE_MEASURE ? "higher"
					  : "slower",
		(long long)r->since_run, regression_gate_text_change(g, r),
		regression_gate_text_times(g, r), then);
}

/* Says against what, and what to do if the level was raised on purpose: the
 * anchor stays the lowest level until another one is named. */
static const char *regression_gate_text_anchor(const struct regression_gate *g,
	const struct gate_rule *r)
{
	const struct gate_anchor *to = &g->out->anchor;
	const char *what =
		to->query ? arena_printf(g->a, "the anchor '%.100s'", to->query)
			  : "the earlier level with the lowest median";
	const char *runs =
		to->units_n == 1
			? arena_printf(g->a, "run %lld",
				  (long long)to->units[0]->run)
			: arena_printf(g->a, "%u runs from %lld to %lld",
				  to->units_n, (long long)to->units[0]->run,
				  (long long)to->units[to->units_n - 1]->run);
	const char *then =
		r->outcome == GATE_UNDECIDED
			? arena_printf(g->a, "; %s",
				  regression_gate_text_decides(g, r))
		: r->outcome == GATE_REGRESSED
			? "; if this level is intended, name runs of it as the "
			  "anchor, such as anchor=label.release=NAME"
			: "";

	return arena_printf(g->a, "the iteration %s %s than %s (%s), %s; %s%s",
		r->outcome == GATE_UNDECIDED ? "may be" : "is",
		regression_gate_text_change(g, r), what, runs,
		regression_gate_text_times(g, r),
		regression_gate_text_limit(g, r), then);
}

/* A rise that is only compared with the differences between runs. */
static const char *regression_gate_text_one_commit(const struct regression_gate
							   *g,
	const struct gate_rule *r)
{
	return r->outcome == GATE_REGRESSED && g->labeled && r->commits == 1
		       ? "; the base has one commit, so the variance between "
			 "commits is unknown"
		       : "";
}

static const char *regression_gate_text_rule(const struct regression_gate *g,
	const struct gate_rule *r)
{
	bool known = r->kind == GATE_BUSBW
			     ? !isnan(r->base_gb_s) && !isnan(r->head_gb_s)
		     : r->kind == GATE_MEASURE
			     ? true
			     : !isnan(r->base_ns) && !isnan(r->head_ns) &&
				       (r->base_ns != 0 || r->head_ns != 0);
	if (!known)
		return regression_gate_text_unknown(g, r);
	if (isnan(r->low_pct) && isnan(r->iteration_low_pct))
		return regression_gate_text_one_sided(g, r);
	if (r->since_run)
		return regression_gate_text_since(g, r);
	if (r->outcome == GATE_UNDECIDED)
		return arena_printf(g->a, "%s may be %s, %s; %s; %s",
			regression_gate_text_subject(g, r),
			regression_gate_text_change(g, r),
			regression_gate_text_times(g, r),
			regression_gate_text_limit(g, r),
			regression_gate_text_decides(g, r));
	return arena_printf(g->a, "%s is %s, %s; %s%s",
		regression_gate_text_subject(g, r),
		regression_gate_text_change(g, r),
		regression_gate_text_times(g, r),
		regression_gate_text_limit(g, r),
		regression_gate_text_one_commit(g, r));
}

static const char *regression_gate_text_function(const struct regression_gate
							 *g,
	const struct gate_rule *r, const struct changed_row *row)
{
	const struct change *c = &row->change;
	const char *name = compare_text_function(g->a, row), *what;

	if (c->is <= CHANGE_WITHIN_MARGIN)
		what = compare_text_what(c);
	else if (c->is == CHANGE_UNCHANGED)
		return arena_printf(g->a, "%s on %s is unchanged: %s", name,
			row->device, compare_text_amount(g->a, c));
	else
		what = c->delta_ns > 0 ? "may take longer" : "may take less";
	const char *text = arena_printf(g->a,
		"%s on %s %s: %s, %.1f %% of the iteration", name, row->device,
		what, compare_text_amount(g->a, c), r->iteration_change_pct);
	if (c->evidence != EVIDENCE_NONE && c->is <= CHANGE_WITHIN_MARGIN)
		text = arena_printf(g->a, "%s, %s", text,
			compare_text_evidence(c));
	if (r->since_run)
		text = arena_printf(g->a,
			"%s; it has since run %lld of the base, before this "
			"head",
			text, (long long)r->since_run);
	if (r->outcome == GATE_UNDECIDED)
		text = arena_printf(g->a, "%s; %s", text,
			regression_gate_text_decides(g, r));
	return arena_printf(g->a, "%s%s", text,
		regression_gate_text_one_commit(g, r));
}

static const char *regression_gate_text_others(const struct regression_gate *g,
	uint32_t n, const char *what)
{
	if (n < 2)
		return "";
	return arena_printf(g->a, "; %u %s in all", n, what);
}

static const char *regression_gate_text_all(const struct regression_gate *g)
{
	const struct gate *out = g->out;
	uint32_t same = 0;

	if (out->shortfalls_n)
		return arena_printf(g->a, "%s%s", out->shortfalls[0].sentence,
			regression_gate_text_others(g, out->shortfalls_n,
				"reasons"));
	for (uint32_t i = 0; i < out->rules_n; i++)
		same += out->rules[i].outcome == out->outcome;
	if (!out->rules_n)
		return "no function is on either side, so no limit applies";
	if (out->outcome == GATE_REGRESSED)
		return arena_printf(g->a, "%s%s", out->rules[0].sentence,
			regression_gate_text_others(g, same,
				"rules are broken"));
	if (out->outcome == GATE_UNDECIDED)
		return arena_printf(g->a, "%s%s", out->rules[0].sentence,
			regression_gate_text_others(g, same,
				"rules are undecided"));
	for (uint32_t i = 0; i < out->rules_n; i++)
		if (out->rules[i].kind != GATE_FUNCTIONS)
			return out->rules[i].sentence;
	return arena_printf(g->a,
		"no function fails: none of %u has a verdict that fails the gate "
		"and a change of at least %.3g %% of the iteration",
		out->rules_n, g->p->share_pct);
}

/* The rules of the iteration, of operators, of headroom, of bus bandwidth and of
 * measures. */

static struct gate_rule *regression_gate_rule_add(struct regression_gate *g,
	enum gate_rule_kind kind)
{
	struct gate *out = g->out;
	out->rules = arena_grow(g->a, out->rules,
		(out->rules_n + 1) * sizeof *out->rules);
	out->rules[out->rules_n] = (struct gate_rule){ .kind = kind,
		.base_ns = NAN,
		.head_ns = NAN,
		.base_gb_s = NAN,
		.head_gb_s = NAN,
		.base_value = NAN,
		.head_value = NAN,
		.limit_pct = NAN,
		.change_pct = NAN,
		.low_pct = NAN,
		.high_pct = NAN,
		.iteration_limit_pct = NAN,
		.iteration_change_pct = NAN,
		.iteration_low_pct = NAN,
		.iteration_high_pct = NAN,
		.p = NAN,
		.p_family = NAN,
		.alpha = g->alpha[kind],
		.floor = NAN,
		.floor_df = NAN };
	return &out->rules[out->rules_n++];
}

static double regression_gate_mean(const double *x, uint32_t n)
{
	double sum = 0;
	for (uint32_t i = 0; i < n; i++)
		sum += x[i];
	return n ? sum / n : NAN;
}

static enum gate_outcome regression_gate_level_outcome(
	const struct level_test_result *l)
{
	if (l->shown)
		return GATE_REGRESSED;
	return l->above ? GATE_UNDECIDED : GATE_PASS;
}

static void regression_gate_rule_fill(struct gate_rule *r,
	const struct level_test_result *l, const struct gate_units *u)
{
	r->outcome = regression_gate_level_outcome(l);
	r->base_ns = l->base;
	r->head_ns = l->head;
	r->change_pct = 100 * l->change;
	r->low_pct = 100 * l->low;
	r->high_pct = 100 * l->high;
	r->p = l->p;
	r->floor = l->floor;
	r->floor_df = l->floor_df;
	r->earlier_units = l->earlier;
	r->commits = l->commits;
	if (l->since != LEVEL_TEST_SINCE_NONE) {
		assert(u);
		r->since_run = u->runs[l->since];
	}
	if (r->outcome == GATE_UNDECIDED)
		r->runs_needed = l->needed;
}

/* If one side has no time, there is no interval. The result is certain anyway,
 * except if a side has only one unit. */
static void regression_gate_rule_plain(struct gate_rule *r,
	const struct gate_units *u)
{
	bool several = u->v.base_n > 1 && u->v.head_n > 1;

	r->base_ns = regression_gate_mean(u->v.base, u->v.base_n);
	r->head_ns = regression_gate_mean(u->v.head, u->v.head_n);
	r->outcome = GATE_PASS;
	if (!u->v.base_n || !u->v.head_n ||
		(r->base_ns == 0 && r->head_ns == 0)) {
		r->outcome = GATE_UNDECIDED;
		r->runs_needed = -1;
	} else if (r->head_ns > 0) {
		r->outcome = several ? GATE_REGRESSED : GATE_UNDECIDED;
		r->runs_needed = several ? 0 : u->v.base_n > 1 ? 2 : -1;
	} else {
		r->change_pct = -100;
	}
}

static bool regression_gate_earlier_set(const struct regression_gate *g,
	const struct gate_stored_unit *units, uint32_t n,
	struct level_earlier *out)
{
	struct stored_units s;

	if (n && (!stored_units_init(&s, n, g->a) ||
			 !stored_units_add(&s, units, n, g->a)))
		return false;
	if (n)
		*out = (struct level_earlier){ s.ns, s.commit, s.n };
	return true;
}

/* The units of the history that were stored before the first unit of the base: from
 * *first on. Returns how many; 0 if the history cannot be used. */
static uint32_t regression_gate_earlier(const struct regression_gate *g,
	const struct gate_units *u, const struct gate_stored_unit **first)
{
	const struct gate_history *h = g->given->history;
	uint32_t n = h ? h->named : 0;

	if (!h || h->reason)
		return 0;
	*first = h->units + h->named;
	for (; n < h->n; n++)
		for (uint32_t i = 0; i < u->v.base_n; i++)
			if (h->units[n].run == u->runs[i])
				return n - h->named;
	return 0;
}

/* The medians of the iterations of earlier units. */
static bool regression_gate_earlier_units(const struct regression_gate *g,
	const struct gate_units *u, struct level_earlier *out)
{
	const struct gate_stored_unit *first = NULL;
	uint32_t n = regression_gate_earlier(g, u, &first);

	return regression_gate_earlier_set(g, first, n, out);
}

/* The values of a measure in earlier units that have it. If one of them has no
 * logarithm, none is used. */
static bool regression_gate_earlier_measure(const struct regression_gate *g,
	const struct gate_rule *r, const struct gate_units *u,
	struct level_earlier *out)
{
	const struct gate_stored_unit *first = NULL;
	uint32_t n = regression_gate_earlier(g, u, &first), kept = 0;
	struct gate_stored_unit *units =
		arena_array(g->a, struct gate_stored_unit, n + 1);

	for (uint32_t i = 0; i < n; i++) {
		const struct gate_measure_value *v =
			regression_gate_measure_of(g->given, first[i].run,
				r->of);
		if (!v)
			continue;
		units[kept] = first[i];
		units[kept].ns = r->fall ? 1 / v->value : v->value;
		if (!(units[kept].ns > 0) || !isfinite(units[kept].ns))
			return true;
		kept++;
	}
	return regression_gate_earlier_set(g, units, kept, out);
}

/* The number of the largest group of repeats, which are of one rank: ranks of a
 * job are not independent. UINT32_MAX if there are none. */
static uint32_t regression_gate_largest_group(const struct repeats *r)
{
	uint32_t most = 0, of = 0, largest = UINT32_MAX;

	for (uint32_t i = 0; i < r->n; i++) {
		if (r->runs[i].other)
			continue;
		bool next = !i || r->runs[i].group != r->runs[i - 1].group;
		of = next ? 1 : of + 1;
		if (of > most)
			largest = r->runs[i].group;
		most = of > most ? of : most;
	}
	return largest;
}

/* The times of a function in repeats; of all functions together if `name` is NULL.
 * The repeats are sorted by run, so they are in order of time. */
static bool regression_gate_earlier_repeats(const struct regression_gate *g,
	const char *name, struct level_earlier *out)
{
	const struct repeats *r = g->given->repeats;
	uint32_t group = r ? regression_gate_largest_group(r) : 0, n = 0;
	struct gate_stored_unit *units =
		arena_array(g->a, struct gate_stored_unit, r ? r->n + 1 : 1);

	for (uint32_t i = 0; r && i < r->n; i++) {
		const struct repeat_run *run = &r->runs[i];
		double ns = noise_floor_mean_ns(run, name);
		if (run->group == group && ns > 0)
			units[n++] = (struct gate_stored_unit){ .run = run->run,
				.commit = run->commit,
				.ns = ns };
	}
	return regression_gate_earlier_set(g, units, n, out);
}

/* The alpha of a rule if the gate is repeated with more runs of the head. */
static double regression_gate_repeat_alpha(const struct regression_gate *g,
	double alpha)
{
	double repeat = g->given->repeat_alpha;
	return repeat > 0 ? alpha * repeat / g->p->alpha : alpha;
}

/* The test of a rule with the units u. */
static struct level_test_input
regression_gate_input(const struct regression_gate *g,
	const struct gate_rule *r, const struct gate_units *u)
{
	const struct gate_policy *p = g->p;

	return (struct level_test_input){ .v = u->v,
		.base_commit = g->labeled ? u->commits[BASE] : NULL,
		.head_commit = u->commits[HEAD],
		.alpha = r->alpha,
		.repeat_alpha = regression_gate_repeat_alpha(g, r->alpha),
		.floor = p->noise_floor,
		.seed = p->seed };
}

static bool regression_gate_rule_test(struct regression_gate *g,
	struct gate_rule *r, const struct gate_units *u, double scale,
	double limit, struct err *e)
{
	struct level_test_input q = regression_gate_input(g, r, u);
	struct level_test_result l;
	bool ok = true;

	q.limit = limit;
	q.scale = scale;
	if (r->kind == GATE_ITERATION)
		ok = regression_gate_earlier_units(g, u, &q.earlier) &&
		     (q.earlier.n > 1 || regression_gate_earlier_repeats(g,
						 NULL, &q.earlier));
	if (r->kind == GATE_MEASURE && !(scale > 0))
		ok = regression_gate_earlier_measure(g, r, u, &q.earlier);
	if (!ok || !level_test(&q, g->a, &l))
		return arena_err(g->a, e);
	regression_gate_rule_fill(r, &l, u);
	return true;
}

static bool regression_gate_iteration_rule(struct regression_gate *g,
	struct err *e)
{
	struct gate_rule *r = regression_gate_rule_add(g, GATE_ITERATION);
	struct gate_units u = regression_gate_units_iteration(g);
	bool windows = compare_is_window(&g->c->side[BASE]) ||
		       compare_is_window(&g->c->side[HEAD]);

	r->limit_pct = g->p->iteration_pct;
	if (windows || regression_gate_units_zero(&u.v)) {
		r->outcome = GATE_UNDECIDED;
		r->runs_needed = -1;
	} else if (!regression_gate_rule_test(g, r, &u, 0, r->limit_pct / 100,
			   e)) {
		return false;
	}
	r->sentence = regression_gate_text_rule(g, r);
	return true;
}

static bool regression_gate_operator_rule(struct regression_gate *g,
	const struct gate_limit *limit, struct err *e)
{
	struct gate_rule *r = regression_gate_rule_add(g, GATE_OPERATOR);
	struct gate_units u =
		regression_gate_units_operator(g, limit->of, NULL);
	double base = regression_gate_mean(u.v.base, u.v.base_n);

	r->of = limit->of;
	r->limit_pct = limit->pct;
	if (!(base > 0) || !(regression_gate_mean(u.v.head, u.v.head_n) > 0))
		regression_gate_rule_plain(r, &u);
	else if (!regression_gate_rule_test(g, r, &u,
			 regression_gate_units_zero(&u.v) ? base : 0,
			 r->limit_pct / 100, e))
		return false;
	r->sentence = regression_gate_text_rule(g, r);
	return true;
}

/* Fills the percentages of a rule of headroom, whose test has found shares of
 * `covered`, in ns. The base can be 0. */
static void regression_gate_headroom_fill(struct gate_rule *r, double covered,
	double iteration_ns)
{
	double of_base = r->base_ns > 0 ? covered / r->base_ns : (double)NAN;
	double of_iteration = covered / iteration_ns;

	r->iteration_change_pct = r->change_pct * of_iteration;
	r->iteration_low_pct = r->low_pct * of_iteration;
	r->iteration_high_pct = r->high_pct * of_iteration;
	r->change_pct *= of_base;
	r->low_pct *= of_base;
	r->high_pct *= of_base;
}

/* The rule of headroom, whose limit is one of the iteration. The test uses
 * headroom as a share of the operators' time, because the differences of this
 * share between runs are like those of times. */
static bool regression_gate_headroom_rule(struct regression_gate *g,
	struct err *e)
{
	struct gate_rule *r = regression_gate_rule_add(g, GATE_HEADROOM);
	double covered;
	struct gate_units u = regression_gate_units_operator(g, NULL, &covered);
	struct gate_units iterations = regression_gate_units_iteration(g);
	double iteration_ns =
		regression_gate_mean(iterations.v.base, iterations.v.base_n);

	r->iteration_limit_pct = g->p->headroom_pct;
	if (!u.v.base_n || !u.v.head_n || !(iteration_ns > 0)) {
		r->outcome = GATE_UNDECIDED;
		r->runs_needed = -1;
	} else if (!regression_gate_rule_test(g, r, &u, covered,
			   r->iteration_limit_pct / 100 * iteration_ns /
				   covered,
			   e)) {
		return false;
	} else {
		regression_gate_headroom_fill(r, covered, iteration_ns);
	}
	r->sentence = regression_gate_text_rule(g, r);
	return true;
}

/* The change of the inverse of what changed by `change`. */
static double regression_gate_inverse(double change)
{
	return 1 / (1 + change) - 1;
}

/* The change of the inverse of what was tested. */
static void regression_gate_invert(struct gate_rule *r)
{
	double low = r->low_pct / 100, high = r->high_pct / 100;

	r->change_pct = 100 * regression_gate_inverse(r->change_pct / 100);
	r->low_pct = 100 * regression_gate_inverse(high);
	r->high_pct = 100 * regression_gate_inverse(low);
}

static bool regression_gate_busbw_rule(struct regression_gate *g, struct err *e)
{
	struct gate_rule *r = regression_gate_rule_add(g, GATE_BUSBW);
	struct gate_units u = regression_gate_units_busbw(g);
	double limit = regression_gate_inverse(-g->p->busbw_pct / 100);

	r->limit_pct = g->p->busbw_pct;
	r->fall = true;
	if (!u.v.base_n || !u.v.head_n) {
		r->outcome = GATE_UNDECIDED;
		r->runs_needed = -1;
		r->base_gb_s = 1 / regression_gate_mean(u.v.base, u.v.base_n);
		r->head_gb_s = 1 / regression_gate_mean(u.v.head, u.v.head_n);
	} else if (!regression_gate_rule_test(g, r, &u, 0, limit, e)) {
		return false;
	} else {
		r->base_gb_s = 1 / r->base_ns;
		r->head_gb_s = 1 / r->head_ns;
		r->base_ns = r->head_ns = NAN;
		regression_gate_invert(r);
	}
	r->sentence = regression_gate_text_rule(g, r);
	return true;
}

/* Why a measure has no test. `ratio`: its changes have a meaning in percent. */
static const char *regression_gate_text_measure(const struct regression_gate *g,
	const struct gate_rule *r, bool ratio)
{
	bool base = !isnan(r->base_value), head = !isnan(r->head_value);

	if (!base || !head)
		return arena_printf(g->a,
			"measure '%s' is not judged: no run of %s has it",
			r->of,
			base   ? "the head"
			: head ? "the base"
			       : "either side");
	if (!ratio)
		return arena_printf(g->a,
			"measure '%s' is not judged: a value is %s, so changes in "
			"percent have no meaning",
			r->of, r->fall ? "0 or less" : "below 0");
	if (r->base_value == 0 && r->head_value == 0)
		return arena_printf(g->a, "measure '%s' is 0 on both sides",
			r->of);
	return arena_printf(g->a, "measure '%s' is %s%s%s", r->of,
		regression_gate_text_values(g, r),
		r->outcome == GATE_UNDECIDED ? "; " : "",
		r->outcome == GATE_UNDECIDED
			? regression_gate_text_decides(g, r)
			: "");
}

/* Whether changes of these values have a meaning in percent. */
static bool regression_gate_has_ratio(const struct gate_units *u, bool inverse)
{
	const double *const values[] = { u->v.base, u->v.head };
	const uint32_t n[] = { u->v.base_n, u->v.head_n };

	for (int s = 0; s < 2; s++)
		for (uint32_t i = 0; i < n[s]; i++)
			if (values[s][i] < 0 ||
				(inverse && isinf(values[s][i])))
				return false;
	return true;
}

/* What was tested are values of the measure, or their inverse. */
static void regression_gate_measure_fill(struct gate_rule *r)
{
	r->base_value = r->fall ? 1 / r->base_ns : r->base_ns;
	r->head_value = r->fall ? 1 / r->head_ns : r->head_ns;
	r->base_ns = r->head_ns = NAN;
	if (r->fall)
		regression_gate_invert(r);
}

/* The result without a test: a value is unknown, 0 or negative. */
static void regression_gate_measure_plain(const struct regression_gate *g,
	struct gate_rule *r, const struct gate_units *u, bool ratio)
{
	regression_gate_rule_plain(r, u);
	if (!ratio) {
		r->outcome = GATE_UNDECIDED;
		r->runs_needed = -1;
		r->change_pct = NAN;
	} else if (r->base_ns == 0 && r->head_ns == 0) {
		r->outcome = GATE_PASS;
		r->runs_needed = 0;
	}
	regression_gate_measure_fill(r);
	r->sentence = regression_gate_text_measure(g, r, ratio);
}

static bool regression_gate_measure_rule(struct regression_gate *g,
	const struct gate_limit *limit, struct err *e)
{
	struct gate_rule *r = regression_gate_rule_add(g, GATE_MEASURE);
	const struct gate_measure_value *any =
		regression_gate_measure_any(g, limit->of);
	bool fall = any && any->higher_is_better;
	struct gate_units u = regression_gate_units_measure(g, limit->of, fall);
	double base = regression_gate_mean(u.v.base, u.v.base_n),
	       head = regression_gate_mean(u.v.head, u.v.head_n);
	bool ratio = regression_gate_has_ratio(&u, fall);

	r->of = limit->of;
	r->limit_pct = limit->pct;
	r->fall = fall;
	r->unit = any ? any->unit : NULL;
	if (!ratio || !(base > 0) || !(head > 0)) {
		regression_gate_measure_plain(g, r, &u, ratio);
		return true;
	}
	if (!regression_gate_rule_test(g, r, &u,
		    regression_gate_units_zero(&u.v) ? base : 0,
		    fall ? regression_gate_inverse(-limit->pct / 100)
			 : limit->pct / 100,
		    e))
		return false;
	regression_gate_measure_fill(r);
	r->sentence = regression_gate_text_rule(g, r);
	return true;
}

/* The iteration against the anchor; no rule if there is no anchor. */
static bool regression_gate_anchor_rule(struct regression_gate *g,
	struct err *e)
{
	const struct creep_test_input q = { .history = g->given->history,
		.limit = g->p->anchor_pct / 100,
		.alpha = g->alpha[GATE_ANCHOR],
		.repeat_alpha =
			regression_gate_repeat_alpha(g, g->alpha[GATE_ANCHOR]),
		.floor = g->p->noise_floor,
		.seed = g->p->seed };
	struct creep_test_result found;

	if (!creep_test(&q, g->a, &found))
		return arena_err(g->a, e);
	g->out->anchor = found.anchor;
	if (found.anchor.reason)
		return true;
	struct gate_rule *r = regression_gate_rule_add(g, GATE_ANCHOR);
	r->limit_pct = g->p->anchor_pct;
	regression_gate_rule_fill(r, &found.level, NULL);
	r->p_family = found.p_family;
	r->sentence = regression_gate_text_anchor(g, r);
	return true;
}

static bool regression_gate_rules(struct regression_gate *g, struct err *e)
{
	const struct gate_policy *p = g->p;

	if (!isnan(p->iteration_pct) && !regression_gate_iteration_rule(g, e))
		return false;
	for (uint32_t i = 0; i < p->operators_n; i++)
		if (!regression_gate_operator_rule(g, &p->operators[i], e))
			return false;
	for (uint32_t i = 0; i < p->measures_n; i++)
		if (!regression_gate_measure_rule(g, &p->measures[i], e))
			return false;
	return (isnan(p->headroom_pct) ||
		       regression_gate_headroom_rule(g, e)) &&
	       (isnan(p->busbw_pct) || regression_gate_busbw_rule(g, e)) &&
	       (!(g->alpha[GATE_ANCHOR] > 0) ||
		       regression_gate_anchor_rule(g, e));
}

/* The comparison's verdicts on single functions, as rules. */

static const struct compare_row *regression_gate_row_of(const struct compare *c,
	const struct changed_row *given)
{
	for (uint32_t i = 0; i < c->rows_n; i++) {
		const struct compare_row *r = &c->rows[i];
		const char *device = compare_row_device(r, BASE);
		bool same =
			r->identity
				? given->base_names ==
						  r->identity->names[BASE] &&
					  given->head_names ==
						  r->identity->names[HEAD]
				: !given->base_names && !given->head_names &&
					  !strcmp(r->name, given->name);
		if (r->type == given->type && same && device == given->device)
			return r;
	}
	return NULL;
}

static bool regression_gate_relevant(const struct regression_gate *g,
	const struct changed_row *row)
{
	double iteration = g->out->compared.base.iteration_ns;
	return fabs(row->change.delta_ns) >= g->p->share_pct / 100 * iteration;
}

/* The rule of a function before its own test: what the comparison found. */
static struct gate_rule *regression_gate_function_add(struct regression_gate *g,
	const struct changed_row *row)
{
	struct gate_rule *r = regression_gate_rule_add(g, GATE_FUNCTIONS);
	const struct change *c = &row->change;
	double iteration = g->out->compared.base.iteration_ns;

	r->of = row->name;
	r->device = row->device;
	r->base_ns = c->base_ns;
	r->head_ns = c->head_ns;
	r->change_pct = 100 * (c->ratio - 1);
	if (c->base_ns > 0) {
		r->low_pct = 100 * c->low_ns / c->base_ns;
		r->high_pct = 100 * c->high_ns / c->base_ns;
	}
	r->iteration_limit_pct = g->p->share_pct;
	r->iteration_change_pct = 100 * c->delta_ns / iteration;
	r->iteration_low_pct = 100 * c->low_ns / iteration;
	r->iteration_high_pct = 100 * c->high_ns / iteration;
	r->p_family = c->p_family;
	r->floor = c->floor;
	r->floor_df = c->floor_df;
	return r;
}

/* Tests the units of a row, which the comparison does not do: whether the
 * base's newest units are as slow as the head, and how many units of the head
 * would decide. */
static bool regression_gate_function_level(struct regression_gate *g,
	const struct changed_row *row, struct gate_rule *r, struct err *e)
{
	const struct compare_row *of = regression_gate_row_of(g->c, row);
	assert(of);
	struct gate_units u = regression_gate_units_row(g, of);
	double base = row->change.base_ns, head = row->change.head_ns;
	struct level_test_input q = regression_gate_input(g, r, &u);
	struct level_test_result l;
	bool ok = true;

	q.limit = g->p->share_pct / 100 * g->out->compared.base.iteration_ns /
		  (base > 0 ? base : head);
	if (regression_gate_units_zero(&u.v))
		q.scale = base > 0 ? base : head;
	else
		ok = !of->repeat_name || regression_gate_earlier_repeats(g,
						 of->repeat_name, &q.earlier);
	if (!ok || !level_test(&q, g->a, &l))
		return arena_err(g->a, e);
	r->p = l.p;
	r->earlier_units = l.earlier;
	r->commits = l.commits;
	if (l.since != LEVEL_TEST_SINCE_NONE)
		r->since_run = u.runs[l.since];
	if (!l.shown && r->outcome == GATE_REGRESSED)
		r->outcome = l.above ? GATE_UNDECIDED : GATE_PASS;
	if (r->since_run && !l.above)
		r->outcome = GATE_PASS;
	if (r->outcome == GATE_UNDECIDED)
		r->runs_needed = l.needed	  ? l.needed
				 : u.v.base_n < 2 ? -1
						  : (int32_t)u.v.head_n + 1;
	return true;
}

static enum gate_outcome regression_gate_function_outcome(
	const struct regression_gate *g, const struct changed_row *row)
{
	const struct change *c = &row->change;
	bool fails = g->p->fail_on >> c->is & 1;

	if (c->evidence == EVIDENCE_NONE || !regression_gate_relevant(g, row))
		return GATE_PASS;
	if (fails)
		return regression_gate_several_units(g) ? GATE_REGRESSED
							: GATE_UNDECIDED;
	if ((c->is == CHANGE_LIKELY || c->is == CHANGE_UNDECIDED) &&
		c->delta_ns > 0)
		return GATE_UNDECIDED;
	return GATE_PASS;
}

static bool regression_gate_functions(struct regression_gate *g, struct err *e)
{
	const struct comparison *c = &g->out->compared;

	for (uint32_t i = 0; i < c->rows_n && g->p->fail_on; i++) {
		const struct changed_row *row = &c->rows[i];
		struct gate_rule *r = regression_gate_function_add(g, row);
		r->outcome = regression_gate_function_outcome(g, row);
		if (r->outcome != GATE_PASS && row->change.delta_ns > 0 &&
			!regression_gate_function_level(g, row, r, e))
			return false;
		r->sentence = regression_gate_text_function(g, r, row);
	}
	return true;
}

/* The steps, in order. */

/* The weight of each kind of rule when alpha is shared. */
static const double weights[] = { [GATE_ITERATION] = 8,
	[GATE_OPERATOR] = 2,
	[GATE_HEADROOM] = 2,
	[GATE_BUSBW] = 2,
	[GATE_MEASURE] = 2,
	[GATE_ANCHOR] = 1,
	[GATE_FUNCTIONS] = 2 };

double regression_gate_alpha(double alpha, uint32_t number)
{
	return number ? alpha * 0.8 / ((double)number * number) : alpha;
}

void regression_gate_policy_init(struct gate_policy *p)
{
	*p = (struct gate_policy){
#define POLICY(kind, field, value, ...) .field = value,
#include "gate_policy.def"
#undef POLICY
	};
}

static bool regression_gate_limit_makes_sense(double pct)
{
	return isnan(pct) || (isfinite(pct) && pct >= 0);
}

bool regression_gate_policy_check(const struct gate_policy *p, struct err *e)
{
	bool limits = regression_gate_limit_makes_sense(p->iteration_pct) &&
		      regression_gate_limit_makes_sense(p->headroom_pct) &&
		      regression_gate_limit_makes_sense(p->busbw_pct) &&
		      regression_gate_limit_makes_sense(p->anchor_pct);

	for (uint32_t i = 0; i < p->operators_n; i++)
		limits = limits && p->operators[i].of &&
			 isfinite(p->operators[i].pct) &&
			 p->operators[i].pct >= 0;
	for (uint32_t i = 0; i < p->measures_n; i++)
		limits = limits && p->measures[i].of &&
			 isfinite(p->measures[i].pct) &&
			 p->measures[i].pct >= 0;
	if (!limits || !isfinite(p->share_pct) || p->share_pct < 0)
		return err_set(e, ERR_INPUT,
			"a limit is a number of percent, 0 or more");
	if (p->busbw_pct >= 100)
		return err_set(e, ERR_INPUT,
			"the limit of bus bandwidth is less than 100 %%");
	if (!(p->alpha > 0) || !(p->alpha <= 0.5))
		return err_set(e, ERR_INPUT,
			"alpha is more than 0 and at most 0.5");
	if (!isnan(p->noise_floor) &&
		(p->noise_floor < 0 || isinf(p->noise_floor)))
		return err_set(e, ERR_INPUT,
			"a noise floor is a finite number, 0 or more");
	if (isnan(p->iteration_pct) && isnan(p->headroom_pct) &&
		isnan(p->busbw_pct) && !p->operators_n && !p->measures_n &&
		!p->fail_on)
		return err_set(e, ERR_INPUT,
			"a gate without a rule: name a limit, or a class that "
			"fails");
	return true;
}

/* A gate without a rule of the iteration does not test its creep either. */
static bool regression_gate_has_anchor_rule(const struct gate_policy *p)
{
	return !isnan(p->anchor_pct) && !isnan(p->iteration_pct);
}

static bool regression_gate_anchored(const struct regression_gate *g)
{
	const struct gate_history *h = g->given->history;
	return regression_gate_has_anchor_rule(g->p) && h && h->head_n;
}

/* The reason stays if the rule is not reached. */
static void regression_gate_anchor_init(struct regression_gate *g)
{
	const struct gate_history *h = g->given->history;

	g->out->anchor = (struct gate_anchor){ .median_ns = NAN,
		.query = h ? h->query : NULL,
		.excluded = h ? h->excluded : 0,
		.reason = !regression_gate_has_anchor_rule(g->p)
				  ? "the gate has no such rule"
			  : h && h->reason ? h->reason
					   : "the data do not meet the gate's "
					     "requirements" };
}

static void regression_gate_share_alpha(struct regression_gate *g)
{
	const struct gate_policy *p = g->p;
	bool used[] = { [GATE_ITERATION] = !isnan(p->iteration_pct),
		[GATE_OPERATOR] = p->operators_n > 0,
		[GATE_HEADROOM] = !isnan(p->headroom_pct),
		[GATE_BUSBW] = !isnan(p->busbw_pct),
		[GATE_MEASURE] = p->measures_n > 0,
		[GATE_ANCHOR] = regression_gate_anchored(g) &&
				!g->given->history->reason,
		[GATE_FUNCTIONS] = p->fail_on != 0 };
	double all = 0;

	for (int k = 0; k <= GATE_FUNCTIONS; k++)
		all += used[k] ? weights[k] : 0;
	for (int k = 0; k <= GATE_FUNCTIONS; k++)
		g->alpha[k] = used[k] ? p->alpha * weights[k] / all : 0;
	if (p->operators_n)
		g->alpha[GATE_OPERATOR] /= p->operators_n;
	if (p->measures_n)
		g->alpha[GATE_MEASURE] /= p->measures_n;
}

static int regression_gate_by_outcome(const void *left, const void *right)
{
	static const int order[] = { [GATE_REGRESSED] = 0,
		[GATE_UNDECIDED] = 1,
		[GATE_PASS] = 2,
		[GATE_BAD_DATA] = 3 };
	const struct gate_rule *a = left, *b = right;
	double x = fabs(a->head_ns - a->base_ns),
	       y = fabs(b->head_ns - b->base_ns);

	if (a->outcome != b->outcome)
		return order[a->outcome] - order[b->outcome];
	if (isnan(x) || isnan(y))
		x = isnan(x) ? -1 : x, y = isnan(y) ? -1 : y;
	if (x != y)
		return x < y ? 1 : -1;
	return (a->kind > b->kind) - (a->kind < b->kind);
}

static void regression_gate_outcome(struct gate *out)
{
	out->outcome = GATE_PASS;
	for (uint32_t i = 0; i < out->rules_n; i++) {
		const struct gate_rule *r = &out->rules[i];
		if (r->outcome == GATE_REGRESSED)
			out->outcome = GATE_REGRESSED;
		if (r->outcome == GATE_UNDECIDED && out->outcome == GATE_PASS)
			out->outcome = GATE_UNDECIDED;
		if (r->outcome != GATE_UNDECIDED || out->runs_needed < 0)
			continue;
		if (r->runs_needed < 0 || r->runs_needed > out->runs_needed)
			out->runs_needed = r->runs_needed;
	}
	if (out->shortfalls_n)
		out->outcome = GATE_BAD_DATA;
	if (out->outcome != GATE_UNDECIDED)
		out->runs_needed = 0;
}

bool regression_gate_from(const struct gate_given *given,
	const struct gate_policy *p, struct arena *a, struct gate *out,
	struct err *e)
{
	struct compare_options o = COMPARE_OPTIONS;
	struct compare c = { .o = &o,
		.repeats = given->repeats,
		.a = a,
		.out = &out->compared };
	struct regression_gate g = { .given = given,
		.p = p,
		.a = a,
		.c = &c,
		.out = out };

	*out = (struct gate){ .outcome = GATE_BAD_DATA };
	if (!regression_gate_policy_check(p, e))
		return false;
	regression_gate_share_alpha(&g);
	regression_gate_anchor_init(&g);
	o.floor = isnan(p->noise_floor) ? -1 : p->noise_floor;
	o.group = COMPARE_MIXED; /* a gate judges all work */
	o.seed = p->seed;
	if (p->fail_on)
		o.alpha = g.alpha[GATE_FUNCTIONS];
	if (!compare_run(&c, given->base, given->base_n, given->head,
		    given->head_n, e))
		return false;
	regression_gate_select_units(&g);
	regression_gate_check_data(&g);
	if (out->compared.comparable && g.units_n[BASE] && g.units_n[HEAD] &&
		(!regression_gate_rules(&g, e) ||
			!regression_gate_functions(&g, e)))
		return false;
	if (out->rules_n)
		qsort(out->rules, out->rules_n, sizeof *out->rules,
			regression_gate_by_outcome);
	regression_gate_outcome(out);
	out->sentence = regression_gate_text_all(&g);
	return true;
}
