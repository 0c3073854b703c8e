/* importance.c - the importance of operators over many runs or in a reference
 * set, and the shapes of one operator. */
#include "call.h"
#include "importance.h"
#include "query_fleet.h"
#include "reference_document.h"
#include "catalog_cache.h"
#include "catalog_params.h"
#include "concurrency_limit.h"
#include "findings.h"
#include "fleet_fusions.h"
#include "fleet_best.h"
#include "listing.h"
#include "table.h"
#include "view_operators.h"
#include "view_set.h"
#include <math.h>
#include <string.h>

/* ---- selects runs or a reference set */

/* A reference set has only the published figures. Filters for runs cannot be
 * applied to it. */
static bool importance_set_params(const struct call *c, struct err *e)
{
	static const char *const runs[] = { "project", "workload", "framework",
		"platform", "since", "until" };
	for (size_t i = 0; i < sizeof runs / sizeof *runs; i++)
		if (param(&c->params, runs[i])->given)
			return err_set(e, ERR_INPUT,
				"%s: is not supported with reference_set; "
				"omit one of them",
				runs[i]);
	return !c->params.labels ||
	       err_set(e, ERR_INPUT,
		       "label: is not supported with reference_set; omit one "
		       "of them");
}

/* Reads `platform`. Allowed are the platforms of the catalog, and the names
 * from an earlier catalog that some runs still have. */
static bool importance_platform_param(struct call *c, const struct catalog *k,
	const char **out, struct err *e)
{
	const char *name = param_text(&c->params, "platform", NULL);
	const struct fleet_filter f = { .platform = name,
		.project = project_scope_name(&c->s),
		.since = NO_MOMENT,
		.until = NO_MOMENT };
	const struct platform *known;
	struct fleet fleet;
	*out = name;
	if (!name || catalog_platform(k, name))
		return true;
	return query_fleet(c->s.db, &c->s.arena, &f, &fleet, e) &&
	       (fleet.cells_n ||
		       catalog_params_platform(c, "platform", k, &known, e));
}

static bool importance_fleet_params(struct call *c, const struct catalog *k,
	struct fleet_filter *f, struct err *e)
{
	const struct params *ps = &c->params;
	*f = (struct fleet_filter){
		.project = param_text(ps, "project", NULL),
		.workload = param_text(ps, "workload", NULL),
		.framework = param_text(ps, "framework", NULL),
		.labels = ps->labels,
		.since = param_moment(&c->params, "since"),
		.until = param_moment(&c->params, "until"),
	};
	return importance_platform_param(c, k, &f->platform, e) &&
	       catalog_params_dtype(c, &f->dtype, e) &&
	       catalog_params_run_phase(c, &f->phase, e);
}

/* ---- operators */

/* The order of PARAM(…, "format", …) in routes.def. */
enum { FORMAT_BENCH = TABLE_MD + 1 };
enum { SEED = 1, MARKDOWN_BYTES = 64 << 20 };

static const char bench_type[] = "application/vnd.kernsift.set+json";

/* Reads the weight. "published" is only for reference sets, and their only
 * weight. */
static bool importance_weight_read(const struct call *c, bool set,
	enum importance_weight *out, struct err *e)
{
	const struct param *w = param(&c->params, "weight");
	*out = set ? WEIGHT_PUBLISHED : WEIGHT_TIME;
	if (!w->given)
		return true;
	*out = (enum importance_weight)w->whole;
	if (set && *out != WEIGHT_PUBLISHED)
		return err_set(e, ERR_INPUT,
			"weight: only 'published' is supported with "
			"reference_set");
	return set || *out != WEIGHT_PUBLISHED ||
	       err_set(e, ERR_INPUT,
		       "weight: 'published' requires reference_set");
}

static void importance_arrange(const struct call *c, struct fleet_importance *m)
{
	/* routes.def lists all sort keys, then all keys again for the
	 * reversed order. */
	int sort = (int)param(&c->params, "sort")->whole;
	fleet_importance_search(m, param_text(&c->params, "q", NULL));
	fleet_importance_sort(m,
		(enum fleet_importance_order)(sort % (SORT_NAME + 1)),
		sort > SORT_NAME);
}

