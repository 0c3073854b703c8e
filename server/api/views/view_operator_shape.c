/* view_operator_shape.c - the shapes of an operator in a run, as JSON. */
#include "profile_word.h"
#include "roofline.h"
#include "view_importance.h"
#include <math.h>

static json_t *put(const struct shape_stat *s, const struct platform *to)
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
	view_set_text(v, "regime", matter_regime(b.leg));
	view_set_text(v, "why", why);
	arena_release(&a);
	return v;
}

json_t *view_run_shape(const struct run_shapes *of, const struct shape_stat *s)
{
	const struct run_matters *m = of->of;
	const struct operator_stat *o = &m->is->rows[s->operator_];
	double bytes = (double)s->cost.read_bytes + (double)s->cost.write_bytes;
	double flops = matter_flops(&s->cost);
	json_t *v = json_object();
	view_set_text(v, "shape", s->text);
	json_object_set_new(v, "sizes", view_sizes(s->text));
	view_set_text(v, "grid", s->grid);
	view_set_text(v, "dtype", dtype_word(o->dtype));
	view_set_text(v, "phase", profile_word_phase[o->phase]);
	view_set_text(v, "known", profile_word_how[s->known]);
	view_set_whole(v, "calls", s->call.instances);
	view_set_whole(v, "launches", s->launches);
	view_set_whole(v, "total_ns", s->call.total_ns);
	view_set_real(v, "time_pct",
		matter_pct(s->call.total_ns, m->is->gpu_ns));
	view_set_real(v, "avg_ns", s->call.avg_ns);
	view_set_real(v, "med_ns", s->call.med_ns);
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
	view_set_text(v, "regime", matter_regime(s->leg));
	view_set_real(v, "attained_flops",
		s->costed && flops > 0 && s->call.avg_ns > 0
			? flops / s->call.avg_ns * 1e9
			: (double)NAN);
	view_set_text(v, "why",
		s->text	  ? s->why
		: s->grid ? "only its grid is known, not its sizes"
			  : "its sizes are not known");
	json_object_set_new(v, "against",
		m->against ? put(s, m->against) : json_null());
	return v;
}

json_t *view_run_shapes(const struct run_shapes *s,
	const struct finding_list *findings, json_t *list)
{
	const struct run_matters *m = s->of;
	const struct operator_info *is =
		catalog_operator(m->catalog, s->operator);
	view_set_text(list, "operator", s->operator);
	view_set_text(list, "what", is ? is->what : NULL);
	view_set_text(list, "platform", m->is->platform);
	json_object_set_new(list, "against",
		m->against ? view_platform(m->against) : json_null());
	view_set_real(list, "s_median", s->s_median);
	json_object_set_new(list, "findings", view_finding_list(findings));
	return list;
}
