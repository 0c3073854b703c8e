/* view_importance.c - importance over many runs as JSON and as tables. */
#include "view_operators.h"
#include "profile_word.h"
#include "pytorch_script.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static double view_importance_pct(double share)
{
	return 100 * share;
}

/* By dtype; unknown values are left out. */
static json_t *view_importance_by_dtype(const double of[DTYPES])
{
	json_t *v = json_object();
	for (int d = 0; d < DTYPES; d++)
		if (isfinite(of[d]) && dtype_word((enum dtype)d))
			view_set_real(v, dtype_word((enum dtype)d), of[d]);
	return v;
}

static json_t *view_importance_kwargs(const struct fleet_importance_shape *s)
{
	json_t *v = s->kwargs ? json_loads(s->kwargs, 0, NULL) : NULL;
	return v ? v : json_null();
}

static const char *const view_importance_weights[] = {
	[WEIGHT_TIME] = "time",
	[WEIGHT_MEAN] = "mean",
	[WEIGHT_PRESENT] = "present",
	[WEIGHT_ENERGY] = "energy",
	[WEIGHT_PUBLISHED] = "published",
};

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

static const char *view_fusion_sizes(const struct fleet_fusion_side *s)
{
	return s->text;
}

static json_t *row_fusion(const struct fleet_fusion_candidate *f);

static json_t *view_fusion_items(const struct fleet_fusion_list *l,
	enum fusion_consumers consumers)
{
	json_t *list = json_array();
	for (uint32_t i = l->from[consumers]; i < l->from[consumers + 1]; i++)
		view_append(list, row_fusion(&l->all[i]));
	return list;
}

#define ROWS "importance.def"
#include "row_functions.h"

json_t *view_platform(const struct platform *p)
{
	return row_platform(p);
}

json_t *view_platforms(const struct platform *const *all, uint32_t n)
{
	json_t *list = json_array();
	for (uint32_t i = 0; i < n; i++)
		view_append(list, view_platform(all[i]));
	return list;
}

json_t *view_importance_shapes(const struct fleet_importance_shapes *s,
	const struct finding_list *findings)
{
	json_t *items = json_array();
	for (uint32_t i = 0; i < s->n; i++)
		view_append(items, row_importance_shape(&s->rows[i],
					   s->platforms, s->platforms_n));
	return row_importance_shapes(s, findings, view_list(items, NULL));
}

json_t *view_fusions(const struct fleet_fusion_list *l)
{
	return row_fusions(l);
}

const struct table *view_fusions_table(struct arena *a,
	const struct fleet_fusion_list *l)
{
	struct row_table *t = row_table_begin(a, "fusion", NULL);
	row_table_rows(t, l->n);
	for (uint32_t i = 0; i < l->n; i++) {
		row_fusion_cells(t, &l->all[i]);
		row_table_next(t);
	}
	return &t->table;
}

/* ---- scripts */

/* One line per figure. */
static const char *view_importance_pytorch_facts(
	const struct fleet_importance_shapes *s, struct arena *a)
{
	const struct fleet_importance_shape *m = &s->rows[0];
	const char *text = "";
	if (isfinite(m->total_s) && m->calls > 0)
		text = arena_printf(a,
			"Measured mean of %lld calls%s%s: %.3f us\n",
			(long long)m->calls, m->platform ? " on " : "",
			m->platform ? m->platform : "",
			1e6 * m->total_s / (double)m->calls);
	for (uint32_t i = 0; i < s->platforms_n; i++) {
		const struct fleet_importance_place *p = &m->places[i];
		const char *name = s->platforms[i]->name;
		if (isfinite(p->prod_us))
			text = arena_printf(a,
				"%sMeasured median on %s: %.3f us\n", text,
				name, p->prod_us);
		if (isfinite(p->sol_us))
			text = arena_printf(a,
				"%sRoofline bound on %s: %.3f us\n", text, name,
				p->sol_us);
	}
	return text;
}