static int importance_format_of(const struct call *c)
{
	return (int)param(&c->params, "format")->whole;
}

static json_t *importance_bench_answer(struct call *c, char *text,
	const char *name)
{
	c->text = text;
	c->text_len = strlen(text);
	c->text_type = bench_type;
	snprintf(c->disposition, sizeof c->disposition,
		"attachment; filename=\"%s.json\"", name);
	return NULL;
}

static json_t *importance_fleet_bench(struct call *c,
	const struct fleet_filter *f, const struct fleet_importance *m,
	const struct catalog *k, struct err *e)
{
	struct fleet_shape_list l;
	if (!concurrency_limit_enter(c, e) ||
		!query_fleet_shapes(c->s.db, &c->s.arena, f, NULL, &l, e))
		return NULL;
	return importance_bench_answer(c,
		view_set_from_fleet(m, l.rows, l.n, k, &c->s.arena),
		"kernsift-fleet");
}

/* The fleet-bests that the caller may see, and the shapes to compare with
 * them. */
struct importance_bests {
	struct fleet_bests is;
	struct fleet_shape *shapes;
	uint32_t n;
};

/* Only shapes of operators with a fleet-best are read. With labels or energy the shapes
 * of every chosen run would have to be read, so reachable headroom is unknown. */
static bool importance_bests_read(struct call *c, const struct fleet_filter *f,
	struct importance_bests *b, struct err *e)
{
	*b = (struct importance_bests){ 0 };
	if (f->labels || f->energy)
		return true;
	if (!fleet_best_read(c->s.db, &c->s.arena, project_scope_name(&c->s),
		    f->platform, &b->is, e))
		return false;
	reachable_sort(&b->is);
	return !b->is.n || query_fleet_bounds(c->s.db, &c->s.arena, f, &b->is,
				   &b->shapes, &b->n, e);
}

/* A heading with a link to the page, and the table. */
static json_t *importance_markdown(struct call *c,
	const struct fleet_importance *m, struct err *e)
{
	static const char *const not_of_page[] = { "format", "site", NULL };
	struct buf b, path;
	const char *site;

	if (!listing_site(c, &site, e))
		return NULL;
	buf_init(&path, MARKDOWN_BYTES);
	buf_puts(&path, "/importance?");
	listing_query(c, not_of_page, &path);
	buf_init(&b, MARKDOWN_BYTES);
	table_md_heading(&b, "📊", "Importance", site, path.at);
	buf_printf(&b, ": %u operator%s, %lld run%s, %.4g GPU-hours\n\n", m->n,
		m->n == 1 ? "" : "s", (long long)m->runs,
		m->runs == 1 ? "" : "s", m->hours);
	table_md(view_importance_table(&c->s.arena, m), &b);
	buf_release(&path);
	return listing_markdown(c, &b, "importance", e);
}

static json_t *importance_fleet_answer(struct call *c, const struct catalog *k,
	enum importance_weight weight, struct err *e)
{
	struct fleet_filter f;
	struct fleet fleet;
	struct importance is;
	struct fleet_importance m;
	struct importance_bests bests;
	if (!importance_fleet_params(c, k, &f, e))
		return NULL;
	f.energy = weight == WEIGHT_ENERGY;
	if (!query_fleet(c->s.db, &c->s.arena, &f, &fleet, e) ||
		!importance_bests_read(c, &f, &bests, e))
		return NULL;
	call_db_return(c);
	importance_from(&fleet, weight, k, SEED, &c->s.arena, &is);
	fleet_importance_from_fleet(&fleet, &is, weight, f.dtype || f.phase, k,
		&c->s.arena, &m);
	fleet_importance_reachable(&m, &fleet, bests.shapes, bests.n, &bests.is,
		&c->s.arena);
	importance_arrange(c, &m);
	const struct finding_list found =
		findings_importance(&c->s.arena, &m, &fleet, k);
	switch (importance_format_of(c)) {
	case TABLE_JSON:
		return view_importance(&m, &fleet, NULL, &found);
	case TABLE_MD:
		return importance_markdown(c, &m, e);
	case FORMAT_BENCH:
		return call_db(c, e) ? importance_fleet_bench(c, &f, &m, k, e)
				     : NULL;
	default:
		return listing_file(c, view_importance_table(&c->s.arena, &m),
			"importance");
	}
}

