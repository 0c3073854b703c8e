/* view_compare.c - a comparison as one JSON document. */
#include "comparison_word.h"
#include "kernel_name.h"
#include "profile_word.h"
#include "view_compare.h"
#include <math.h>
#include <string.h>

void view_set_real(json_t *v, const char *key, double x)
{
	json_object_set_new(v, key, view_real(x));
}

void view_set_whole(json_t *v, const char *key, int64_t x)
{
	json_object_set_new(v, key, view_whole(x));
}

void view_set_text(json_t *v, const char *key, const char *s)
{
	json_object_set_new(v, key, view_text(s));
}

const char *view_function(struct arena *a, enum function_type type,
	const char *name)
{
	if (type != FUNCTION_gpu_compute && type != FUNCTION_gpu_comm)
		return name;
	return kernel_name_short(a, name, strlen(name));
}

json_t *view_compared_run(const struct compared_run *r)
{
	json_t *names = json_array();
	for (uint32_t i = 0; i < r->device_names_n; i++)
		view_append(names, json_string(r->device_names[i]));
	return json_pack("{s:o, s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:o}", "id",
		view_whole(r->id), "name", r->name, "project", r->project,
		"workload", r->workload, "job_id",
		r->job ? view_whole(r->job) : json_null(), "rank",
		view_whole(r->rank), "device_names", names, "cycles",
		view_whole(r->cycles.n), "cycles_kept",
		view_whole(r->cycles.kept_n));
}

json_t *view_compared_runs(const struct compared_run *runs, uint32_t n)
{
	json_t *list = json_array();
	for (uint32_t i = 0; i < n; i++)
		view_append(list, view_compared_run(&runs[i]));
	return list;
}

json_t *view_finding(const char *code, const char *severity, const char *text)
{
	return json_pack("{s:s, s:s, s:s}", "code", code, "severity", severity,
		"text", text);
}

json_t *view_finding_list(const struct finding_list *l)
{
	json_t *list = json_array();
	for (uint32_t i = 0; i < l->n; i++)
		view_append(list,
			view_finding(l->lines[i].code, l->lines[i].severity,
				l->lines[i].text));
	return list;
}

static json_t *reals(const double *x, uint32_t n)
{
	json_t *list = json_array();
	for (uint32_t i = 0; i < n; i++)
		view_append(list, view_real(x[i]));
	return list;
}

static json_t *wholes(const int64_t *x, uint32_t n)
{
	json_t *list = json_array();
	for (uint32_t i = 0; i < n; i++)
		view_append(list, view_whole(x[i]));
	return list;
}

static json_t *side(const struct comparison_side *s,
	const struct compared_run *runs, uint32_t n)
{
	json_t *v = json_pack("{s:o}", "runs", view_compared_runs(runs, n));
	view_set_whole(v, "units", s->units);
	view_set_whole(v, "cycles", s->cycles);
	view_set_whole(v, "cycles_used", s->cycles_used);
	view_set_text(v, "detector", profile_word_detector[s->detector]);
	view_set_real(v, "cycle_ns", s->cycle_ns);
	view_set_real(v, "cycle_median_ns", s->cycle_median_ns);
	json_object_set_new(v, "cycle_durs_ns",
		reals(s->cycle_durs_ns, s->cycles_used));
	json_object_set_new(v, "cycle_runs",
		wholes(s->cycle_runs, s->cycles_used));
	return v;
}

/* Adds the fields of a change. Where nothing is judged there is no verdict, and
 * where there is no evidence nothing is judged. */
static void change(json_t *v, const struct change *c, bool comparable)
{
	bool judged = comparable && c->evidence != EVIDENCE_NONE;
	view_set_text(v, "verdict",
		judged ? comparison_word_class[c->is] : NULL);
	view_set_text(v, "evidence", comparison_word_evidence[c->evidence]);
	view_set_real(v, "base_ns_per_cycle", c->base_ns);
	view_set_real(v, "head_ns_per_cycle", c->head_ns);
	view_set_real(v, "delta_ns_per_cycle", c->delta_ns);
	view_set_real(v, "ratio", c->ratio);
	view_set_real(v, "shift_ns_per_cycle", c->shift_ns);
	view_set_real(v, "low_ns_per_cycle", c->low_ns);
	view_set_real(v, "high_ns_per_cycle", c->high_ns);
	view_set_real(v, "p", c->p);
	view_set_real(v, "p_family", c->p_family);
	view_set_real(v, "q", c->q);
	view_set_real(v, "floor", judged ? c->floor : (double)NAN);
	view_set_text(v, "floor_from",
		judged ? comparison_word_floor[c->floor_from] : NULL);
	view_set_real(v, "floor_df", judged ? c->floor_df : (double)NAN);
}