char *view_importance_pytorch(const struct fleet_importance_shapes *s,
	struct err *e)
{
	const struct fleet_importance_shape *m = &s->rows[0];
	enum dtype dtype = m->dtype ? dtype_from(m->dtype, strlen(m->dtype))
				    : DTYPE_UNKNOWN;
	struct arena a = { 0 };
	struct shape shape;
	char *text = NULL;
	if (!m->text)
		err_set(e, ERR_NOT_FOUND,
			"the catalog lacks a name for one of its sizes");
	else if (shape_read(m->text, dtype, &a, &shape, e))
		text = pytorch_script_write(s->op, &shape,
			view_importance_pytorch_facts(s, &a), e);
	arena_release(&a);
	return text;
}

/* ---- tables */

/* Adds two columns per platform, for example "T_SOL H20 (us)" and "T_prod H20
 * (us)". Returns the order of the first column. */
static int view_importance_add_platforms(struct row_table *t,
	const struct platform *const *platforms, uint32_t n)
{
	const char **names = arena_array(t->arena, const char *, 2 * n + 1);
	for (uint32_t i = 0; i < n; i++) {
		names[2 * i] = arena_printf(t->arena, "T_SOL %s (us)",
			platforms[i]->name);
		names[2 * i + 1] = arena_printf(t->arena, "T_prod %s (us)",
			platforms[i]->name);
	}
	return row_table_add(t, names, 2 * n);
}

static void view_importance_put_places(struct row_table *t, int order,
	const struct fleet_importance_place *p, uint32_t n)
{
	for (uint32_t i = 0; p && i < n; i++) {
		row_table_put(t, order++, table_figure(t->arena, p[i].sol_us));
		row_table_put(t, order++, table_figure(t->arena, p[i].prod_us));
	}
}

const struct table *view_importance_table(struct arena *a,
	const struct fleet_importance *m)
{
	struct row_table *t = row_table_begin(a, "importance_item", NULL);
	int places =
		view_importance_add_platforms(t, m->platforms, m->platforms_n);
	row_table_rows(t, m->n);
	for (uint32_t i = 0; i < m->n; i++) {
		row_importance_item_cells(t, &m->rows[i], m);
		view_importance_put_places(t, places, m->rows[i].places,
			m->platforms_n);
		row_table_next(t);
	}
	return &t->table;
}

const struct table *view_importance_shapes_table(struct arena *a,
	const struct fleet_importance_shapes *s)
{
	struct row_table *t = row_table_begin(a, "importance_shape", NULL);
	int places =
		view_importance_add_platforms(t, s->platforms, s->platforms_n);
	row_table_rows(t, s->n);
	for (uint32_t i = 0; i < s->n; i++) {
		row_importance_shape_cells(t, &s->rows[i], s->platforms,
			s->platforms_n);
		view_importance_put_places(t, places, s->rows[i].places,
			s->platforms_n);
		row_table_next(t);
	}
	return &t->table;
}

/* ---- the values that filters offer */

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

static json_t *view_importance_choices(const struct fleet *f)
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
	json_t *const lists[] = { view_importance_choices_listed(&projects),
		view_importance_choices_listed(&workloads),
		view_importance_choices_listed(&frameworks),
		view_importance_choices_listed(&platforms),
		view_importance_choices_listed(&dtypes),
		view_importance_choices_listed(&phases) };
	return row_importance_choices(lists);
}

static json_t *view_importance_set_choices(const struct reference *r)
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
	json_t *const lists[] = { json_array(), json_array(), json_array(),
		view_importance_choices_listed(&platforms),
		view_importance_choices_listed(&dtypes),
		view_importance_choices_listed(&phases) };
	return row_importance_choices(lists);
}

json_t *view_importance(const struct fleet_importance *m, const struct fleet *f,
	const struct reference *r, const struct finding_list *findings)
{
	json_t *items = json_array();
	for (uint32_t i = 0; i < m->n; i++)
		view_append(items, row_importance_item(&m->rows[i], m));
	return row_importance(m,
		f ? view_importance_choices(f) : view_importance_set_choices(r),
		findings, view_list(items, NULL));
}
