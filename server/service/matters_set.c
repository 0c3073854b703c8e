/* matters_set.c - a reference set as it is shown: nothing computed, nothing
 * rounded. */
#include "fleet_importance.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct platform *const *platforms_from(const struct reference *r,
	struct arena *a)
{
	const struct platform **p =
		arena_array(a, const struct platform *, r->platforms_n + 1);
	for (uint32_t i = 0; i < r->platforms_n; i++)
		p[i] = &r->platforms[i];
	return p;
}

/* A shape's figures; all work over the time, on platforms that were measured. */
static const struct matter_place *places_from(const struct reference_shape *s,
	uint32_t n, struct arena *a)
{
	struct matter_place *all = arena_array(a, struct matter_place, n + 1);
	double flops = matter_flops(&s->cost);
	for (uint32_t i = 0; i < n; i++) {
		all[i] = (struct matter_place){ s->sol_us[i], s->prod_us[i],
			NAN };
		if (flops > 0 && s->prod_us[i] > 0)
			all[i].flops_per_s = flops / (s->prod_us[i] * 1e-6);
	}
	return all;
}

static void row_from(const struct reference *r,
	const struct reference_operator *o, const struct catalog *c,
	struct arena *a, struct matter *m)
{
	const struct operator_info *is = catalog_operator(c, o->name);
	*m = (struct matter){
		.operator= o->name,
		.id = o->id,
		.what = is ? is->what : NULL,
		.group = is ? is->group : NULL,
		.dtype = o->dtype,
		.phase = o->phase,
		.regime = o->regime,
		.shapes = o->shapes_n,
		.runs = o->runs,
		.importance = o->importance,
		.w_time = NAN,
		.w_mean = NAN,
		.w_present = NAN,
		.low = NAN,
		.high = NAN,
		.prevalence = r->runs > 0 && o->runs >= 0
				      ? (double)o->runs / (double)r->runs
				      : (double)NAN,
		.total_s = NAN,
		.ai = o->ai,
		.s = NAN,
		.s_median = o->s_median,
		.sized = NAN,
		.bound = NAN,
		.headroom = NAN,
		.over = NAN,
		.collective = is ? is->collective : -1,
		.places = o->shapes_n ? places_from(&o->shapes[o->median],
						r->platforms_n, a)
				      : NULL,
	};
}

void matters_from_set(const char *name, const struct reference *r,
	const struct catalog *c, struct arena *a, struct matters *out)
{
	*out = (struct matters){
		.set = name,
		.source = r->source,
		.weight = WEIGHT_PUBLISHED,
		.runs = r->runs,
		.uncounted = -1,
		.left_out = -1,
		.clusters = -1,
		.gpu_s = NAN,
		.hours = NAN,
		.attributed = NAN,
		.specific = NAN,
		.sized = NAN,
		.bound = NAN,
		.headroom = NAN,
		.interval_why = "what was published has no intervals",
		.platforms = platforms_from(r, a),
		.platforms_n = r->platforms_n,
		.rows = arena_array(a, struct matter, r->operators_n + 1),
		.n = r->operators_n,
	};
	for (uint32_t i = 0; i < r->operators_n; i++)
		row_from(r, &r->operators[i], c, a, &out->rows[i]);
}

static void shape_from(const struct reference *r,
	const struct reference_operator *o, const struct reference_shape *s,
	struct arena *a, struct matter_shape *m)
{
	*m = (struct matter_shape){
		.id = s->id,
		.calls = s->calls,
		.runs = -1,
		.description = s->description,
		.text = s->sizes,
		.kwargs = s->kwargs,
		.dtype = s->dtype ? s->dtype : o->dtype,
		.phase = o->phase,
		.regime = o->regime,
		.total_s = NAN,
		.share = NAN,
		.ai = s->ai,
		.s = s->s,
		.costed = s->costed,
		.cost = s->cost,
		.places = places_from(s, r->platforms_n, a),
	};
	/* As the set has it of operators: by what a shape's own AI is. */
	if (isfinite(s->ai))
		m->regime = s->ai > 10	   ? "compute"
			    : s->ai < 0.01 ? "indexing"
					   : "memory";
}

void matter_shapes_from_set(const struct reference *r,
	const struct reference_operator *o, struct arena *a,
	struct matter_shapes *out)
{
	*out = (struct matter_shapes){
		.operator= o->name,
		.id = o->id,
		.s_median = o->s_median,
		.platforms = platforms_from(r, a),
		.platforms_n = r->platforms_n,
		.rows = arena_array(a, struct matter_shape, o->shapes_n + 1),
		.n = o->shapes_n,
	};
	for (uint32_t i = 0; i < o->shapes_n; i++)
		shape_from(r, o, &o->shapes[i], a, &out->rows[i]);
}
