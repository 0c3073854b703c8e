/* api_importance_shapes.c - the shapes of an operator over many runs, or in a
 * reference set. */
#include "catalog_params.h"
#include "catalog_cache.h"
#include "fleet_asked.h"
#include "concurrency_limit.h"
#include "listing.h"
#include "findings.h"
#include "reference_set.h"
#include "view_importance.h"
#include <math.h>
#include <string.h>

struct page {
	int64_t offset;
	int limit; /* 0: all */
	bool more;
};

/* What all of the operator's time amounts to. */
static struct shapes_told time_of(const struct fleet *f)
{
	struct shapes_told t = { .empty = "no run that matches has it" };
	for (uint32_t i = 0; i < f->rows_n; i++) {
		t.all += f->rows[i].weighted_s;
		t.unbound += f->rows[i].weighted_s - f->rows[i].bound_s;
		t.over += f->rows[i].over_s;
		t.n++;
	}
	return t;
}

static double median_of(const struct matter_shapes *s, struct arena *a)
{
	double *v = arena_array(a, double, s->n + 1);
	for (uint32_t i = 0; i < s->n; i++)
		v[i] = s->rows[i].s;
	return matter_median(v, s->n);
}

static bool unknown(const struct call *c, struct err *e)
{
	if (!strcmp(c->word, "unattributed"))
		return err_set(e, ERR_NOT_FOUND,
			"'unattributed' is no operator; /unattributed lists "
			"the kernels that nobody knows");
	return err_set(e, ERR_NOT_FOUND,
		"neither a run nor the catalogue has an operator '%s'",
		c->word);
}

static bool fleet_shapes(struct call *c, const struct catalog *k,
	struct page *p, struct matter_shapes *s, struct shapes_told *told,
	struct err *e)
{
	const struct operator_info *is = catalog_operator(k, c->word);
	const struct platform *against;
	struct fleet_filter f;
	struct fleet_shape *rows;
	struct fleet fleet;
	uint32_t n;
	if (!asked_platform(c, "against", k, &against, e) ||
		!fleet_asked(c, k, &f, e))
		return false;
	f.operator= c->word;
	if ((!p->limit && !heavy_take(c, e)) ||
		!query_fleet(c->s.db, &c->s.arena, &f, &fleet, e) ||
		!query_fleet_shapes(c->s.db, &c->s.arena, &f, p->offset,
			p->limit, &rows, &n, &p->more, e))
		return false;
	if (!is && !fleet.rows_n)
		return unknown(c, e);
	*told = time_of(&fleet);
	matter_shapes_from_fleet(rows, n, told->all, k, against, &c->s.arena,
		s);
	if (!p->offset && !p->more)
		s->s_median = median_of(s, &c->s.arena);
	return true;
}

static bool set_shapes(struct call *c, const struct catalog *k,
	const char *name, struct page *p, struct matter_shapes *s,
	struct err *e)
{
	struct set_read *set = arena_new(&c->s.arena, struct set_read);
	const struct reference *r = &set->is;
	uint32_t i = 0;
	if (!set_asked(c, e) || !set_read(&c->s, name, k, set, e))
		return false;
	if (param(&c->params, "against")->given)
		return err_set(e, ERR_INPUT,
			"against: a reference set has the platforms that were "
			"published");
	while (i < r->operators_n && strcmp(r->operators[i].name, c->word) != 0)
		i++;
	if (i == r->operators_n)
		return err_set(e, ERR_NOT_FOUND,
			"the reference set '%.100s' has no operator '%s'", name,
			c->word);
	matter_shapes_from_set(r, &r->operators[i], &c->s.arena, s);
	s->set = name;
	/* All of them are at hand: the page is cut out here. */
	uint32_t from = p->offset < s->n ? (uint32_t)p->offset : s->n;
	s->rows += from;
	s->n -= from;
	p->more = p->limit && s->n > (uint32_t)p->limit;
	if (p->more)
		s->n = (uint32_t)p->limit;
	return true;
}

json_t *importance_shapes_get(struct call *c, struct err *e)
{
	const char *set = param_text(&c->params, "set", NULL);
	const struct operator_info *is;
	const struct catalog *k;
	struct matter_shapes s = { 0 };
	struct shapes_told told = { 0 };
	struct page p = { 0 };
	if (!listing_read(c, &p.offset, &p.limit, e) ||
		!(k = call_catalog(c, e)) ||
		!(set ? set_shapes(c, k, set, &p, &s, e)
		      : fleet_shapes(c, k, &p, &s, &told, e)))
		return NULL;
	is = catalog_operator(k, c->word);
	s.operator= c->word;
	s.what = is ? is->what : NULL;
	if (!listing_is_json(c))
		return listing_file(c,
			view_matter_shapes_table(&c->s.arena, &s), c->word);
	json_t *items = json_array();
	for (uint32_t i = 0; i < s.n; i++)
		view_append(items, view_matter_shape(&s.rows[i], &s));
	const struct finding_list found =
		matters_told_shapes(&c->s.arena, &told);
	return view_matter_shapes(&s, &found,
		listing_list(c, items, p.offset, s.n, p.more));
}