static json_t *importance_set_answer(struct call *c, const struct catalog *k,
	const char *name, struct err *e)
{
	struct reference_document set;
	struct fleet_importance m;
	enum dtype dtype;
	if (!importance_set_params(c, e) ||
		!catalog_params_dtype(c, &dtype, e) ||
		!reference_document_read(&c->s, name, k, &set, e))
		return NULL;
	fleet_importance_from_set(name, &set.is, k, &c->s.arena, &m);
	fleet_importance_filter(&m, dtype,
		param_text(&c->params, "phase", NULL));
	importance_arrange(c, &m);
	const struct finding_list found =
		findings_importance(&c->s.arena, &m, NULL, k);
	switch (importance_format_of(c)) {
	case TABLE_JSON:
		return view_importance(&m, NULL, &set.is, &found);
	case TABLE_MD:
		c->text = view_set_report(&set.is, &m, &c->s.arena);
		c->text_len = strlen(c->text);
		c->text_type = "text/markdown; charset=utf-8";
		return NULL;
	case FORMAT_BENCH:
		return importance_bench_answer(c,
			view_set_filtered(set.json, set.len, &m), name);
	default:
		return listing_file(c, view_importance_table(&c->s.arena, &m),
			name);
	}
}

json_t *importance_get(struct call *c, struct err *e)
{
	const char *set = param_text(&c->params, "reference_set", NULL);
	enum importance_weight weight;
	const struct catalog *k;
	if (!importance_weight_read(c, set, &weight, e) ||
		!(k = call_catalog(c, e)))
		return NULL;
	return set ? importance_set_answer(c, k, set, e)
		   : importance_fleet_answer(c, k, weight, e);
}

/* ---- operators that one kernel could execute */

/* The order of PARAM(fusions_get, "consumers", …) in routes.def. Tasks are by
 * default only those that are known to be possible. */
static enum fusion_consumers importance_consumers(const struct call *c,
	int format)
{
	const struct param *p = param(&c->params, "consumers");
	int64_t choice = p->whole;
	if (format == FORMAT_BENCH && !p->given)
		return CONSUMERS_SECOND;
	return choice ? (enum fusion_consumers)(choice - 1) : FUSION_CONSUMERS;
}

static json_t *importance_fusions_bench(struct call *c,
	const struct fleet_fusion_list *l, const struct catalog *k)
{
	struct fleet_importance m;
	struct fleet_shape *shapes;
	uint32_t n;
	fleet_fusions_tasks(l, k, &c->s.arena, &m, &shapes, &n);
	return importance_bench_answer(c,
		view_set_from_fleet(&m, shapes, n, k, &c->s.arena),
		"kernsift-fusions");
}

json_t *fusions_get(struct call *c, struct err *e)
{
	const struct catalog *k = call_catalog(c, e);
	int format = importance_format_of(c);
	struct fleet_filter f;
	struct fleet_fusions found;
	struct fleet_fusion_list l;
	if (!k || !importance_fleet_params(c, k, &f, e) ||
		!concurrency_limit_enter(c, e) ||
		!query_fleet_fusions(c->s.db, &c->s.arena, &f, &found, e))
		return NULL;
	call_db_return(c);
	fleet_fusions_from(&found, k, importance_consumers(c, format),
		format == TABLE_JSON
			? (uint32_t)param(&c->params, "limit")->whole
			: 0,
		&c->s.arena, &l);
	if (format == TABLE_JSON)
		return view_fusions(&l);
	if (format == FORMAT_BENCH)
		return importance_fusions_bench(c, &l, k);
	return listing_file(c, view_fusions_table(&c->s.arena, &l), "fusions");
}

/* ---- shapes of an operator */

struct importance_page {
	int64_t shape; /* its id; 0: all shapes */
	struct fleet_shape_page is;
	bool more;
};

