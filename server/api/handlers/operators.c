/* operators.c - lists the operators of a run, their shapes, and unattributed
 * kernels. */
#include "catalog_params.h"
#include "catalog_cache.h"
#include "concurrency_limit.h"
#include "listing.h"
#include "run_operators.h"
#include "findings.h"
#include "fleet_best.h"
#include "kernel_profiles.h"
#include "fleet_importance.h"
#include "view_operators.h"
#include <limits.h>
#include <math.h>
#include <string.h>

/* The shapes of an operator, or of all operators (NULL). */
static bool operators_shapes_of(struct call *c, const char *op,
	struct shape_stat **rows, uint32_t *n, struct err *e)
{
	struct shape_filter f = { .run = c->id, .op = op, .named = !op };
	bool more;
	return query_shapes(c->s.db, &c->s.arena, &f, rows, n, &more, e);
}

/* The measured ceilings of the run's platform, if there are any. A document
 * that this version cannot read counts as none; GET /ceilings says why. */
static bool operators_ceilings_read(struct call *c,
	struct run_operators_table *m, struct err *e)
{
	struct measured_ceilings *rows;
	uint32_t n;
	if (!m->is->platform)
		return true;
	if (!measured_ceilings_read(c->s.db, &c->s.arena, m->catalog,
		    m->is->platform, &rows, &n, e))
		return false;
	m->ceilings = n && !rows[0].fault ? &rows[0] : NULL;
	if (m->ceilings && m->is->sm_clock_mhz > 0)
		measured_ceilings_at_clock(&rows[0], m->is->sm_clock_mhz);
	return true;
}

/* The operators of a run, and the catalog that describes them. */
static bool operators_table_read(struct call *c, struct run_operators *is,
	struct run_operators_table *m, struct err *e)
{
	struct run_row run;
	*m = (struct run_operators_table){ .is = is };
	return listing_run(c, &run, e) && (m->catalog = call_catalog(c, e)) &&
	       catalog_params_platform(c, "against", m->catalog, &m->against,
		       e) &&
	       query_operators(c->s.db, &c->s.arena, c->id, is, e) &&
	       operators_ceilings_read(c, m, e);
}

static bool operators_same(const char *a, const char *b)
{
	return a && b && !strcmp(a, b);
}

/* The shapes of all operators, projected to the platform in the request and to
 * the measured ceilings. */
static bool operators_projections_read(struct call *c,
	struct run_operators_table *m, struct err *e)
{
	const struct run_operators *is = m->is;
	struct shape_stat *rows;
	uint32_t n;
	if (!m->against && !m->ceilings)
		return true;
	struct platform_projection *put =
		arena_array(&c->s.arena, struct platform_projection, is->n + 1);
	struct measured_sum *measured =
		arena_array(&c->s.arena, struct measured_sum, is->n + 1);
	m->put = m->against ? put : NULL;
	m->measured = m->ceilings ? measured : NULL;
	if (!operators_shapes_of(c, NULL, &rows, &n, e))
		return false;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t at = rows[i].operator_;
		if (m->against)
			run_operators_projection_add(&put[at], &rows[i],
				m->against);
		if (m->ceilings)
			measured_ceilings_add(&measured[at], &rows[i],
				&m->ceilings->rates);
	}
	return true;
}

static bool operators_utilization_read(struct call *c,
	struct run_operators_table *m, struct err *e)
{
	struct costed_shapes shapes;
	if (!query_costed_shapes(c->s.db, &c->s.arena, c->id, &shapes, e))
		return false;
	m->use = run_operators_utilization_from(m, &shapes, &c->s.arena);
	return true;
}

json_t *run_operators_get(struct call *c, struct err *e)
{
	struct run_operators is;
	struct run_operators_table m;
	if (!operators_table_read(c, &is, &m, e) ||
		!operators_projections_read(c, &m, e) ||
		!run_operators_reachable_read(&c->s, c->id, &m, e) ||
		!operators_utilization_read(c, &m, e))
		return NULL;
	if (!listing_is_json(c))
		return listing_table(c,
			view_run_operators_table(&c->s.arena, &m), "operators");
	const struct finding_list found =
		findings_run_operators(&c->s.arena, &m);
	return view_run_operators(&m, &found);
}

/* Whether the run or the catalog has the operator. */
static bool operators_operator_check(const struct call *c,
	const struct run_operators_table *m, struct err *e)
{
	for (uint32_t i = 0; i < m->is->n; i++)
		if (operators_same(m->is->rows[i].name, c->word))
			return true;
	if (catalog_operator(m->catalog, c->word))
		return true;
	if (!strcmp(c->word, "unattributed"))
		return err_set(e, ERR_NOT_FOUND,
			"'unattributed' is not an operator; "
			"/runs/%lld/unattributed lists the unattributed "
			"kernels",
			(long long)c->id);
	return err_set(e, ERR_NOT_FOUND,
		"neither run %lld nor the catalog has an operator '%s'",
		(long long)c->id, c->word);
}

