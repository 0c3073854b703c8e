/* document_operators.c - as the profile has them, in its order. */
#include "document_operators.h"
#include "profile_word.h"
#include "view.h"

static json_t *known(const int64_t known_ns[KNOWNS])
{
	json_t *v = json_object();

	for (int k = 0; k < KNOWNS; k++)
		json_object_set_new(v, profile_word_how[k],
			view_whole(known_ns[k]));
	return v;
}

static json_t *row(const struct operator_stat *o)
{
	return json_pack("{s:o, s:o, s:o, s:b, s:o, s:o, s:o, s:o, s:o, s:o, "
			 "s:o, s:o, s:o, s:o, s:o}",
		"operator", view_text(o->name), "dtype",
		view_text(dtype_word(o->dtype)), "phase",
		view_text(profile_word_phase[o->phase]), "collective",
		o->collective, "launches", view_whole(o->launches), "calls",
		view_whole(o->calls), "total_ns", view_whole(o->total_ns),
		"known", known(o->known_ns), "sized_ns",
		view_whole(o->sized_ns), "bound_calls",
		view_whole(o->bound_calls), "bound_ns", view_whole(o->bound_ns),
		"sol_ps", view_whole(o->sol_ps), "compute_ns",
		view_whole(o->compute_ns), "headroom_ns",
		view_whole(o->headroom_ns), "over_ns", view_whole(o->over_ns));
}

/* A figure beyond what JSON's readers can hold is no number there. */
static json_t *figure(uint64_t v)
{
	return v <= (UINT64_C(1) << 53) ? json_integer((json_int_t)v)
					: json_null();
}

static json_t *cost(const struct shape_stat *s)
{
	if (!s->costed)
		return json_null();
	json_t *flops = json_object();
	for (int d = 0; d < DTYPES; d++)
		if (s->cost.flops[d])
			json_object_set_new(flops, dtype_word((enum dtype)d),
				figure(s->cost.flops[d]));
	return json_pack("{s:o, s:o, s:o}", "flops", flops, "read_bytes",
		figure(s->cost.read_bytes), "write_bytes",
		figure(s->cost.write_bytes));
}

static json_t *shape(const struct operators *o, const struct shape_stat *s)
{
	const struct operator_stat *of = &o->rows[s->operator_];
	json_t *v = json_pack("{s:o, s:o, s:o, s:o, s:o, s:s, s:o, s:o, s:o, "
			      "s:o, s:o}",
		"operator", view_text(of->name), "shape", view_text(s->text),
		"grid", view_text(s->grid), "dtype",
		view_text(dtype_word(of->dtype)), "phase",
		view_text(profile_word_phase[of->phase]), "known",
		profile_word_how[s->known], "launches", view_whole(s->launches),
		"cost", cost(s), "why", view_text(s->why), "sol_ns",
		view_real(s->sol_ns), "regime",
		view_text(profile_word_leg[s->leg]));
	json_t *times = view_times(&s->call);
	json_object_set(v, "calls", json_object_get(times, "instances"));
	json_object_del(times, "instances");
	json_object_update_new(v, times);
	return v;
}

static json_t *unattributed(const struct profile *p)
{
	json_t *v = json_array();

	for (uint32_t i = 0; i < p->operators.unattributed_n; i++) {
		const struct unattributed *u = &p->operators.unattributed[i];
		view_append(v, json_pack("{s:s, s:o, s:o}", "name",
				       p->kernels[u->kernel].name, "launches",
				       view_whole(u->launches), "total_ns",
				       view_whole(u->total_ns)));
	}
	return v;
}

json_t *document_operators(const struct profile *p)
{
	const struct operators *o = &p->operators;
	json_t *rows = json_array(), *shapes = json_array();

	for (uint32_t i = 0; i < o->n; i++)
		view_append(rows, row(&o->rows[i]));
	for (uint32_t i = 0; i < o->shapes_n; i++)
		view_append(shapes, shape(o, &o->shapes[i]));
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "platform",
		view_text(o->platform), "gpu_ns", view_whole(o->gpu_ns),
		"replayed", view_whole(o->replayed), "replayed_known",
		view_whole(o->replayed_known), "rows", rows, "shapes", shapes,
		"unattributed", unattributed(p));
}