/* Sums the operator's time for the findings. */
static struct findings_shape_times importance_shapes_time(const struct fleet *f)
{
	struct findings_shape_times t = {
		.empty = "no run that matches has it"
	};
	for (uint32_t i = 0; i < f->rows_n; i++) {
		t.all += f->rows[i].weighted_s;
		t.unbound += f->rows[i].weighted_s - f->rows[i].bound_s;
		t.over += f->rows[i].over_s;
		t.n++;
	}
	return t;
}

static double importance_shapes_median_of(const struct fleet_importance_shapes
						  *s,
	struct arena *a)
{
	double *v = arena_array(a, double, s->n + 1);
	for (uint32_t i = 0; i < s->n; i++)
		v[i] = s->rows[i].s;
	return fleet_importance_median(v, s->n);
}

static bool importance_shapes_unknown(const struct call *c, struct err *e)
{
	if (!strcmp(c->word, "unattributed"))
		return err_set(e, ERR_NOT_FOUND,
			"'unattributed' is not an operator; /unattributed "
			"lists the unattributed kernels");
	return err_set(e, ERR_NOT_FOUND,
		"neither a run nor the catalog has an operator '%s'", c->word);
}

/* Reads the runs that match and the fleet-bests of their shapes. */
static bool importance_shapes_base(struct call *c, const struct fleet_filter *f,
	struct fleet_importance_base *base, struct err *e)
{
	struct fleet *fleet = arena_new(&c->s.arena, struct fleet);
	struct fleet_bests *bests = arena_new(&c->s.arena, struct fleet_bests);
	base->fleet = fleet;
	base->bests = bests;
	if (!query_fleet(c->s.db, &c->s.arena, f, fleet, e) ||
		!fleet_best_read(c->s.db, &c->s.arena,
			project_scope_name(&c->s), f->platform, bests, e))
		return false;
	reachable_sort(bests);
	return true;
}

static bool importance_shapes_fleet(struct call *c, const struct catalog *k,
	struct importance_page *p, struct fleet_importance_shapes *s,
	struct findings_shape_times *times, struct err *e)
{
	struct fleet_importance_base base = { .catalog = k };
	struct fleet_filter f;
	struct fleet_shape_list l;
	if (!catalog_params_platform(c, "against", k, &base.against, e) ||
		!importance_fleet_params(c, k, &f, e))
		return false;
	f.op = c->word;
	f.shape = p->shape;
	/* A search reads the sizes of all shapes, like a table of all. */
	if (((p->is.q || (!p->is.limit && !p->shape)) &&
		    !concurrency_limit_enter(c, e)) ||
		!importance_shapes_base(c, &f, &base, e) ||
		!query_fleet_shapes(c->s.db, &c->s.arena, &f, &p->is, &l, e))
		return false;
	if (!catalog_operator(k, c->word) && !base.fleet->rows_n)
		return importance_shapes_unknown(c, e);
	*times = importance_shapes_time(base.fleet);
	fleet_importance_shapes_from_fleet(&l, &base, &c->s.arena, s);
	p->more = p->is.offset + l.n < l.matching;
	if (l.n == l.matching && !p->is.q)
		s->s_median = importance_shapes_median_of(s, &c->s.arena);
	return true;
}

/* Keeps the shape with this id; 0 keeps all. */
static void importance_shapes_select(struct fleet_importance_shapes *s,
	int64_t id)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < s->n; i++)
		if (!id || s->rows[i].id == id)
			s->rows[n++] = s->rows[i];
	s->n = n;
}

static bool importance_shapes_set(struct call *c, const struct catalog *k,
	const char *name, struct importance_page *p,
	struct fleet_importance_shapes *s, struct err *e)
{
	struct reference_document *set =
		arena_new(&c->s.arena, struct reference_document);
	const struct reference *r = &set->is;
	uint32_t i = 0;
	if (!importance_set_params(c, e) ||
		!reference_document_read(&c->s, name, k, set, e))
		return false;
	if (param(&c->params, "against")->given)
		return err_set(e, ERR_INPUT,
			"against: is not supported with reference_set");
	while (i < r->operators_n && strcmp(r->operators[i].name, c->word) != 0)
		i++;
	if (i == r->operators_n)
		return err_set(e, ERR_NOT_FOUND,
			"the reference set '%.100s' has no operator '%s'", name,
			c->word);
	fleet_importance_shapes_from_set(r, &r->operators[i], &c->s.arena, s);
	s->set = name;
	importance_shapes_select(s, p->shape);
	/* All shapes are in memory; this selects the page. */
	const struct fleet_shape_page *page = &p->is;
	uint32_t from = page->offset < s->n ? (uint32_t)page->offset : s->n;
	s->rows += from;
	s->n -= from;
	p->more = page->limit && s->n > (uint32_t)page->limit;
	if (p->more)
		s->n = (uint32_t)page->limit;
	return true;
}

