/* view_suspicion.c - the published score as JSON and as a table. */
#include "view_suspicion.h"
#include "cell.h"
#include "view_compare.h"
#include <math.h>

static json_t *suspect(const struct suspicion_finding *f)
{
	json_t *metrics = json_array();
	for (uint32_t i = 0; i < f->resources_n; i++)
		view_append(metrics, json_string(f->resources[i]->metric));
	return json_pack("{s:s, s:s, s:o, s:o}", "function", f->row->name,
		"device", f->row->device, "score", view_real(f->row->score),
		"metrics", metrics);
}

static json_t *item(const struct suspicion_row *r)
{
	json_t *v = json_pack("{s:s, s:s, s:s, s:o}", "function", r->name,
		"metric", r->metric, "device", r->device, "score",
		view_real(r->score));
	const struct {
		const char *key;
		double value;
	} reals[] = {
		{ "base_beta_pct", r->beta.base },
		{ "head_beta_pct", r->beta.head },
		{ "delta_beta_pct", r->beta.delta },
		{ "z_beta", r->beta.z },
		{ "p_beta", r->beta.p },
		{ "u_p_beta", r->beta.u_p },
		{ "base_mu", r->mu.base },
		{ "head_mu", r->mu.head },
		{ "delta_mu", r->mu.delta },
		{ "z_mu", r->mu.z },
		{ "z_log_mu", r->z_log_mu },
		{ "p_mu", r->mu.p },
		{ "u_p_mu", r->mu.u_p },
	};
	for (size_t i = 0; i < sizeof reals / sizeof *reals; i++)
		json_object_set_new(v, reals[i].key, view_real(reals[i].value));
	return v;
}

static json_t *side(const struct suspicion_side *s,
	const struct compared_run *runs, uint32_t n)
{
	json_t *durs = json_array();
	for (uint32_t i = 0; i < s->cycles_n; i++)
		view_append(durs, json_real(s->cycles_us[i]));
	return json_pack("{s:s, s:o, s:o, s:o, s:o}", "name", s->name, "runs",
		view_compared_runs(runs, n), "cycles", view_whole(s->cycles_n),
		"cycle_mean_us", view_real(s->cycle_us), "cycle_durs_us", durs);
}

json_t *view_suspicion(const struct suspicion *s,
	const struct comparison *around, const struct compared_sides *sides)
{
	json_t *items = json_array(), *suspects = json_array();
	for (uint32_t i = 0; i < s->rows_n; i++)
		view_append(items, item(&s->rows[i]));
	for (uint32_t i = 0; i < s->findings_n; i++)
		view_append(suspects, suspect(&s->findings[i]));
	return json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o}", "score",
		"published", "range", view_text(sides->range), "findings",
		view_findings(around), "suspects", suspects, "base",
		side(&s->base, sides->base, sides->base_n), "head",
		side(&s->head, sides->head, sides->head_n), "items", items);
}

/* "" for what is no number, as published. */
static const char *six(struct arena *a, double v)
{
	return isnan(v) ? "" : arena_printf(a, "%.6f", v);
}

static const char **six_of(struct arena *a, const char **at,
	const struct suspicion_value *v, const double *z_log)
{
	*at++ = six(a, v->base);
	*at++ = six(a, v->head);
	*at++ = six(a, v->delta);
	*at++ = six(a, v->z);
	if (z_log)
		*at++ = six(a, *z_log);
	*at++ = six(a, v->p);
	*at++ = six(a, v->u_p);
	return at;
}

const struct table *view_suspicion_table(struct arena *a,
	const struct suspicion *s)
{
	enum { WIDTH = 17 };
	const char *b = s->base.name, *h = s->head.name, **at;
	const char *heads[WIDTH] = { "Function Name", "Metric Name", "Device",
		"Suspicion Score", arena_printf(a, "β_%s(%%)", b),
		arena_printf(a, "β_%s(%%)", h), "Δβ(%)", "Z-Score(β)",
		"p-value(β)", "U-test p(β)", arena_printf(a, "μ_%s", b),
		arena_printf(a, "μ_%s", h), "Δμ", "Z-Score(μ)",
		"Z-Score(log_μ)", "p-value(μ)", "U-test p(μ)" };
	struct column *columns = arena_array(a, struct column, WIDTH);
	for (int i = 0; i < WIDTH; i++)
		columns[i] = (struct column){ heads[i], i > 2 };
	struct table *t = cell_table(a, columns, WIDTH, s->rows_n, &at);
	for (uint32_t i = 0; i < s->rows_n; i++) {
		const struct suspicion_row *r = &s->rows[i];
		*at++ = r->name;
		*at++ = r->metric;
		*at++ = r->device;
		*at++ = six(a, r->score);
		at = six_of(a, at, &r->beta, NULL);
		at = six_of(a, at, &r->mu, &r->z_log_mu);
	}
	return t;
}
