/* view_importance.c - importance over many runs as JSON and as tables. */
#include "view_importance.h"
#include "profile_word.h"
#include "table.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static double view_importance_pct(double share)
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
	json_object_set_new(v, "site_override", json_boolean(p->own));
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

static json_t *view_importance_size_value(const struct size *s)
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
				view_importance_size_value(&s.sizes[i]));
	}
	arena_release(&a);
	return v;
}

json_t *view_places(const struct fleet_importance_place *places,
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

static json_t *view_importance_item(const struct fleet_importance_row *r,
	const struct fleet_importance *m)
{
	json_t *v = json_object();
	view_set_text(v, "operator", r->op);
	view_set_text(v, "id", r->id);
	view_set_text(v, "description", r->what);
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
	view_set_real(v, "shape_known_pct", view_importance_pct(r->sized));
	view_set_real(v, "roofline_known_pct", view_importance_pct(r->bound));
	view_set_real(v, "headroom", r->headroom);
	view_set_real(v, "above_bound_pct", view_importance_pct(r->over));
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

json_t *view_importance(const struct fleet_importance *m, json_t *choices,
	const struct finding_list *findings)
{
	json_t *items = json_array();
	for (uint32_t i = 0; i < m->n; i++)
		view_append(items, view_importance_item(&m->rows[i], m));
	json_t *v = view_list(items, NULL);
	view_set_text(v, "reference_set", m->set);
	view_set_text(v, "source", m->source);
	view_set_text(v, "weight", weights[m->weight]);
	view_set_whole(v, "runs", m->runs);
	view_set_whole(v, "excluded_runs", m->uncounted);
	view_set_whole(v, "lagging_runs", m->left_out);
	view_set_real(v, "gpu_s", m->gpu_s);
	view_set_real(v, "hours", m->hours);
	view_set_real(v, "attributed_pct", view_importance_pct(m->attributed));
	view_set_real(v, "operator_known_pct",
		view_importance_pct(m->specific));
	view_set_real(v, "shape_known_pct", view_importance_pct(m->sized));
	view_set_real(v, "roofline_known_pct", view_importance_pct(m->bound));
	view_set_real(v, "headroom", m->headroom);
	view_set_whole(v, "clusters", m->clusters);
	view_set_text(v, "interval_reason", m->interval_why);
	json_object_set_new(v, "platforms",
		view_platforms(m->platforms, m->platforms_n));
	json_object_set_new(v, "choices", choices);
	json_object_set_new(v, "findings", view_finding_list(findings));
	return v;
}

/* ---- shapes */

json_t *view_importance_shape(const struct fleet_importance_shape *s,
	const struct fleet_importance_shapes *of)
{
	json_t *v = json_object();
	view_set_whole(v, "shape_id", s->id);
	view_set_text(v, "description", s->description);
	view_set_text(v, "shape", s->text);
	json_object_set_new(v, "sizes", view_sizes(s->text));
	json_t *kwargs = s->kwargs ? json_loads(s->kwargs, 0, NULL) : NULL;
	json_object_set_new(v, "kwargs", kwargs ? kwargs : json_null());
	view_set_text(v, "dtype", s->dtype);
	view_set_text(v, "phase", s->phase);
	view_set_text(v, "platform", s->platform);
	view_set_whole(v, "calls", s->calls);
	view_set_whole(v, "runs", s->runs);
	view_set_real(v, "total_s", s->total_s);
	view_set_real(v, "share", s->share);
	json_object_set_new(v, "t_prod_us",
		view_places(s->places, of->platforms, of->platforms_n,
			PLACE_PROD));
	json_object_set_new(v, "t_sol_us",
		view_places(s->places, of->platforms, of->platforms_n,
			PLACE_SOL));
	view_set_real(v, "s", s->s);
	view_set_real(v, "ai", s->ai);
	view_set_text(v, "regime", s->regime);
	json_object_set_new(v, "flops",
		s->costed ? view_flops(&s->cost) : json_null());
	view_set_whole(v, "read_bytes",
		s->costed ? (int64_t)s->cost.read_bytes : -1);
	view_set_whole(v, "write_bytes",
		s->costed ? (int64_t)s->cost.write_bytes : -1);
	json_object_set_new(v, "above_bound", json_boolean(s->s > 1));
	view_set_text(v, "reason", s->why);
	return v;
}

json_t *view_importance_shapes(const struct fleet_importance_shapes *s,
	const struct finding_list *findings, json_t *list)
{
	view_set_text(list, "reference_set", s->set);
	view_set_text(list, "operator", s->op);
	view_set_text(list, "id", s->id);
	view_set_text(list, "description", s->what);
	view_set_real(list, "s_median", s->s_median);
	json_object_set_new(list, "platforms",
		view_platforms(s->platforms, s->platforms_n));
	json_object_set_new(list, "findings", view_finding_list(findings));
	return list;
}

/* ---- tables */

/* Columns that are always there, around those of each platform. */
static const struct column first[] = { { "Operator", false }, { "Id", false },
	{ "dtype", false }, { "Phase", false }, { "Shapes", true },
	{ "Importance (%)", true }, { "Low (%)", true }, { "High (%)", true },
	{ "w_time (%)", true }, { "w_mean (%)", true },
	{ "w_present (%)", true }, { "Runs", true }, { "Prevalence (%)", true },
	{ "Time (s)", true }, { "Regime", false }, { "AI", true },
	{ "S", true }, { "S (median)", true }, { "Headroom (%)", true },
	{ "Sized (%)", true }, { "Bound (%)", true }, { "S > 1 (%)", true } };
static const struct column shape_first[] = { { "Id", true }, { "Shape", false },
	{ "Description", false }, { "dtype", false }, { "Phase", false },
	{ "Platform", false }, { "Calls", true }, { "Runs", true },
	{ "Time (s)", true }, { "Share (%)", true }, { "S", true },
	{ "AI", true }, { "Regime", false }, { "FLOP", true },
	{ "Read (bytes)", true }, { "Written (bytes)", true },
	{ "Why", false } };

/* Two more a platform: "T_SOL H20 (us)", "T_prod H20 (us)". */
static struct column *view_importance_table_columns(struct arena *a,
	const struct column *fixed, int n,
	const struct platform *const *platforms, uint32_t platforms_n)
{
	struct column *all = arena_array(a, struct column,
		(size_t)n + 2 * (size_t)platforms_n);
	for (int i = 0; i < n; i++)
		all[i] = fixed[i];
	for (uint32_t i = 0; i < platforms_n; i++) {
		all[n++] = (struct column){ arena_printf(a, "T_SOL %s (us)",
						    platforms[i]->name),
			true };
		all[n++] = (struct column){ arena_printf(a, "T_prod %s (us)",
						    platforms[i]->name),
			true };
	}
	return all;
}

static const char **view_importance_table_places(struct arena *a,
	const char **at, const struct fleet_importance_place *p, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		*at++ = p ? table_figure(a, p[i].sol_us) : "";
		*at++ = p ? table_figure(a, p[i].prod_us) : "";
	}
	return at;
}

static const char *view_importance_table_text(const char *s)
{
	return s ? s : "";
}

const struct table *view_importance_table(struct arena *a,
	const struct fleet_importance *m)
{
	enum { FIRST = sizeof first / sizeof *first };
	const char **at;
	struct table *t = table_new(a,
		view_importance_table_columns(a, first, FIRST, m->platforms,
			m->platforms_n),
		FIRST + 2 * (int)m->platforms_n, m->n, &at);
	for (uint32_t i = 0; i < m->n; i++) {
		const struct fleet_importance_row *r = &m->rows[i];
		*at++ = r->op ? r->op : "unattributed";
		*at++ = view_importance_table_text(r->id);
		*at++ = view_importance_table_text(r->dtype);
		*at++ = view_importance_table_text(r->phase);
		*at++ = table_whole(a, r->shapes);
		*at++ = table_figure(a, 100 * r->importance);
		*at++ = table_figure(a, 100 * r->low);
		*at++ = table_figure(a, 100 * r->high);
		*at++ = table_figure(a, 100 * r->w_time);
		*at++ = table_figure(a, 100 * r->w_mean);
		*at++ = table_figure(a, 100 * r->w_present);
		*at++ = table_whole(a, r->runs);
		*at++ = table_figure(a, 100 * r->prevalence);
		*at++ = table_figure(a, r->total_s);
		*at++ = view_importance_table_text(r->regime);
		*at++ = table_figure(a, r->ai);
		*at++ = table_figure(a, r->s);
		*at++ = table_figure(a, r->s_median);
		*at++ = table_figure(a, 100 * r->headroom);
		*at++ = table_figure(a, 100 * r->sized);
		*at++ = table_figure(a, 100 * r->bound);
		*at++ = table_figure(a, 100 * r->over);
		at = view_importance_table_places(a, at, r->places,
			m->platforms_n);
	}
	return t;
}

const struct table *view_importance_shapes_table(struct arena *a,
	const struct fleet_importance_shapes *s)
{
	enum { FIRST = sizeof shape_first / sizeof *shape_first };
	const char **at;
	struct table *t = table_new(a,
		view_importance_table_columns(a, shape_first, FIRST,
			s->platforms, s->platforms_n),
		FIRST + 2 * (int)s->platforms_n, s->n, &at);
	for (uint32_t i = 0; i < s->n; i++) {
		const struct fleet_importance_shape *r = &s->rows[i];
		const struct cost *c = r->costed ? &r->cost : NULL;
		*at++ = table_whole(a, r->id);
		*at++ = view_importance_table_text(r->text);
		*at++ = view_importance_table_text(r->description);
		*at++ = view_importance_table_text(r->dtype);
		*at++ = view_importance_table_text(r->phase);
		*at++ = view_importance_table_text(r->platform);
		*at++ = table_whole(a, r->calls);
		*at++ = table_whole(a, r->runs);
		*at++ = table_figure(a, r->total_s);
		*at++ = table_figure(a, 100 * r->share);
		*at++ = table_figure(a, r->s);
		*at++ = table_figure(a, r->ai);
		*at++ = view_importance_table_text(r->regime);
		*at++ = c ? table_figure(a, fleet_importance_flops(c)) : "";
		*at++ = c ? table_whole(a, (int64_t)c->read_bytes) : "";
		*at++ = c ? table_whole(a, (int64_t)c->write_bytes) : "";
		*at++ = view_importance_table_text(r->why);
		at = view_importance_table_places(a, at, r->places,
			s->platforms_n);
	}
	return t;
}

/* ---- what filters can name */

enum { CHOICES_MAX = 200 };

struct choice {
	const char *word;
	double time;
};

struct choices {
	struct arena a;
	struct choice *list;
	uint32_t n;
};

static void view_importance_choices_add(struct choices *c, const char *word,
	double time)
{
	if (!word || !*word)
		return;
	for (uint32_t i = 0; i < c->n; i++)
		if (!strcmp(c->list[i].word, word)) {
			c->list[i].time += time;
			return;
		}
	c->list = arena_grow(&c->a, c->list, (c->n + 1) * sizeof *c->list);
	c->list[c->n++] = (struct choice){ word, time };
}

static int view_importance_choices_by_time(const void *x, const void *y)
{
	const struct choice *a = x, *b = y;
	if (a->time != b->time)
		return a->time < b->time ? 1 : -1;
	return strcmp(a->word, b->word);
}

static json_t *view_importance_choices_listed(struct choices *c)
{
	json_t *v = json_array();
	if (c->n)
		qsort(c->list, c->n, sizeof *c->list,
			view_importance_choices_by_time);
	for (uint32_t i = 0; i < c->n && i < CHOICES_MAX; i++)
		view_append(v, json_string(c->list[i].word));
	arena_release(&c->a);
	return v;
}

json_t *view_importance_choices(const struct fleet *f)
{
	struct choices projects = { 0 }, workloads = { 0 }, frameworks = { 0 },
		       platforms = { 0 }, dtypes = { 0 }, phases = { 0 };
	for (uint32_t i = 0; i < f->cells_n; i++) {
		const struct fleet_cell *c = &f->cells[i];
		view_importance_choices_add(&projects, c->project, c->total_s);
		view_importance_choices_add(&workloads, c->workload,
			c->total_s);
		view_importance_choices_add(&frameworks, c->framework,
			c->total_s);
		view_importance_choices_add(&platforms, c->platform,
			c->total_s);
	}
	for (uint32_t i = 0; i < f->rows_n; i++) {
		const struct fleet_row *r = &f->rows[i];
		view_importance_choices_add(&dtypes, dtype_word(r->dtype),
			r->total_s);
		view_importance_choices_add(&phases,
			profile_word_phase[r->phase], r->total_s);
	}
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "projects",
		view_importance_choices_listed(&projects), "workloads",
		view_importance_choices_listed(&workloads), "frameworks",
		view_importance_choices_listed(&frameworks), "platforms",
		view_importance_choices_listed(&platforms), "dtypes",
		view_importance_choices_listed(&dtypes), "phases",
		view_importance_choices_listed(&phases));
}

json_t *view_importance_set_choices(const struct reference *r)
{
	struct choices platforms = { 0 }, dtypes = { 0 }, phases = { 0 };
	for (uint32_t i = 0; i < r->platforms_n; i++)
		view_importance_choices_add(&platforms, r->platforms[i].name,
			0);
	for (uint32_t i = 0; i < r->operators_n; i++) {
		const struct reference_operator *o = &r->operators[i];
		view_importance_choices_add(&dtypes, o->dtype, o->importance);
		view_importance_choices_add(&phases, o->phase, o->importance);
	}
	return json_pack("{s:[], s:[], s:[], s:o, s:o, s:o}", "projects",
		"workloads", "frameworks", "platforms",
		view_importance_choices_listed(&platforms), "dtypes",
		view_importance_choices_listed(&dtypes), "phases",
		view_importance_choices_listed(&phases));
}
