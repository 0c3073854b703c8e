/* gate_data.c - whether the data are what was asked for. */
#include "gate_parts.h"
#include <math.h>
#include <string.h>

static const char *const side_names[] = { "base", "head" };

void gate_shortfall_add(struct gating *g, const char *what,
	const char *sentence)
{
	struct gate *out = g->out;
	out->shortfalls = arena_grow(g->a, out->shortfalls,
		(out->shortfalls_n + 1) * sizeof *out->shortfalls);
	out->shortfalls[out->shortfalls_n++] =
		(struct gate_shortfall){ what, sentence };
}

void gate_units_from(struct gating *g)
{
	for (int s = 0; s < 2; s++) {
		const struct compare_side *side = &g->c->side[s];
		g->units[s] = arena_array(g->a, uint32_t, side->units_n + 1);
		if (g->c->statistics || !side->by_time)
			continue;
		for (uint32_t i = 0; i < side->units_n; i++) {
			uint32_t u = side->by_time[i];
			if (side->units[u].cycles_n >= g->p->least_cycles)
				g->units[s][g->units_n[s]++] = u;
		}
	}
}

static void findings(struct gating *g)
{
	const struct comparison *c = &g->out->compared;
	for (uint32_t i = 0; i < c->findings_n; i++) {
		const struct finding *f = &c->findings[i];
		if (finding_severity(f->code) == FINDING_REFUSE ||
			g->p->refuse >> f->code & 1)
			gate_shortfall_add(g, finding_name(f->code), f->text);
	}
}

static const char *plural(uint32_t n)
{
	return n == 1 ? "" : "s";
}

/* Runs that are too short are told of where they are why too few are left. */
static void runs(struct gating *g, int s)
{
	const struct compare_side *side = &g->c->side[s];
	uint32_t least = g->p->least_runs > 0 ? g->p->least_runs : 1;
	uint32_t cycles = g->p->least_cycles;

	if (g->units_n[s] >= least)
		return;
	if (side->units_n < least) {
		gate_shortfall_add(g, "runs",
			arena_printf(g->a,
				"the %s has %u run%s to compare; %u %s asked "
				"for",
				side_names[s], side->units_n,
				plural(side->units_n), least,
				least == 1 ? "is" : "are"));
		return;
	}
	gate_shortfall_add(g, "cycles",
		arena_printf(g->a,
			"of the %u run%s of the %s %u %s %u cycle%s or more to "
			"compare; %u %s asked for",
			side->units_n, plural(side->units_n), side_names[s],
			g->units_n[s], g->units_n[s] == 1 ? "has" : "have",
			cycles, plural(cycles), least,
			least == 1 ? "is" : "are"));
}

static void share(struct gating *g, int s, const char *what, const char *of,
	double is, double least_pct)
{
	if (!(least_pct > 0) || 100 * is >= least_pct)
		return;
	const char *had =
		is >= 0 ? compare_text_pct(g->a, is) : "an unknown share";
	gate_shortfall_add(g, what,
		arena_printf(g->a,
			"%s %s of the %s's GPU time; %.3g %% are asked for", of,
			had, side_names[s], least_pct));
}

void gate_data_from(struct gating *g)
{
	findings(g);
	if (!g->out->compared.comparable)
		return;
	for (int s = 0; s < 2; s++) {
		runs(g, s);
		share(g, s, "coverage", "cycles hold",
			compare_covered(&g->c->side[s]),
			g->p->least_coverage_pct);
		share(g, s, "attributed", "operators are known for",
			gate_attributed(g, s), g->p->least_attributed_pct);
	}
}
