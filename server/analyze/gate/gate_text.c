/* gate_text.c - what a rule found, and what the gate says, in a sentence each. */
#include "gate_parts.h"
#include "decimals.h"
#include <math.h>

static const char *subject(const struct gating *g, const struct gate_rule *r)
{
	if (r->kind == GATE_OPERATOR)
		return arena_printf(g->a, "operator '%s'", r->of);
	return r->kind == GATE_HEADROOM
		       ? "time above what the hardware could do"
		       : "the cycle";
}

static const char *times(const struct gating *g, const struct gate_rule *r)
{
	return arena_printf(g->a, "%s per cycle instead of %s",
		compare_text_time(g->a, r->head_ns),
		compare_text_time(g->a, r->base_ns));
}

/* "9 more runs of the head would probably decide" */
static const char *decides(const struct gating *g, const struct gate_rule *r)
{
	uint32_t have = g->units_n[HEAD];
	int32_t more = r->runs_needed > (int32_t)have
			       ? r->runs_needed - (int32_t)have
			       : 1;
	const char *one = have == 1 && g->p->floor < 0
				  ? "one run of the head accuses nobody; "
				  : "";

	if (r->runs_needed < 0)
		return arena_printf(g->a,
			"%sno number of runs of the head would decide, the "
			"base "
			"has too few (%u)",
			one, g->units_n[BASE]);
	return arena_printf(g->a,
		"%s%d more run%s of the head would probably decide", one, more,
		more == 1 ? "" : "s");
}

static const char *unknown(const struct gating *g, const struct gate_rule *r)
{
	if (r->kind == GATE_CYCLE)
		return "the cycle is not judged: no cycles were found, and "
		       "recordings differ in length by chance";
	if (r->kind == GATE_HEADROOM)
		return "time above what the hardware could do is unknown: no "
		       "operator's sizes are known on one side or both";
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

static const char *one_sided(const struct gating *g, const struct gate_rule *r)
{
	const char *time = compare_text_time(g->a,
		r->head_ns > 0 ? r->head_ns : r->base_ns);
	if (r->head_ns == 0)
		return arena_printf(g->a, "%s is gone: it took %s per cycle",
			subject(g, r), time);
	if (r->outcome == GATE_UNDECIDED)
		return arena_printf(g->a, "%s is new: %s per cycle; %s",
			subject(g, r), time, decides(g, r));
	return arena_printf(g->a, "%s is new: %s per cycle", subject(g, r),
		time);
}

/* "7.3 % slower (95 % interval: 4.1 to 10.6 %)" */
static const char *change(const struct gating *g, const struct gate_rule *r)
{
	bool less = r->change_pct < 0, points = r->kind == GATE_HEADROOM;
	double low = less ? -r->high_pct : r->low_pct,
	       high = less ? -r->low_pct : r->high_pct;

	int decimals = decimals_beside(r->change_pct, r->limit_pct, 1);

	return arena_printf(g->a, "%.*f %s%s (95 %% interval: %.1f to %.1f)",
		decimals, fabs(r->change_pct),
		points ? "points of the cycle " : "% ",
		points ? less ? "less" : "more"
		: less ? "faster"
		       : "slower",
		low, high);
}

static const char *limit(const struct gating *g, const struct gate_rule *r)
{
	return arena_printf(g->a, "the limit is %.3g %s", r->limit_pct,
		r->kind == GATE_HEADROOM ? "points" : "%");
}

static const char *since(const struct gating *g, const struct gate_rule *r)
{
	const char *then =
		r->outcome == GATE_UNDECIDED ? decides(g, r) : limit(g, r);
	return arena_printf(g->a,
		"%s has been slower since run %lld of the base, before this "
		"head; against the base from there on it is %s, %s; %s",
		subject(g, r), (long long)r->since_run, change(g, r),
		times(g, r), then);
}

const char *gate_text_rule(const struct gating *g, const struct gate_rule *r)
{
	if (isnan(r->base_ns) || isnan(r->head_ns) ||
		(r->base_ns == 0 && r->head_ns == 0))
		return unknown(g, r);
	if (isnan(r->low_pct))
		return one_sided(g, r);
	if (r->since_run)
		return since(g, r);
	if (r->outcome == GATE_UNDECIDED)
		return arena_printf(g->a, "%s may be %s, %s; %s; %s",
			subject(g, r), change(g, r), times(g, r), limit(g, r),
			decides(g, r));
	return arena_printf(g->a, "%s is %s, %s; %s", subject(g, r),
		change(g, r), times(g, r), limit(g, r));
}

const char *gate_text_function(const struct gating *g,
	const struct gate_rule *r, const struct changed_row *row)
{
	const struct change *c = &row->change;
	const char *name = compare_text_name(g->a, row->name), *what;
	double cycle = g->out->compared.base.cycle_ns;

	if (c->is <= CHANGE_LIKELY)
		what = compare_text_what(c);
	else if (c->is == CHANGE_UNCHANGED)
		return arena_printf(g->a, "%s on %s is unchanged: %s", name,
			row->device, compare_text_amount(g->a, c));
	else
		what = c->delta_ns > 0 ? "may take longer" : "may take less";
	const char *told = arena_printf(g->a,
		"%s on %s %s: %s, %.1f %% of the cycle", name, row->device,
		what, compare_text_amount(g->a, c), 100 * c->delta_ns / cycle);
	if (c->evidence != EVIDENCE_NONE && c->is <= CHANGE_LIKELY)
		told = arena_printf(g->a, "%s, %s", told,
			compare_text_evidence(c));
	if (r->since_run)
		told = arena_printf(g->a,
			"%s; it has since run %lld of the base, before this "
			"head",
			told, (long long)r->since_run);
	if (r->outcome == GATE_UNDECIDED)
		told = arena_printf(g->a, "%s; %s", told, decides(g, r));
	return told;
}

static const char *others(const struct gating *g, uint32_t n, const char *what)
{
	if (n < 2)
		return "";
	return arena_printf(g->a, "; %u %s in all", n, what);
}

const char *gate_text_all(const struct gating *g)
{
	const struct gate *out = g->out;
	uint32_t same = 0;

	if (out->shortfalls_n)
		return arena_printf(g->a, "%s%s", out->shortfalls[0].sentence,
			others(g, out->shortfalls_n, "reasons"));
	for (uint32_t i = 0; i < out->rules_n; i++)
		same += out->rules[i].outcome == out->outcome;
	if (!out->rules_n)
		return "no function is on either side: nothing to hold against "
		       "a limit";
	if (out->outcome == GATE_REGRESSED)
		return arena_printf(g->a, "%s%s", out->rules[0].sentence,
			others(g, same, "rules are broken"));
	if (out->outcome == GATE_UNDECIDED)
		return arena_printf(g->a, "%s%s", out->rules[0].sentence,
			others(g, same, "rules are undecided"));
	for (uint32_t i = 0; i < out->rules_n; i++)
		if (out->rules[i].kind != GATE_FUNCTIONS)
			return out->rules[i].sentence;
	return arena_printf(g->a,
		"no function fails: none of %u is called what fails with %.3g "
		"%% "
		"of the cycle or more",
		out->rules_n, g->p->share_pct);
}
