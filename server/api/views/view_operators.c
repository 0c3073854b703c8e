/* view_operators.c - what a run's GPU time was spent on, as JSON and as tables. */
#include "view_operators.h"
#include "profile_word.h"
#include "roofline.h"
#include "table.h"
#include "view_importance.h"
#include <math.h>
#include <string.h>

static json_t *view_operators_known(const int64_t ns[KNOWNS])
{
	json_t *v = json_object();
	for (int k = 0; k < KNOWNS; k++)
		view_set_whole(v, profile_word_how[k], ns[k]);
	return v;
}

static json_t *view_operators_put(const struct platform_projection *to)
{
	json_t *v = json_object();
	view_set_real(v, "sol_ns", to->bound_ns ? to->sol_ns : (double)NAN);
	view_set_whole(v, "roofline_known_ns", to->bound_ns);
	view_set_text(v, "regime",
		fleet_importance_regime(run_operators_projection_leg(to)));
	return v;
}

static json_t *view_operators_item(const struct run_operators_table *m,
	uint32_t i)
{
	const struct operator_stat *o = &m->is->rows[i];
	const struct operator_info *is =
		o->name ? catalog_operator(m->catalog, o->name) : NULL;
	bool bound = o->bound_ns > 0;
	json_t *v = json_object();
	view_set_text(v, "operator", o->name);
	view_set_text(v, "description", is ? is->what : NULL);
	view_set_text(v, "group", is ? is->group : NULL);
	json_object_set_new(v, "specific",
		json_boolean(o->name && (!is || is->specific)));
	json_object_set_new(v, "collective", json_boolean(o->collective));
	view_set_text(v, "dtype", dtype_word(o->dtype));
	view_set_text(v, "phase", profile_word_phase[o->phase]);
	view_set_real(v, "time_pct",
		fleet_importance_pct(o->total_ns, m->is->gpu_ns));
	view_set_whole(v, "total_ns", o->total_ns);
	view_set_whole(v, "calls", o->calls);
	view_set_whole(v, "launches", o->launches);
	view_set_real(v, "mean_call_ns",
		o->calls ? (double)o->total_ns / (double)o->calls
			 : (double)NAN);
	view_set_whole(v, "shapes", o->shapes);
	json_object_set_new(v, "attribution_source_ns",
		view_operators_known(o->known_ns));
	view_set_whole(v, "shape_known_ns", o->sized_ns);
	view_set_whole(v, "roofline_known_ns", o->bound_ns);
	view_set_real(v, "sol_ns",
		bound ? (double)o->sol_ps / 1e3 : (double)NAN);
	view_set_real(v, "s",
		bound ? (double)o->sol_ps / 1e3 / (double)o->bound_ns
		      : (double)NAN);
	view_set_text(v, "regime",
		fleet_importance_regime(run_operators_leg(o)));
	view_set_real(v, "compute_pct",
		fleet_importance_pct(o->compute_ns, o->bound_ns));
	view_set_whole(v, "headroom_ns",
		bound && !o->collective ? o->headroom_ns : -1);
	view_set_real(v, "headroom_pct",
		bound && !o->collective
			? fleet_importance_pct(o->headroom_ns, m->is->gpu_ns)
			: (double)NAN);
	view_set_whole(v, "above_bound_ns", o->over_ns);
	json_object_set_new(v, "against",
		m->put ? view_operators_put(&m->put[i]) : json_null());
	return v;
}

