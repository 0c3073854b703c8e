/* view_operators.c - what a run's GPU time was spent on, as JSON. */
#include "profile_word.h"
#include "roofline.h"
#include "view_importance.h"
#include <math.h>

static json_t *known(const int64_t ns[KNOWNS])
{
	json_t *v = json_object();
	for (int k = 0; k < KNOWNS; k++)
		view_set_whole(v, profile_word_how[k], ns[k]);
	return v;
}

static json_t *put(const struct against *to)
{
	json_t *v = json_object();
	view_set_real(v, "sol_ns", to->bound_ns ? to->sol_ns : (double)NAN);
	view_set_whole(v, "bound_ns", to->bound_ns);
	view_set_text(v, "regime", matter_regime(against_leg(to)));
	return v;
}

static json_t *item(const struct run_matters *m, uint32_t i)
{
	const struct operator_stat *o = &m->is->rows[i];
	const struct operator_info *is =
		o->name ? catalog_operator(m->catalog, o->name) : NULL;
	bool bound = o->bound_ns > 0;
	json_t *v = json_object();
	view_set_text(v, "operator", o->name);
	view_set_text(v, "what", is ? is->what : NULL);
	view_set_text(v, "group", is ? is->group : NULL);
	json_object_set_new(v, "specific",
		json_boolean(o->name && (!is || is->specific)));
	json_object_set_new(v, "collective", json_boolean(o->collective));
	view_set_text(v, "dtype", dtype_word(o->dtype));
	view_set_text(v, "phase", profile_word_phase[o->phase]);
	view_set_real(v, "time_pct", matter_pct(o->total_ns, m->is->gpu_ns));
	view_set_whole(v, "total_ns", o->total_ns);
	view_set_whole(v, "calls", o->calls);
	view_set_whole(v, "launches", o->launches);
	view_set_real(v, "avg_call_ns",
		o->calls ? (double)o->total_ns / (double)o->calls
			 : (double)NAN);
	view_set_whole(v, "shapes", o->shapes);
	json_object_set_new(v, "known", known(o->known_ns));
	view_set_whole(v, "sized_ns", o->sized_ns);
	view_set_whole(v, "bound_ns", o->bound_ns);
	view_set_real(v, "sol_ns",
		bound ? (double)o->sol_ps / 1e3 : (double)NAN);
	view_set_real(v, "s",
		bound ? (double)o->sol_ps / 1e3 / (double)o->bound_ns
		      : (double)NAN);
	view_set_text(v, "regime", matter_regime(operator_leg(o)));
	view_set_real(v, "compute_pct", matter_pct(o->compute_ns, o->bound_ns));
	view_set_whole(v, "headroom_ns",
		bound && !o->collective ? o->headroom_ns : -1);
	view_set_real(v, "headroom_pct",
		bound && !o->collective
			? matter_pct(o->headroom_ns, m->is->gpu_ns)
			: (double)NAN);
	view_set_whole(v, "over_ns", o->over_ns);
	json_object_set_new(v, "against",
		m->put ? put(&m->put[i]) : json_null());
	return v;
}

json_t *view_run_operators(const struct run_matters *m,
	const struct finding_list *findings)
{
	const struct platform *p =
		m->is->platform ? catalog_platform(m->catalog, m->is->platform)
				: NULL;
	struct run_share of = run_share_from(m);
	json_t *items = json_array();
	for (uint32_t i = 0; i < m->is->n; i++)
		view_append(items, item(m, i));
	json_t *v = view_list(items, NULL);
	view_set_text(v, "platform", m->is->platform);
	view_set_text(v, "platform_source", p ? p->source : NULL);
	json_object_set_new(v, "against",
		m->against ? view_platform(m->against) : json_null());
	view_set_text(v, "catalog", m->is->catalog);
	view_set_text(v, "catalog_now", catalog_version(m->catalog));
	view_set_whole(v, "gpu_ns", m->is->gpu_ns);
	view_set_real(v, "attributed_pct", of.attributed);
	view_set_real(v, "specific_pct", of.specific);
	view_set_real(v, "sized_pct", of.sized);
	view_set_real(v, "bound_pct", of.bound);
	view_set_whole(v, "replayed", m->is->replayed);
	view_set_whole(v, "replayed_known", m->is->replayed_known);
	view_set_real(v, "headroom_pct", of.headroom);
	json_object_set_new(v, "findings", view_finding_list(findings));
	return v;
}
