/* view_operators.c - the operators that used the GPU time of a run, as JSON and
 * as tables. */
#include "view_operators.h"
#include "profile_word.h"
#include "roofline.h"
#include <math.h>
#include <string.h>

static json_t *view_operators_shape_against(const struct shape_stat *s,
	const struct platform *to);

/* T_SOL of a call on the platform; NAN if unknown. */
static double view_operators_sol_ns(const struct shape_stat *s,
	const struct platform *to, enum leg *leg)
{
	struct bound b = { .sol_s = NAN };
	if (s->costed)
		roofline(&s->cost, to, &b);
	if (leg)
		*leg = b.leg;
	return 1e9 * b.sol_s;
}

static const char *view_operators_regime(const struct shape_stat *s,
	const struct platform *to)
{
	enum leg leg;
	view_operators_sol_ns(s, to, &leg);
	return fleet_importance_regime(leg);
}

static double view_operators_match_pct(const struct graph_match *m)
{
	return m->captures ? 100.0 * m->matched / m->kernels : (double)NAN;
}

static const char *view_operators_graph_reason(enum graph_reason reason)
{
#define GRAPH_REASON(code, word, text) [GRAPH_REASON_##code] = text,
	static const char *const texts[] = {
#include "graph_reason.def"
		[GRAPH_REASON_NONE] = NULL,
	};
#undef GRAPH_REASON
	return texts[reason];
}

/* NULL if the peaks are at a recorded clock, or if there are no operators. */
static const char *view_operators_clock_reason(const struct run_operators *r)
{
	if (!r->catalog || r->sm_clock_mhz > 0)
		return NULL;
	return r->sm_clock_why ? r->sm_clock_why
			       : "the run was analyzed before SM clocks were "
				 "used; `kernsiftd rebuild` analyzes it again";
}

/* A figure by the data sheet's peaks; NaN if the run's bounds are by them. */
static double view_operators_sheet(const struct run_operators_table *m,
	double figure)
{
	return run_operators_has_clock(m) ? figure : (double)NAN;
}

#define ROWS "operators.def"
#include "row_functions.h"

static json_t *view_operators_shape_against(const struct shape_stat *s,
	const struct platform *to)
{
	struct bound b = { .sol_s = NAN };
	struct arena a = { 0 };
	const char *why = "its cost is not known";
	if (s->costed) {
		roofline(&s->cost, to, &b);
		why = roofline_why(&b, &s->cost, to, &a);
	}
	json_t *v = row_shape_against(1e9 * b.sol_s, b.leg, why);
	arena_release(&a);
	return v;
}

/* The operator's entry in the catalog; NULL if there is none. */
static const struct operator_info *view_operators_info(
	const struct run_operators_table *m, const struct operator_stat *o)
{
	return o->name ? catalog_operator(m->catalog, o->name) : NULL;
}

json_t *view_run_operators(const struct run_operators_table *m,
	const struct finding_list *findings)
{
	const struct platform *p =
		m->is->platform ? catalog_platform(m->catalog, m->is->platform)
				: NULL;
	struct run_operators_share of = run_operators_share_from(m);
	struct arena a = { 0 };
	json_t *items = json_array();
	for (uint32_t i = 0; i < m->is->n; i++) {
		const struct operator_stat *o = &m->is->rows[i];
		view_append(items,
			row_run_operator(m, o, view_operators_info(m, o),
				m->put ? &m->put[i] : NULL,
				run_operators_measured(m, o),
				m->reachable ? &m->reachable[i] : NULL,
				&m->use->rows[i]));
	}
	json_t *v = row_run_operators(m, p, run_operators_peaks(m, &a), &of,
		findings, view_list(items, NULL));
	arena_release(&a);
	return v;
}

/* By the data sheet, as fleet-bests are. NULL unknown. */
static const struct fleet_best *
view_operators_best(const struct run_operators_table *m,
	const struct operator_stat *o, const struct shape_stat *s)
{
	return s->costed ? run_operators_best(m, o, s->leg,
				   cost_size_class(&s->cost, s->leg))
			 : NULL;
}