static bool importance_shapes_read(struct call *c, struct importance_page *p,
	struct fleet_importance_shapes *s, struct findings_shape_times *times,
	struct err *e)
{
	const char *set = param_text(&c->params, "reference_set", NULL);
	const struct operator_info *is;
	const struct catalog *k = call_catalog(c, e);
	if (!k || !(set ? importance_shapes_set(c, k, set, p, s, e)
			: importance_shapes_fleet(c, k, p, s, times, e)))
		return false;
	is = catalog_operator(k, c->word);
	s->op = c->word;
	s->what = is ? is->what : NULL;
	return true;
}

/* Reads `q` and `sort`. A reference set has no headroom, and has the order in
 * which it was published. */
static bool importance_shapes_order(const struct call *c,
	struct fleet_shape_page *p, struct err *e)
{
	const struct param *sort = param(&c->params, "sort"),
			   *q = param(&c->params, "q");
	if (param(&c->params, "reference_set")->given &&
		(sort->given || q->given))
		return err_set(e, ERR_INPUT,
			"%s: is not supported with reference_set",
			sort->given ? "sort" : "q");
	/* routes.def lists all sort keys, then all keys again for the
	 * reversed order. */
	p->by = (enum fleet_shape_order)(sort->whole % FLEET_SHAPE_ORDERS);
	p->reverse = sort->whole >= FLEET_SHAPE_ORDERS;
	p->q = param_text(&c->params, "q", NULL);
	return true;
}

json_t *importance_shapes_get(struct call *c, struct err *e)
{
	struct fleet_importance_shapes s = { 0 };
	struct findings_shape_times times = { 0 };
	struct importance_page p = { 0 };
	if (!importance_shapes_order(c, &p.is, e) ||
		!listing_read(c, &p.is.offset, &p.is.limit, e) ||
		!importance_shapes_read(c, &p, &s, &times, e))
		return NULL;
	if (!listing_is_json(c))
		return listing_file(c,
			view_importance_shapes_table(&c->s.arena, &s), c->word);
	const struct finding_list found = findings_shapes(&c->s.arena, &times);
	return listing_next(c, view_importance_shapes(&s, &found),
		p.is.offset + s.n, p.more);
}

/* ---- one shape */

/* The order of PARAM(importance_shape_get, "format", …) in routes.def. */
enum { SHAPE_JSON, SHAPE_PYTORCH };

static json_t *importance_pytorch_answer(struct call *c,
	const struct fleet_importance_shapes *s, struct err *e)
{
	c->text = view_importance_pytorch(s, e);
	if (!c->text)
		return NULL;
	c->text_len = strlen(c->text);
	c->text_type = "text/x-python; charset=utf-8";
	snprintf(c->disposition, sizeof c->disposition,
		"attachment; filename=\"%s-%lld.py\"", s->op, (long long)c->id);
	return NULL;
}

json_t *importance_shape_get(struct call *c, struct err *e)
{
	struct fleet_importance_shapes s = { 0 };
	struct findings_shape_times times = { 0 };
	struct importance_page p = { .shape = c->id };
	if (!importance_shapes_read(c, &p, &s, &times, e))
		return NULL;
	if (!s.n) {
		err_set(e, ERR_NOT_FOUND, "there is no shape %lld of '%s'%s",
			(long long)c->id, s.op,
			s.set ? "" : " in a run that matches");
		return NULL;
	}
	if (importance_format_of(c) == SHAPE_PYTORCH)
		return importance_pytorch_answer(c, &s, e);
	const struct finding_list found = findings_shapes(&c->s.arena, &times);
	return view_importance_shapes(&s, &found);
}