json_t *view_run_operators(const struct run_operators_table *m,
	const struct finding_list *findings)
{
	const struct platform *p =
		m->is->platform ? catalog_platform(m->catalog, m->is->platform)
				: NULL;
	struct run_operators_share of = run_operators_share_from(m);
	json_t *items = json_array();
	for (uint32_t i = 0; i < m->is->n; i++)
		view_append(items, view_operators_item(m, i));
	json_t *v = view_list(items, NULL);
	view_set_text(v, "platform", m->is->platform);
	view_set_text(v, "platform_source", p ? p->source : NULL);
	json_object_set_new(v, "against",
		m->against ? view_platform(m->against) : json_null());
	view_set_text(v, "catalog", m->is->catalog);
	view_set_text(v, "catalog_now", catalog_version(m->catalog));
	view_set_whole(v, "gpu_ns", m->is->gpu_ns);
	view_set_real(v, "attributed_pct", of.attributed);
	view_set_real(v, "operator_known_pct", of.specific);
	view_set_real(v, "shape_known_pct", of.sized);
	view_set_real(v, "roofline_known_pct", of.bound);
	view_set_whole(v, "replayed", m->is->replayed);
	view_set_whole(v, "replayed_known", m->is->replayed_known);
	view_set_real(v, "headroom_pct", of.headroom);
	json_object_set_new(v, "findings", view_finding_list(findings));
	return v;
}

/* ---- shapes */

static json_t *view_operators_shape_put(const struct shape_stat *s,
	const struct platform *to)
{
	struct bound b = { .sol_s = NAN };
	json_t *v = json_object();
	struct arena a = { 0 };
	const char *why = "its cost is not known";
	if (s->costed) {
		roofline(&s->cost, to, &b);
		why = roofline_why(&b, to, &a);
	}
	view_set_real(v, "sol_ns", 1e9 * b.sol_s);
	view_set_text(v, "regime", fleet_importance_regime(b.leg));
	view_set_text(v, "reason", why);
	arena_release(&a);
	return v;
}

json_t *view_run_shape(const struct run_shapes *of, const struct shape_stat *s)
{
	const struct run_operators_table *m = of->of;
	const struct operator_stat *o = &m->is->rows[s->operator_];
	double bytes = (double)s->cost.read_bytes + (double)s->cost.write_bytes;
	double flops = fleet_importance_flops(&s->cost);
	json_t *v = json_object();
	view_set_text(v, "shape", s->text);
	json_object_set_new(v, "sizes", view_sizes(s->text));
	view_set_text(v, "grid", s->grid);
	view_set_text(v, "dtype", dtype_word(o->dtype));
	view_set_text(v, "phase", profile_word_phase[o->phase]);
	view_set_text(v, "attribution_source", profile_word_how[s->known]);
	view_set_whole(v, "calls", s->call.instances);
	view_set_whole(v, "launches", s->launches);
	view_set_whole(v, "total_ns", s->call.total_ns);
	view_set_real(v, "time_pct",
		fleet_importance_pct(s->call.total_ns, m->is->gpu_ns));
	view_set_real(v, "mean_ns", s->call.avg_ns);
	view_set_real(v, "median_ns", s->call.med_ns);
	view_set_whole(v, "min_ns", s->call.min_ns);
	view_set_whole(v, "max_ns", s->call.max_ns);
	view_set_real(v, "p90_ns", s->call.p90_ns);
	view_set_real(v, "p99_ns", s->call.p99_ns);
	json_object_set_new(v, "flops",
		s->costed ? view_flops(&s->cost) : json_null());
	view_set_whole(v, "read_bytes",
		s->costed ? (int64_t)s->cost.read_bytes : -1);
	view_set_whole(v, "write_bytes",
		s->costed ? (int64_t)s->cost.write_bytes : -1);
	view_set_real(v, "ai",
		s->costed && bytes > 0 ? flops / bytes : (double)NAN);
	view_set_real(v, "sol_ns", s->sol_ns);
	view_set_real(v, "s",
		s->call.avg_ns > 0 ? s->sol_ns / s->call.avg_ns : (double)NAN);
	view_set_text(v, "regime", fleet_importance_regime(s->leg));
	view_set_real(v, "attained_flops",
		s->costed && flops > 0 && s->call.avg_ns > 0
			? flops / s->call.avg_ns * 1e9
			: (double)NAN);
	view_set_text(v, "reason",
		s->text	  ? s->why
		: s->grid ? "only its grid is known, not its sizes"
			  : "its sizes are not known");
	json_object_set_new(v, "against",
		m->against ? view_operators_shape_put(s, m->against)
			   : json_null());
	return v;
}