static json_t *view_operators_shape(const struct run_shapes *of,
	const struct shape_stat *s)
{
	const struct run_operators_table *m = of->of;
	const struct operator_stat *o = &m->is->rows[s->operator_];
	return row_run_shape(m, o, s, fleet_importance_flops(&s->cost),
		(double)s->cost.read_bytes + (double)s->cost.write_bytes,
		view_operators_best(m, o, s),
		view_profiles_of_shape(&of->profiles, s->operator_, s->number));
}

json_t *view_run_shapes(const struct run_shapes *s, uint32_t from, uint32_t n,
	const struct finding_list *findings)
{
	struct arena a = { 0 };
	json_t *items = json_array();
	for (uint32_t i = 0; i < n; i++)
		view_append(items, view_operators_shape(s, &s->rows[from + i]));
	json_t *v = row_run_shapes(s, s->of, run_operators_peaks(s->of, &a),
		catalog_operator(s->of->catalog, s->op), findings,
		view_list(items, NULL));
	arena_release(&a);
	return v;
}

/* ---- tables; unattributed kernels */

const struct table *view_run_operators_table(struct arena *a,
	const struct run_operators_table *m)
{
	struct row_table *t = row_table_begin(a, "run_operator",
		m->against ? m->against->name : NULL);
	if (!m->ceilings) {
		row_table_hide(t, "S Measured");
		row_table_hide(t, "Headroom Measured (ns)");
	}
	if (!run_operators_has_clock(m)) {
		row_table_hide(t, "S Data Sheet");
		row_table_hide(t, "Headroom Data Sheet (ns)");
	}
	row_table_rows(t, m->is->n);
	for (uint32_t i = 0; i < m->is->n; i++) {
		row_run_operator_cells(t, m, &m->is->rows[i], NULL,
			m->put ? &m->put[i] : NULL,
			run_operators_measured(m, &m->is->rows[i]),
			m->reachable ? &m->reachable[i] : NULL,
			&m->use->rows[i]);
		row_table_next(t);
	}
	return &t->table;
}

const struct table *view_run_shapes_table(struct arena *a,
	const struct run_shapes *s)
{
	const struct platform *to = s->of->against;
	struct row_table *t =
		row_table_begin(a, "run_shape", to ? to->name : NULL);
	if (!s->of->ceilings)
		row_table_hide(t, "S Measured");
	if (!run_operators_has_clock(s->of))
		row_table_hide(t, "S Data Sheet");
	row_table_rows(t, s->n);
	for (uint32_t i = 0; i < s->n; i++) {
		const struct shape_stat *r = &s->rows[i];
		const struct operator_stat *o = &s->of->is->rows[r->operator_];
		row_run_shape_cells(t, s->of, o, r, (double)NAN, (double)NAN,
			view_operators_best(s->of, o, r), NULL);
		row_table_next(t);
	}
	return &t->table;
}

json_t *view_replayed_graph(const struct replayed_graph *g)
{
	return row_replayed_graph(g, &g->is);
}

const struct table *view_replayed_graph_table(struct arena *a,
	const struct replayed_graph *rows, uint32_t n)
{
	struct row_table *t = row_table_begin(a, "replayed_graph", NULL);
	row_table_rows(t, n);
	for (uint32_t i = 0; i < n; i++) {
		row_replayed_graph_cells(t, &rows[i], &rows[i].is);
		row_table_next(t);
	}
	return &t->table;
}

json_t *view_unattributed(const struct unattributed_line *u)
{
	return row_unattributed(u);
}

const struct table *view_unattributed_table(struct arena *a,
	const struct unattributed_line *rows, uint32_t n)
{
	struct row_table *t = row_table_begin(a, "unattributed", NULL);
	row_table_rows(t, n);
	for (uint32_t i = 0; i < n; i++) {
		row_unattributed_cells(t, &rows[i]);
		row_table_next(t);
	}
	return &t->table;
}
