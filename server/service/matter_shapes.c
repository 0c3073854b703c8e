/* matter_shapes.c - the shapes of an operator over the runs stored here. */
#include "fleet_importance.h"
#include "profile_word.h"
#include "roofline.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int by_value(const void *x, const void *y)
{
	const double *a = x, *b = y;
	return (*a > *b) - (*a < *b);
}

double matter_median(double *v, uint32_t n)
{
	uint32_t known = 0;
	for (uint32_t i = 0; i < n; i++)
		if (isfinite(v[i]))
			v[known++] = v[i];
	if (!known)
		return NAN;
	qsort(v, known, sizeof *v, by_value);
	return v[known / 2];
}

double matter_flops(const struct cost *c)
{
	double sum = 0;
	for (int d = 0; d < DTYPES; d++)
		sum += (double)c->flops[d];
	return sum;
}

double matter_pct(int64_t part, int64_t whole)
{
	return whole > 0 ? 100 * (double)part / (double)whole : (double)NAN;
}

/* The platforms of the rows in the order they come, and the one asked for. */
static void platforms_from(const struct fleet_shape *rows, uint32_t n,
	const struct catalog *c, const struct platform *against,
	struct arena *a, struct matter_shapes *out)
{
	const struct platform **all =
		arena_array(a, const struct platform *, (size_t)n + 1);
	uint32_t found = 0;
	for (uint32_t i = 0; i <= n; i++) {
		const struct platform *p =
			i == n ? against
			       : matter_platform(rows[i].platform, c, a);
		uint32_t k = 0;
		while (p && k < found && strcmp(all[k]->name, p->name) != 0)
			k++;
		if (p && k == found)
			all[found++] = p;
	}
	out->platforms = all;
	out->platforms_n = found;
}

static void places_from(const struct fleet_shape *s, struct arena *a,
	const struct matter_shapes *of, struct matter_shape *m)
{
	struct matter_place *all =
		arena_array(a, struct matter_place, of->platforms_n + 1);
	const char *on = matter_platform_name(s->platform);
	struct bound b;
	for (uint32_t i = 0; i < of->platforms_n; i++) {
		const struct platform *p = of->platforms[i];
		all[i] = (struct matter_place){ NAN, NAN, NAN };
		if (s->costed) {
			roofline(&s->cost, p, &b);
			all[i].sol_us = 1e6 * b.sol_s;
			m->ai = b.ai;
		}
		if (strcmp(p->name, on) != 0)
			continue;
		all[i].prod_us = s->med_ns / 1e3;
		if (!s->costed)
			continue;
		m->why = roofline_why(&b, p, a);
		m->regime = matter_regime(b.leg);
		m->s = all[i].sol_us / all[i].prod_us;
	}
	m->places = all;
}

/* Why a cost has no T_SOL: the platform, where the catalogue lacks it. */
static const char *unbound(const struct fleet_shape *s, const struct catalog *c,
	const char *why, struct arena *a)
{
	if (!s->platform)
		return "the platform is not known";
	if (catalog_platform(c, s->platform))
		return why;
	return arena_printf(a, "the catalogue has no peaks of '%s'",
		s->platform);
}

/* Why there is no cost: the catalogue's own words. */
static const char *uncosted(const struct fleet_shape *s,
	const struct catalog *c, struct arena *a)
{
	const struct operator_info *op = catalog_operator(c, s->operator);
	struct shape shape;
	struct cost cost;
	struct err e = { 0 };
	if (!s->text)
		return "its sizes are not known";
	if (!op)
		return "the catalogue no longer has the operator";
	if (shape_read(s->text, s->dtype, a, &shape, &e) &&
		catalog_cost(c, op, &shape, CONVENTION_PHYSICAL, &cost, &e))
		return "it was attributed before the catalogue knew its cost";
	return arena_strdup(a, e.text);
}

static void shape_from(const struct fleet_shape *s, double time_s,
	const struct catalog *c, struct arena *a,
	const struct matter_shapes *of, struct matter_shape *m)
{
	*m = (struct matter_shape){
		.id = -1,
		.calls = s->calls,
		.runs = s->runs,
		.text = s->text,
		.dtype = dtype_word(s->dtype),
		.phase = profile_word_phase[s->phase],
		.platform = s->platform && *s->platform ? s->platform : NULL,
		.why = s->costed ? NULL : uncosted(s, c, a),
		.total_s = s->total_s,
		.share = time_s > 0 ? s->weighted_s / time_s : (double)NAN,
		.ai = NAN,
		.s = NAN,
		.costed = s->costed,
		.cost = s->cost,
	};
	places_from(s, a, of, m);
	if (s->costed && m->why)
		m->why = unbound(s, c, m->why, a);
}

void matter_shapes_from_fleet(const struct fleet_shape *rows, uint32_t n,
	double time_s, const struct catalog *c, const struct platform *against,
	struct arena *a, struct matter_shapes *out)
{
	*out = (struct matter_shapes){
		.s_median = NAN,
		.rows = arena_array(a, struct matter_shape, n + 1),
		.n = n,
	};
	platforms_from(rows, n, c, against, a, out);
	for (uint32_t i = 0; i < n; i++)
		shape_from(&rows[i], time_s, c, a, out, &out->rows[i]);
}
