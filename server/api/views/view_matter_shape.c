/* view_matter_shape.c - the shapes of an operator over many runs, as JSON. */
#include "view_importance.h"
#include <math.h>

json_t *view_matter_shape(const struct matter_shape *s,
	const struct matter_shapes *of)
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
	json_object_set_new(v, "over", json_boolean(s->s > 1));
	view_set_text(v, "why", s->why);
	return v;
}

json_t *view_matter_shapes(const struct matter_shapes *s,
	const struct finding_list *findings, json_t *list)
{
	view_set_text(list, "set", s->set);
	view_set_text(list, "operator", s->operator);
	view_set_text(list, "id", s->id);
	view_set_text(list, "what", s->what);
	view_set_real(list, "s_median", s->s_median);
	json_object_set_new(list, "platforms",
		view_platforms(s->platforms, s->platforms_n));
	json_object_set_new(list, "findings", view_finding_list(findings));
	return list;
}
