/* view_importance.c - what matters over many runs, as JSON. */
#include "view_importance.h"
#include <math.h>
#include <string.h>

static double pct(double share)
{
	return 100 * share;
}

json_t *view_platform(const struct platform *p)
{
	json_t *v = json_object(), *peaks = json_object();
	for (int d = 0; d < DTYPES; d++)
		if (isfinite(p->peak_flops[d]) && dtype_word((enum dtype)d))
			view_set_real(peaks, dtype_word((enum dtype)d),
				p->peak_flops[d]);
	view_set_text(v, "name", p->name);
	view_set_text(v, "vendor", p->vendor);
	view_set_text(v, "source", p->source);
	view_set_real(v, "bytes_per_s", p->bytes_per_s);
	json_object_set_new(v, "peak_flops", peaks);
	view_set_whole(v, "launch_floor_ns", p->launch_floor_ns);
	json_object_set_new(v, "own", json_boolean(p->own));
	return v;
}

json_t *view_flops(const struct cost *cost)
{
	json_t *v = json_object();
	for (int d = 0; d < DTYPES; d++)
		if (cost->flops[d] && dtype_word((enum dtype)d))
			view_set_real(v, dtype_word((enum dtype)d),
				(double)cost->flops[d]);
	return v;
}

static json_t *size_value(const struct size *s)
{
	if (!s->is_list)
		return view_whole(s->values[0]);
	json_t *list = json_array();
	for (uint32_t i = 0; i < s->n; i++)
		view_append(list, view_whole(s->values[i]));
	return list;
}

json_t *view_sizes(const char *text)
{
	struct arena a = { 0 };
	struct err e = { 0 };
	struct shape s;
	json_t *v = json_null();
	if (text && shape_read(text, DTYPE_UNKNOWN, &a, &s, &e)) {
		v = json_object();
		for (uint32_t i = 0; i < s.n; i++)
			json_object_set_new(v, s.sizes[i].name,
				size_value(&s.sizes[i]));
	}
	arena_release(&a);
	return v;
}

json_t *view_places(const struct matter_place *places,
	const struct platform *const *platforms, uint32_t n,
	enum place_figure which)
{
	json_t *v = json_object();
	for (uint32_t i = 0; places && i < n; i++) {
		double x = which == PLACE_SOL	 ? places[i].sol_us
			   : which == PLACE_PROD ? places[i].prod_us
						 : places[i].flops_per_s;
		if (isfinite(x))
			view_set_real(v, platforms[i]->name, x);
	}
	return v;
}

static json_t *item(const struct matter *r, const struct matters *m)
{
	json_t *v = json_object();
	view_set_text(v, "operator", r->operator);
	view_set_text(v, "id", r->id);
	view_set_text(v, "what", r->what);
	view_set_text(v, "group", r->group);
	view_set_text(v, "dtype", r->dtype);
	view_set_text(v, "phase", r->phase);
	view_set_whole(v, "shapes", r->shapes);
	view_set_real(v, "importance", r->importance);
	view_set_real(v, "w_time", r->w_time);
	view_set_real(v, "w_mean", r->w_mean);
	view_set_real(v, "w_present", r->w_present);
	view_set_real(v, "low", r->low);
	view_set_real(v, "high", r->high);
	view_set_whole(v, "runs", r->runs);
	view_set_real(v, "prevalence", r->prevalence);
	view_set_real(v, "total_s", r->total_s);
	view_set_text(v, "regime", r->regime);
	view_set_real(v, "ai", r->ai);
	view_set_real(v, "s", r->s);
	view_set_real(v, "s_median", r->s_median);
	json_object_set_new(v, "t_sol_us",
		view_places(r->places, m->platforms, m->platforms_n,
			PLACE_SOL));
	json_object_set_new(v, "t_prod_us",
		view_places(r->places, m->platforms, m->platforms_n,
			PLACE_PROD));
	json_object_set_new(v, "attained_flops",
		view_places(r->places, m->platforms, m->platforms_n,
			PLACE_ATTAINED));
	view_set_real(v, "sized_pct", pct(r->sized));
	view_set_real(v, "bound_pct", pct(r->bound));
	view_set_real(v, "headroom", r->headroom);
	view_set_real(v, "over_pct", pct(r->over));
	json_object_set_new(v, "collective",
		r->collective < 0 ? json_null() : json_boolean(r->collective));
	return v;
}

json_t *view_platforms(const struct platform *const *all, uint32_t n)
{
	json_t *list = json_array();
	for (uint32_t i = 0; i < n; i++)
		view_append(list, view_platform(all[i]));
	return list;
}

static const char *const weights[] = {
	[WEIGHT_TIME] = "time",
	[WEIGHT_MEAN] = "mean",
	[WEIGHT_PRESENT] = "present",
	[WEIGHT_PUBLISHED] = "published",
};

json_t *view_matters(const struct matters *m, json_t *choices,
	const struct finding_list *findings)
{
	json_t *items = json_array();
	for (uint32_t i = 0; i < m->n; i++)
		view_append(items, item(&m->rows[i], m));
	json_t *v = view_list(items, NULL);
	view_set_text(v, "set", m->set);
	view_set_text(v, "source", m->source);
	view_set_text(v, "weight", weights[m->weight]);
	view_set_whole(v, "runs", m->runs);
	view_set_whole(v, "uncounted_runs", m->uncounted);
	view_set_whole(v, "left_out_runs", m->left_out);
	view_set_real(v, "gpu_s", m->gpu_s);
	view_set_real(v, "hours", m->hours);
	view_set_real(v, "attributed_pct", pct(m->attributed));
	view_set_real(v, "specific_pct", pct(m->specific));
	view_set_real(v, "sized_pct", pct(m->sized));
	view_set_real(v, "bound_pct", pct(m->bound));
	view_set_real(v, "headroom", m->headroom);
	view_set_whole(v, "clusters", m->clusters);
	view_set_text(v, "interval_why", m->interval_why);
	json_object_set_new(v, "platforms",
		view_platforms(m->platforms, m->platforms_n));
	json_object_set_new(v, "choices", choices);
	json_object_set_new(v, "findings", view_finding_list(findings));
	return v;
}
