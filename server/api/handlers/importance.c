/* importance.c - what matters over many runs, or in a reference set. */
#include "catalog_params.h"
#include "view_set.h"
#include "catalog_cache.h"
#include "dispatch.h"
#include "fleet_asked.h"
#include "concurrency_limit.h"
#include "listing.h"
#include "findings.h"
#include "reference_set.h"
#include "view_importance.h"
#include <math.h>
#include <string.h>

/* The order of PARAM(…, "format", …) in routes.def. */
enum { FORMAT_BENCH = TABLE_MD + 1 };
enum { SEED = 1 };

static const char bench_type[] = "application/vnd.kernsift.set+json";

/* The weight asked for; what was published is a set's alone, and all it has. */
static bool weight_read(const struct call *c, bool set,
	enum importance_weight *out, struct err *e)
{
	const struct param *w = param(&c->params, "weight");
	*out = set ? WEIGHT_PUBLISHED : WEIGHT_TIME;
	if (!w->given)
		return true;
	*out = (enum importance_weight)w->whole;
	if (set && *out != WEIGHT_PUBLISHED)
		return err_set(e, ERR_INPUT,
			"weight: a reference set has only what was published");
	return set || *out != WEIGHT_PUBLISHED ||
	       err_set(e, ERR_INPUT,
		       "weight: only reference sets have published figures; "
		       "name one with set");
}

static void arrange(const struct call *c, struct matters *m)
{
	/* The list in routes.def: every sort, then every sort reversed. */
	int sort = (int)param(&c->params, "sort")->whole;
	matters_search(m, param_text(&c->params, "q", NULL));
	matters_sort(m, (enum matters_sort)(sort % (MATTERS_NAME + 1)),
		sort > MATTERS_NAME);
}

static int format_of(const struct call *c)
{
	return (int)param(&c->params, "format")->whole;
}

static json_t *bench_answer(struct call *c, char *text, const char *name)
{
	c->text = text;
	c->text_len = strlen(text);
	c->text_type = bench_type;
	snprintf(c->disposition, sizeof c->disposition,
		"attachment; filename=\"%s.json\"", name);
	return NULL;
}

static json_t *fleet_bench(struct call *c, const struct fleet_filter *f,
	const struct matters *m, const struct catalog *k, struct err *e)
{
	struct fleet_shape *rows;
	uint32_t n;
	bool more;
	if (!heavy_take(c, e) || !query_fleet_shapes(c->s.db, &c->s.arena, f, 0,
					 0, &rows, &n, &more, e))
		return NULL;
	return bench_answer(c, bench_from_fleet(m, rows, n, k, &c->s.arena),
		"kernsift-fleet");
}

static json_t *fleet_answer(struct call *c, const struct catalog *k,
	enum importance_weight weight, struct err *e)
{
	struct fleet_filter f;
	struct fleet fleet;
	struct importance is;
	struct matters m;
	if (!fleet_asked(c, k, &f, e) ||
		!query_fleet(c->s.db, &c->s.arena, &f, &fleet, e))
		return NULL;
	call_db_return(c);
	importance_from(&fleet, weight, k, SEED, &c->s.arena, &is);
	matters_from_fleet(&fleet, &is, weight, f.dtype || f.phase, k,
		&c->s.arena, &m);
	arrange(c, &m);
	const struct finding_list found =
		matters_told(&c->s.arena, &m, &fleet, k);
	switch (format_of(c)) {
	case TABLE_JSON:
		return view_matters(&m, view_choices(&fleet), &found);
	case FORMAT_BENCH:
		return call_db(c, e) ? fleet_bench(c, &f, &m, k, e) : NULL;
	default:
		return listing_file(c, view_matters_table(&c->s.arena, &m),
			"importance");
	}
}

static json_t *set_answer(struct call *c, const struct catalog *k,
	const char *name, struct err *e)
{
	struct set_read set;
	struct matters m;
	enum dtype dtype;
	if (!set_asked(c, e) || !asked_dtype(c, &dtype, e) ||
		!set_read(&c->s, name, k, &set, e))
		return NULL;
	matters_from_set(name, &set.is, k, &c->s.arena, &m);
	matters_narrow(&m, dtype, asked_phase(c));
	arrange(c, &m);
	const struct finding_list found =
		matters_told(&c->s.arena, &m, NULL, k);
	switch (format_of(c)) {
	case TABLE_JSON:
		return view_matters(&m, view_set_choices(&set.is), &found);
	case TABLE_MD:
		c->text = report_set(&set.is, &m, &c->s.arena);
		c->text_len = strlen(c->text);
		c->text_type = "text/markdown; charset=utf-8";
		return NULL;
	case FORMAT_BENCH:
		return bench_answer(c, bench_from_set(set.json, set.len, &m),
			name);
	default:
		return listing_file(c, view_matters_table(&c->s.arena, &m),
			name);
	}
}

json_t *importance_get(struct call *c, struct err *e)
{
	const char *set = param_text(&c->params, "set", NULL);
	enum importance_weight weight;
	const struct catalog *k;
	if (!weight_read(c, set, &weight, e) || !(k = call_catalog(c, e)))
		return NULL;
	return set ? set_answer(c, k, set, e) : fleet_answer(c, k, weight, e);
}
