/* regression_gate.c - the steps, in order. */
#include "gate_parts.h"
#include <math.h>
#include <stdlib.h>

/* How much of alpha a kind of rule gets beside the others. */
static const double weights[] = { [GATE_CYCLE] = 8,
	[GATE_OPERATOR] = 2,
	[GATE_HEADROOM] = 2,
	[GATE_FUNCTIONS] = 2 };

void gate_policy_init(struct gate_policy *p)
{
	*p = (struct gate_policy){ .cycle_pct = 2,
		.headroom_pct = NAN,
		.fail_on = 1U << CHANGE_REGRESSED | 1U << CHANGE_APPEARED,
		.share_pct = 1,
		.least_runs = 1,
		.least_cycles = 4,
		.alpha = 0.01,
		.floor = -1,
		.seed = 1 };
}

static bool limit_makes_sense(double pct)
{
	return isnan(pct) || (isfinite(pct) && pct >= 0);
}

static bool policy_check(const struct gate_policy *p, struct err *e)
{
	bool limits = limit_makes_sense(p->cycle_pct) &&
		      limit_makes_sense(p->headroom_pct);

	for (uint32_t i = 0; i < p->operators_n; i++)
		limits = limits &&
			 p->operators[i].operator&&
			 isfinite(p->operators[i].pct) &&
			 p->operators[i].pct >= 0;
	if (!limits || !isfinite(p->share_pct) || p->share_pct < 0)
		return err_set(e, ERR_INPUT,
			"a limit is a number of percent, 0 or more");
	if (!(p->alpha > 0) || !(p->alpha <= 0.5))
		return err_set(e, ERR_INPUT,
			"alpha is more than 0 and at most 0.5");
	if (isnan(p->floor) || isinf(p->floor))
		return err_set(e, ERR_INPUT, "a floor is a finite number");
	if (isnan(p->cycle_pct) && isnan(p->headroom_pct) && !p->operators_n &&
		!p->fail_on)
		return err_set(e, ERR_INPUT,
			"a gate without a rule: name a limit, or a class that "
			"fails");
	return true;
}

static void alpha_share(struct gating *g)
{
	const struct gate_policy *p = g->p;
	bool asked[] = { [GATE_CYCLE] = !isnan(p->cycle_pct),
		[GATE_OPERATOR] = p->operators_n > 0,
		[GATE_HEADROOM] = !isnan(p->headroom_pct),
		[GATE_FUNCTIONS] = p->fail_on != 0 };
	double all = 0;

	for (int k = 0; k <= GATE_FUNCTIONS; k++)
		all += asked[k] ? weights[k] : 0;
	for (int k = 0; k <= GATE_FUNCTIONS; k++)
		g->alpha[k] = asked[k] ? p->alpha * weights[k] / all : 0;
	if (p->operators_n)
		g->alpha[GATE_OPERATOR] /= p->operators_n;
}

static int by_outcome(const void *left, const void *right)
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

static void outcome_from(struct gate *out)
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

bool gate_from(const struct gate_given *given, const struct gate_policy *p,
	struct arena *a, struct gate *out, struct err *e)
{
	struct compare_options o = COMPARE_OPTIONS;
	struct compare c = { .o = &o,
		.repeats = given->repeats,
		.a = a,
		.out = &out->compared };
	struct gating g = { .given = given,
		.p = p,
		.a = a,
		.c = &c,
		.out = out };

	*out = (struct gate){ .outcome = GATE_BAD_DATA };
	if (!policy_check(p, e))
		return false;
	alpha_share(&g);
	o.floor = p->floor;
	o.seed = p->seed;
	if (p->fail_on)
		o.alpha = g.alpha[GATE_FUNCTIONS];
	if (!compare_run(&c, given->base, given->base_n, given->head,
		    given->head_n, e))
		return false;
	gate_units_from(&g);
	gate_data_from(&g);
	if (out->compared.comparable && g.units_n[BASE] && g.units_n[HEAD] &&
		(!gate_rules_from(&g, e) || !gate_functions_from(&g, e)))
		return false;
	if (out->rules_n)
		qsort(out->rules, out->rules_n, sizeof *out->rules, by_outcome);
	outcome_from(out);
	out->sentence = gate_text_all(&g);
	return true;
}