/* Keeps only the shapes of the dtype and phase in the request. */
static bool operators_narrow(const struct call *c,
	const struct run_operators *is, struct shape_stat *rows, uint32_t *n,
	struct err *e)
{
	enum dtype dtype;
	enum phase phase;
	uint32_t kept = 0;
	if (!catalog_params_dtype(c, &dtype, e) ||
		!catalog_params_run_phase(c, &phase, e))
		return false;
	for (uint32_t i = 0; i < *n; i++) {
		const struct operator_stat *o = &is->rows[rows[i].operator_];
		if ((!dtype || o->dtype == dtype) &&
			(!phase || o->phase == phase))
			rows[kept++] = rows[i];
	}
	*n = kept;
	return true;
}

static double operators_median_of(struct arena *a,
	const struct shape_stat *rows, uint32_t n)
{
	double *s = arena_array(a, double, n + 1);
	for (uint32_t i = 0; i < n; i++)
		s[i] = rows[i].call.avg_ns > 0
			       ? rows[i].clock_sol_ns / rows[i].call.avg_ns
			       : (double)NAN;
	return fleet_importance_median(s, n);
}

static struct finding_list operators_findings(struct call *c,
	const struct shape_stat *rows, uint32_t n)
{
	struct findings_shape_times t = { .n = n,
		.empty = "this run has no call of the operator with this dtype "
			 "and phase" };
	for (uint32_t i = 0; i < n; i++) {
		double ns = (double)rows[i].call.total_ns;
		t.all += ns;
		t.unbound += isnan(rows[i].sol_ns) ? ns : 0;
		t.over += rows[i].clock_sol_ns > rows[i].call.avg_ns ? ns : 0;
	}
	return findings_shapes(&c->s.arena, &t);
}

json_t *run_shapes_get(struct call *c, struct err *e)
{
	struct run_operators is;
	struct run_operators_table m;
	struct run_shapes s = { .of = &m, .op = c->word };
	struct shape_stat *rows;
	struct kernel_profile_line *profiles;
	int64_t offset;
	uint32_t n;
	int limit;
	if (!listing_read(c, &offset, &limit, e) ||
		!operators_table_read(c, &is, &m, e) ||
		!operators_operator_check(c, &m, e) ||
		!run_operators_bests_read(&c->s, &m, e) ||
		!operators_shapes_of(c, c->word, &rows, &n, e) ||
		!operators_narrow(c, &is, rows, &n, e))
		return NULL;
	s.rows = rows;
	s.n = n;
	s.s_median = operators_median_of(&c->s.arena, rows, n);
	if (!listing_is_json(c))
		return listing_table(c, view_run_shapes_table(&c->s.arena, &s),
			c->word);
	if (!kernel_profiles_list(c->s.db, &c->s.arena, c->id, &profiles,
		    &s.profiles.n, e))
		return NULL;
	s.profiles.rows = profiles;
	uint32_t from = offset < n ? (uint32_t)offset : n, shown = n - from;
	if (shown > (uint32_t)limit)
		shown = (uint32_t)limit;
	const struct finding_list found = operators_findings(c, rows, n);
	return listing_next(c, view_run_shapes(&s, from, shown, &found),
		offset + shown, offset + shown < n);
}

json_t *replayed_graphs_get(struct call *c, struct err *e)
{
	struct replayed_graph *rows;
	struct run_row run;
	uint32_t n;
	if (!listing_run(c, &run, e) ||
		!query_replayed_graphs(c->s.db, &c->s.arena, c->id,
			project_scope_name(&c->s), &rows, &n, e))
		return NULL;
	if (!listing_is_json(c))
		return listing_table(c,
			view_replayed_graph_table(&c->s.arena, rows, n),
			"replayed-graphs");
	json_t *items = json_array();
	for (uint32_t i = 0; i < n; i++)
		view_append(items, view_replayed_graph(&rows[i]));
	return view_list(items, NULL);
}

static json_t *operators_unattributed(struct call *c, const char *name,
	struct err *e)
{
	struct unattributed_line *rows;
	int64_t offset;
	uint32_t n;
	int limit;
	if (!listing_read(c, &offset, &limit, e))
		return NULL;
	bool json = listing_is_json(c);
	/* One row more than the page shows whether there is another page. */
	int64_t most = json ? offset + limit + 1 : INT_MAX;
	if (most > INT_MAX)
		most = INT_MAX;
	if (!call_db(c, e) || !(c->id ? query_unattributed(c->s.db, &c->s.arena,
						c->id, (int)most, &rows, &n, e)
				      : run_operators_unattributed(&c->s,
						(int)most, &rows, &n, e)))
		return NULL;
	if (!json)
		return listing_file(c,
			view_unattributed_table(&c->s.arena, rows, n), name);
	json_t *items = json_array();
	uint32_t at = offset < n ? (uint32_t)offset : n;
	for (int shown = 0; at < n && shown < limit; shown++)
		view_append(items, view_unattributed(&rows[at++]));
	return listing_list(c, items, at, at < n);
}

json_t *run_unattributed_get(struct call *c, struct err *e)
{
	struct run_row run;
	if (!listing_run(c, &run, e))
		return NULL;
	return operators_unattributed(c,
		arena_printf(&c->s.arena, "run-%lld-unattributed",
			(long long)c->id),
		e);
}

json_t *unattributed_get(struct call *c, struct err *e)
{
	if (!concurrency_limit_enter(c, e))
		return NULL;
	return operators_unattributed(c, "unattributed", e);
}
