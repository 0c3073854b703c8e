/* gate_rules.c - the rules of the cycle, of operators and of headroom. */
#include "gate_parts.h"
#include <math.h>

struct gate_rule *gate_rule_add(struct gating *g)
{
	struct gate *out = g->out;
	out->rules = arena_grow(g->a, out->rules,
		(out->rules_n + 1) * sizeof *out->rules);
	out->rules[out->rules_n] = (struct gate_rule){ .base_ns = NAN,
		.head_ns = NAN,
		.change_pct = NAN,
		.low_pct = NAN,
		.high_pct = NAN,
		.p = NAN,
		.floor = NAN,
		.floor_df = NAN };
	return &out->rules[out->rules_n++];
}

static double mean(const double *x, uint32_t n)
{
	double sum = 0;
	for (uint32_t i = 0; i < n; i++)
		sum += x[i];
	return n ? sum / n : NAN;
}

static enum gate_outcome outcome_of(const struct gate_level *l)
{
	if (l->shown)
		return GATE_REGRESSED;
	return l->above ? GATE_UNDECIDED : GATE_PASS;
}

static void fill(struct gate_rule *r, const struct gate_level *l,
	const struct gate_units *u)
{
	r->outcome = outcome_of(l);
	r->base_ns = l->base;
	r->head_ns = l->head;
	r->change_pct = 100 * l->change;
	r->low_pct = 100 * l->low;
	r->high_pct = 100 * l->high;
	r->p = l->p;
	r->floor = l->floor;
	r->floor_df = l->floor_df;
	if (l->since != GATE_SINCE_NONE)
		r->since_run = u->runs[l->since];
	if (r->outcome == GATE_UNDECIDED)
		r->runs_needed = l->needed;
}

/* Where one of the sides is nothing at all: no interval, but no doubt either,
 * unless it is one unit that says so. */
static void plain(struct gate_rule *r, const struct gate_units *u)
{
	bool several = u->v.base_n > 1 && u->v.head_n > 1;

	r->base_ns = mean(u->v.base, u->v.base_n);
	r->head_ns = mean(u->v.head, u->v.head_n);
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

static bool judge(struct gating *g, struct gate_rule *r,
	const struct gate_units *u, double scale, double of, struct err *e)
{
	struct gate_level_asked q = { .v = u->v,
		.limit = r->limit_pct / 100 * of,
		.scale = scale,
		.alpha = g->alpha[r->kind],
		.floor = floor_of(g->given->repeats,
			r->kind == GATE_CYCLE ? NULL : "", g->p->floor),
		.seed = g->p->seed };
	struct gate_level l;

	if (!gate_level_from(&q, g->a, &l))
		return arena_err(g->a, e);
	fill(r, &l, u);
	return true;
}

static bool cycle(struct gating *g, struct err *e)
{
	struct gate_rule *r = gate_rule_add(g);
	struct gate_units u = gate_units_cycle(g);
	bool windows = compare_is_window(&g->c->side[BASE]) ||
		       compare_is_window(&g->c->side[HEAD]);

	r->kind = GATE_CYCLE;
	r->limit_pct = g->p->cycle_pct;
	if (windows || gate_units_zero(&u.v)) {
		r->outcome = GATE_UNDECIDED;
		r->runs_needed = -1;
	} else if (!judge(g, r, &u, 0, 1, e)) {
		return false;
	}
	r->sentence = gate_text_rule(g, r);
	return true;
}

static bool operator_rule(struct gating *g,
	const struct gate_operator_limit *limit, struct err *e)
{
	struct gate_rule *r = gate_rule_add(g);
	struct gate_units u = gate_units_operator(g, limit->operator, NULL);
	double base = mean(u.v.base, u.v.base_n);

	r->kind = GATE_OPERATOR;
	r->of = limit->operator;
	r->limit_pct = limit->pct;
	if (!(base > 0) || !(mean(u.v.head, u.v.head_n) > 0))
		plain(r, &u);
	else if (!judge(g, r, &u, gate_units_zero(&u.v) ? base : 0, 1, e))
		return false;
	r->sentence = gate_text_rule(g, r);
	return true;
}

/* Points of the cycle: headroom as a share of what operators take is what runs
 * differ in, as they do in times. */
static bool headroom(struct gating *g, struct err *e)
{
	struct gate_rule *r = gate_rule_add(g);
	double covered;
	struct gate_units u = gate_units_operator(g, NULL, &covered);
	struct gate_units cycles = gate_units_cycle(g);
	double cycle_ns = mean(cycles.v.base, cycles.v.base_n);

	r->kind = GATE_HEADROOM;
	r->limit_pct = g->p->headroom_pct;
	if (!u.v.base_n || !u.v.head_n || !(cycle_ns > 0)) {
		r->outcome = GATE_UNDECIDED;
		r->runs_needed = -1;
	} else if (!judge(g, r, &u, covered, cycle_ns / covered, e)) {
		return false;
	} else {
		double points = covered / cycle_ns;
		r->change_pct *= points;
		r->low_pct *= points;
		r->high_pct *= points;
	}
	r->sentence = gate_text_rule(g, r);
	return true;
}

bool gate_rules_from(struct gating *g, struct err *e)
{
	const struct gate_policy *p = g->p;

	if (!isnan(p->cycle_pct) && !cycle(g, e))
		return false;
	for (uint32_t i = 0; i < p->operators_n; i++)
		if (!operator_rule(g, &p->operators[i], e))
			return false;
	return isnan(p->headroom_pct) || headroom(g, e);
}