static json_t *resources(const struct changed_row *r)
{
	json_t *list = json_array();
	for (uint32_t i = 0; i < r->resources_n; i++) {
		json_t *v = json_object();
		view_set_text(v, "name", r->resources[i].name);
		view_set_real(v, "base_mu", r->resources[i].base_mu);
		view_set_real(v, "head_mu", r->resources[i].head_mu);
		view_append(list, v);
	}
	return list;
}

static json_t *row(struct arena *a, const struct changed_row *r,
	bool comparable)
{
	json_t *v = json_object();
	view_set_text(v, "function", r->name);
	view_set_text(v, "short_name", view_function(a, r->type, r->name));
	view_set_text(v, "type", profile_word_function[r->type]);
	view_set_text(v, "device", r->device);
	view_set_text(v, "head_device", r->head_device);
	change(v, &r->change, comparable);
	view_set_real(v, "base_launches_per_cycle", r->base_launches);
	view_set_real(v, "head_launches_per_cycle", r->head_launches);
	view_set_real(v, "base_mean_ns", r->base_mean_ns);
	view_set_real(v, "head_mean_ns", r->head_mean_ns);
	view_set_real(v, "by_count_ns_per_cycle", r->by_count_ns);
	view_set_real(v, "by_duration_ns_per_cycle", r->by_duration_ns);
	view_set_real(v, "base_beta_pct", r->base_beta_pct);
	view_set_real(v, "head_beta_pct", r->head_beta_pct);
	view_set_real(v, "beyond_common_ns_per_cycle", r->beyond_common_ns);
	json_object_set_new(v, "resources", resources(r));
	return v;
}

json_t *view_findings(const struct comparison *c)
{
	json_t *list = json_array();
	for (uint32_t i = 0; i < c->findings_n; i++) {
		const struct finding *f = &c->findings[i];
		view_append(list,
			view_finding(finding_name(f->code),
				comparison_word_severity[finding_severity(
					f->code)],
				f->text));
	}
	return list;
}

static json_t *split(const struct comparison *c)
{
	json_t *list = json_array();
	for (uint32_t i = 0; i < c->split_n; i++) {
		json_t *v = json_object();
		view_set_text(v, "part",
			comparison_word_part[c->split[i].part].word);
		view_set_text(v, "what",
			comparison_word_part[c->split[i].part].what);
		change(v, &c->split[i].change, c->comparable);
		view_append(list, v);
	}
	return list;
}

static json_t *common(const struct common_factor *f)
{
	if (!f->there)
		return json_null();
	json_t *v = json_object();
	view_set_real(v, "ratio", f->ratio);
	view_set_real(v, "low", f->low);
	view_set_real(v, "high", f->high);
	view_set_real(v, "ns_per_cycle", f->ns);
	view_set_whole(v, "kernels", f->kernels);
	return v;
}

static json_t *counts(const struct comparison *c)
{
	json_t *v = json_object();
	for (int i = 0; i < CHANGE_CLASSES; i++)
		view_set_whole(v, comparison_word_class[i],
			c->comparable ? c->count[i] : 0);
	return v;
}

json_t *view_verdict(struct arena *a, const struct comparison *c,
	const struct compared_sides *s)
{
	json_t *items = json_array();
	for (uint32_t i = 0; i < c->rows_n; i++)
		view_append(items, row(a, &c->rows[i], c->comparable));
	json_t *v = json_pack("{s:s, s:s, s:b, s:o, s:o, s:o, s:o, s:o}",
		"score", "verdict", "headline", c->headline, "comparable",
		c->comparable, "findings", view_findings(c), "base",
		side(&c->base, s->base, s->base_n), "head",
		side(&c->head, s->head, s->head_n), "split", split(c), "common",
		common(&c->common));
	json_object_set_new(v, "items", items);
	json_object_set_new(v, "counts", counts(c));
	view_set_text(v, "range", s->range);
	view_set_whole(v, "seed", (int64_t)c->seed);
	view_set_whole(v, "permutations", c->permutations);
	view_set_whole(v, "block", c->block);
	view_set_real(v, "alpha", c->alpha);
	view_set_real(v, "margin", c->margin);
	view_set_real(v, "floor", c->floor >= 0 ? c->floor : (double)NAN);
	view_set_whole(v, "repeats", c->repeats);
	return v;
}

static json_t *series_side(const struct compare_series *s)
{
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "ns",
		reals(s->ns, s->n), "launches", reals(s->launches, s->n),
		"beta_pct", reals(s->beta_pct, s->n), "cycle_ns",
		reals(s->cycle_ns, s->n), "runs", wholes(s->runs, s->n),
		"numbers", wholes(s->numbers, s->n));
}

json_t *view_series(struct arena *a, const char *function, const char *device,
	const struct compare_series sides[2])
{
	return json_pack("{s:s, s:s, s:o, s:o, s:o}", "function", function,
		"short_name", kernel_name_short(a, function, strlen(function)),
		"device", view_text(device), "base", series_side(&sides[0]),
		"head", series_side(&sides[1]));
}