json_t *view_run_shapes(const struct run_shapes *s,
	const struct finding_list *findings, json_t *list)
{
	const struct run_operators_table *m = s->of;
	const struct operator_info *is = catalog_operator(m->catalog, s->op);
	view_set_text(list, "operator", s->op);
	view_set_text(list, "description", is ? is->what : NULL);
	view_set_text(list, "platform", m->is->platform);
	json_object_set_new(list, "against",
		m->against ? view_platform(m->against) : json_null());
	view_set_real(list, "s_median", s->s_median);
	json_object_set_new(list, "findings", view_finding_list(findings));
	return list;
}

/* ---- tables; unattributed kernels */

static const struct column operators[] = { { "Time (%)", true },
	{ "Total Time (ns)", true }, { "Calls", true }, { "Launches", true },
	{ "Avg (ns)", true }, { "Shapes", true }, { "S", true },
	{ "Regime", false }, { "Headroom (ns)", true }, { "Sized (ns)", true },
	{ "Bound (ns)", true }, { "dtype", false }, { "Phase", false },
	{ "Operator", false } };

static const struct column shapes[] = { { "Time (%)", true },
	{ "Total Time (ns)", true }, { "Calls", true }, { "Launches", true },
	{ "Avg (ns)", true }, { "Med (ns)", true }, { "Min (ns)", true },
	{ "Max (ns)", true }, { "T_SOL (ns)", true }, { "S", true },
	{ "Regime", false }, { "Known", false }, { "dtype", false },
	{ "Phase", false }, { "Shape", false } };

static const struct column unattributed[] = { { "Total Time (ns)", true },
	{ "Launches", true }, { "Runs", true }, { "Family", false },
	{ "Name", false } };

static const char *view_operators_table_text(const char *s)
{
	return s ? s : "";
}

/* Tables end in the type, the phase and a name: these three columns. */
enum { ENDS = 3, AGAINST = 3, COLUMNS = 20 };

/* The columns, and before the last ones those of the request's platform. */
static struct table *view_operators_table_table_against(struct arena *a,
	const struct platform *to, const struct column *is, int width,
	uint32_t rows, const char ***cells)
{
	struct column *all = arena_array(a, struct column, COLUMNS);
	const int head = width - ENDS;
	if (!to)
		return table_new(a, is, width, rows, cells);
	memcpy(all, is, (size_t)head * sizeof *is);
	all[head] =
		(struct column){ arena_printf(a, "T_SOL on %s (ns)", to->name),
			true };
	all[head + 1] =
		(struct column){ arena_printf(a, "S on %s", to->name), true };
	all[head + 2] =
		(struct column){ arena_printf(a, "Regime on %s", to->name),
			false };
	memcpy(all + head + AGAINST, is + head, ENDS * sizeof *is);
	return table_new(a, all, width + AGAINST, rows, cells);
}

static const char **view_operators_table_put_cells(struct arena *a,
	double sol_ns, double of_ns, enum leg leg, const char **at)
{
	*at++ = table_figure(a, sol_ns);
	*at++ = table_figure(a, of_ns > 0 ? sol_ns / of_ns : (double)NAN);
	*at++ = view_operators_table_text(fleet_importance_regime(leg));
	return at;
}

static const char **view_operators_table_operator_put(struct arena *a,
	const struct platform_projection *to, const char **at)
{
	return view_operators_table_put_cells(a,
		to->bound_ns ? to->sol_ns : (double)NAN, (double)to->bound_ns,
		run_operators_projection_leg(to), at);
}

static const char **view_operators_table_shape_put(struct arena *a,
	const struct shape_stat *r, const struct platform *to, const char **at)
{
	struct bound b = { .sol_s = NAN };
	if (r->costed)
		roofline(&r->cost, to, &b);
	return view_operators_table_put_cells(a, 1e9 * b.sol_s, r->call.avg_ns,
		b.leg, at);
}

