/* gate_functions.c - what the comparison says of single functions, as rules. */
#include "gate_parts.h"
#include <math.h>
#include <string.h>

static const struct compare_row *row_of(const struct compare *c,
	const struct changed_row *told)
{
	for (uint32_t i = 0; i < c->rows_n; i++) {
		const struct compare_row *r = &c->rows[i];
		const char *device = r->device[r->device[BASE] ? BASE : HEAD];
		if (r->type == told->type && !strcmp(r->name, told->name) &&
			device == told->device)
			return r;
	}
	return NULL;
}

static bool matters(const struct gating *g, const struct changed_row *row)
{
	double cycle = fmax(g->out->compared.base.cycle_ns,
		g->out->compared.head.cycle_ns);
	return fabs(row->change.delta_ns) >= g->p->share_pct / 100 * cycle;
}

static void fill(struct gate_rule *r, const struct changed_row *row,
	double share_pct)
{
	const struct change *c = &row->change;
	*r = (struct gate_rule){ .kind = GATE_FUNCTIONS,
		.of = row->name,
		.device = row->device,
		.limit_pct = share_pct,
		.base_ns = c->base_ns,
		.head_ns = c->head_ns,
		.change_pct = 100 * (c->ratio - 1),
		.low_pct = c->base_ns > 0 ? 100 * c->low_ns / c->base_ns : NAN,
		.high_pct =
			c->base_ns > 0 ? 100 * c->high_ns / c->base_ns : NAN,
		.p = c->p_family,
		.floor = c->floor,
		.floor_df = c->floor_df };
}

/* What units of the row tell, which the comparison does not ask: whether the base's
 * newest ones are as slow; how many of the head would decide. */
static bool level(struct gating *g, const struct changed_row *row,
	struct gate_rule *r, struct err *e)
{
	struct gate_units u = gate_units_row(g, row_of(g->c, row));
	double base = row->change.base_ns, head = row->change.head_ns;
	struct gate_level_asked q = { .v = u.v,
		.scale = !gate_units_zero(&u.v) ? 0
			 : base > 0		? base
						: head,
		.alpha = g->alpha[GATE_FUNCTIONS],
		.floor = floor_of(g->given->repeats, row->name, g->p->floor),
		.seed = g->p->seed };
	struct gate_level l;

	q.limit = g->p->share_pct / 100 * g->out->compared.base.cycle_ns /
		  (base > 0 ? base : head);
	if (!gate_level_from(&q, g->a, &l))
		return arena_err(g->a, e);
	if (l.since != GATE_SINCE_NONE)
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

/* One unit of a side accuses nobody: an odd run is no change. */
static bool several(const struct gating *g)
{
	return g->p->floor >= 0 ||
	       (g->units_n[HEAD] > 1 &&
		       (g->units_n[BASE] > 1 || g->out->compared.repeats));
}

static enum gate_outcome outcome_of(const struct gating *g,
	const struct changed_row *row)
{
	const struct change *c = &row->change;
	bool fails = g->p->fail_on >> c->is & 1;

	if (c->evidence == EVIDENCE_NONE || !matters(g, row))
		return GATE_PASS;
	if (fails)
		return several(g) ? GATE_REGRESSED : GATE_UNDECIDED;
	if ((c->is == CHANGE_LIKELY || c->is == CHANGE_UNDECIDED) &&
		c->delta_ns > 0)
		return GATE_UNDECIDED;
	return GATE_PASS;
}

bool gate_functions_from(struct gating *g, struct err *e)
{
	const struct comparison *c = &g->out->compared;

	for (uint32_t i = 0; i < c->rows_n && g->p->fail_on; i++) {
		const struct changed_row *row = &c->rows[i];
		struct gate_rule *r = gate_rule_add(g);
		fill(r, row, g->p->share_pct);
		r->outcome = outcome_of(g, row);
		if (r->outcome != GATE_PASS && row->change.delta_ns > 0 &&
			!level(g, row, r, e))
			return false;
		r->sentence = gate_text_function(g, r, row);
	}
	return true;
}
