/* compare_resource.c - counters whose change stands beside a function's.
 *
 * Only where a counter was sampled inside nearly all executions: what is
 * interpolated tells of the device, and adds the same to every function. It
 * changed where the means over cycles differ by more than the margin, and by
 * more than three standard errors. */
#include "compare_state.h"
#include <math.h>
#include <string.h>

static const double sampled_least = 0.95, errors_least = 3;

struct tallied {
	double values, sampled, sum, squares;
};

/* The first metric of a pattern, or one behind. */
static uint32_t metric_first(const struct patterns *p, uint32_t pattern)
{
	uint32_t low = 0, high = p->metrics_n;
	while (low < high) {
		uint32_t mid = low + (high - low) / 2;
		if (p->metrics[mid].pattern < pattern)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static void tally(struct tallied *t, const struct pattern_metric *m,
	const uint32_t *at, uint32_t n)
{
	for (uint32_t k = 0; k < n; k++) {
		double mu = m->mu[at[k]];
		if (isnan(mu))
			continue;
		t->values++;
		t->sampled += m->interpolated[at[k]] == METRIC_SAMPLED;
		t->sum += mu;
		t->squares += mu * mu;
	}
}

static struct tallied tally_row(const struct compare *c,
	const struct compare_row *row, int s, const char *name)
{
	struct tallied t = { 0 };
	for (uint32_t i = 0; i < row->sources_n; i++) {
		const struct compare_source *x = &row->sources[i];
		if (x->side != s)
			continue;
		const struct compare_unit *u = &c->side[s].units[x->unit];
		const struct patterns *p = &u->runs[x->run]->patterns;
		for (uint32_t m = metric_first(p, x->pattern);
			m < p->metrics_n && p->metrics[m].pattern == x->pattern;
			m++)
			if (!strcmp(p->metrics[m].name, name))
				tally(&t, &p->metrics[m], u->at[x->run],
					u->cycles_n);
	}
	return t;
}

static bool resolved(const struct tallied *t)
{
	return t->values >= 3 && t->sampled >= sampled_least * t->values;
}

static double mean(const struct tallied *t)
{
	return t->sum / t->values;
}

static double error2(const struct tallied *t)
{
	double m = mean(t);
	double var = (t->squares - t->values * m * m) / (t->values - 1);
	return fmax(var, 0) / t->values;
}

static bool moved(const struct compare *c, const struct tallied *base,
	const struct tallied *head)
{
	double delta = fabs(mean(head) - mean(base));
	double size = fmax(fabs(mean(base)), fabs(mean(head)));
	return delta > c->o->margin * size &&
	       delta > errors_least * sqrt(error2(base) + error2(head));
}

void compare_resources_add(struct compare *c, const struct compare_row *row,
	struct changed_row *out)
{
	for (uint32_t i = 0; i < row->sources_n; i++) {
		const struct compare_source *x = &row->sources[i];
		if (x->side != BASE)
			continue;
		const struct compare_unit *u = &c->side[BASE].units[x->unit];
		const struct patterns *p = &u->runs[x->run]->patterns;
		for (uint32_t m = metric_first(p, x->pattern);
			m < p->metrics_n && p->metrics[m].pattern == x->pattern;
			m++) {
			const char *name = p->metrics[m].name;
			struct tallied base = tally_row(c, row, BASE, name),
				       head = tally_row(c, row, HEAD, name);
			if (!resolved(&base) || !resolved(&head) ||
				!moved(c, &base, &head))
				continue;
			out->resources = arena_grow(c->a, out->resources,
				(out->resources_n + 1) *
					sizeof *out->resources);
			out->resources[out->resources_n++] =
				(struct resource){ name, mean(&base),
					mean(&head) };
		}
		return; /* counters of the first unit stand for all */
	}
}

void compare_counters_from(struct compare *c)
{
	struct tallied all = { 0 };
	const char *without = NULL;
	bool any = false;
	for (int s = 0; s < 2; s++)
		for (uint32_t i = 0; i < c->side[s].units_n; i++) {
			const struct compare_unit *u = &c->side[s].units[i];
			for (uint32_t r = 0; r < u->runs_n; r++) {
				const struct patterns *p =
					&u->runs[r]->patterns;
				double before = all.values;
				for (uint32_t m = 0; m < p->metrics_n; m++) {
					struct tallied t = { 0 };
					tally(&t, &p->metrics[m], u->at[r],
						u->cycles_n);
					any |= resolved(&t);
					all.values += t.values;
					all.sampled += t.sampled;
				}
				bool told = p->metrics_n ||
					    u->runs[r]
						    ->notes
						    .count[NOTE_counters_nan];
				if (told && all.values == before)
					without =
						compare_text_join(c->a, without,
							compare_text_run(c->a,
								u->runs[r]));
			}
		}
	if (without)
		compare_finding_add(c, FINDING_counters_nan, without, NULL);
	if (all.values > 0 && !any)
		compare_finding_add(c, FINDING_counters_slow,
			compare_text_pct(c->a, 1 - all.sampled / all.values),
			NULL);
}