const struct table *view_run_operators_table(struct arena *a,
	const struct run_operators_table *m)
{
	const char **at;
	struct table *t = view_operators_table_table_against(a, m->against,
		TABLE_COLUMNS(operators), m->is->n, &at);
	for (uint32_t i = 0; i < m->is->n; i++) {
		const struct operator_stat *o = &m->is->rows[i];
		bool bound = o->bound_ns > 0;
		*at++ = table_real(a,
			fleet_importance_pct(o->total_ns, m->is->gpu_ns));
		*at++ = table_whole(a, o->total_ns);
		*at++ = table_whole(a, o->calls);
		*at++ = table_whole(a, o->launches);
		*at++ = table_real(a,
			o->calls ? (double)o->total_ns / (double)o->calls
				 : (double)NAN);
		*at++ = table_whole(a, o->shapes);
		*at++ = table_figure(a,
			bound ? (double)o->sol_ps / 1e3 / (double)o->bound_ns
			      : (double)NAN);
		*at++ = view_operators_table_text(
			fleet_importance_regime(run_operators_leg(o)));
		*at++ = table_whole(a,
			bound && !o->collective ? o->headroom_ns : -1);
		*at++ = table_whole(a, o->sized_ns);
		*at++ = table_whole(a, o->bound_ns);
		if (m->put)
			at = view_operators_table_operator_put(a, &m->put[i],
				at);
		*at++ = view_operators_table_text(dtype_word(o->dtype));
		*at++ = view_operators_table_text(profile_word_phase[o->phase]);
		*at++ = o->name ? o->name : "unattributed";
	}
	return t;
}

const struct table *view_run_shapes_table(struct arena *a,
	const struct run_shapes *s)
{
	const char **at;
	const struct platform *to = s->of->against;
	struct table *t = view_operators_table_table_against(a, to,
		TABLE_COLUMNS(shapes), s->n, &at);
	for (uint32_t i = 0; i < s->n; i++) {
		const struct shape_stat *r = &s->rows[i];
		const struct operator_stat *o = &s->of->is->rows[r->operator_];
		*at++ = table_real(a, fleet_importance_pct(r->call.total_ns,
					      s->of->is->gpu_ns));
		*at++ = table_whole(a, r->call.total_ns);
		*at++ = table_whole(a, r->call.instances);
		*at++ = table_whole(a, r->launches);
		*at++ = table_real(a, r->call.avg_ns);
		*at++ = table_real(a, r->call.med_ns);
		*at++ = table_whole(a, r->call.min_ns);
		*at++ = table_whole(a, r->call.max_ns);
		*at++ = table_figure(a, r->sol_ns);
		*at++ = table_figure(a, r->sol_ns / r->call.avg_ns);
		*at++ = view_operators_table_text(
			fleet_importance_regime(r->leg));
		*at++ = profile_word_how[r->known];
		if (to)
			at = view_operators_table_shape_put(a, r, to, at);
		*at++ = view_operators_table_text(dtype_word(o->dtype));
		*at++ = view_operators_table_text(profile_word_phase[o->phase]);
		*at++ = r->text ? r->text : r->grid ? r->grid : "";
	}
	return t;
}

json_t *view_unattributed(const struct unattributed_line *u)
{
	json_t *v = json_object();
	view_set_whole(v, "id", u->kernel);
	view_set_text(v, "name", u->name);
	view_set_text(v, "short_name", u->short_name);
	view_set_text(v, "family", u->family);
	view_set_whole(v, "launches", u->launches);
	view_set_whole(v, "total_ns", u->total_ns);
	view_set_real(v, "total_s", (double)u->total_ns / 1e9);
	view_set_whole(v, "runs", u->runs);
	return v;
}

const struct table *view_unattributed_table(struct arena *a,
	const struct unattributed_line *rows, uint32_t n)
{
	const char **at;
	struct table *t = table_new(a, TABLE_COLUMNS(unattributed), n, &at);
	for (uint32_t i = 0; i < n; i++) {
		*at++ = table_whole(a, rows[i].total_ns);
		*at++ = table_whole(a, rows[i].launches);
		*at++ = table_whole(a, rows[i].runs);
		*at++ = view_operators_table_text(rows[i].family);
		*at++ = rows[i].name;
	}
	return t;
}
