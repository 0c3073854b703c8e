/* fleet_importance.c - turns the importance of a fleet, or a reference set,
 * into the rows that the API shows. */
#include "fleet_importance.h"
#include "query_fleet.h"
#include "profile_word.h"
#include "pytorch_script.h"
#include "roofline.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- importance over the runs stored here */

const char *fleet_importance_regime(enum leg leg)
{
	return profile_word_leg[leg];
}

/* The name, or "unknown" for NULL and "". */
static const char *fleet_importance_platform_name(const char *name)
{
	return name && *name ? name : "unknown";
}

/* A platform that the catalog lacks is listed, without peaks. */
static const struct platform *fleet_importance_platform(const char *name,
	const struct catalog *c, struct arena *a)
{
	const struct platform *known = name ? catalog_platform(c, name) : NULL;
	if (known)
		return known;
	struct platform *p = arena_new(a, struct platform);
	*p = platform_unknown(fleet_importance_platform_name(name));
	return p;
}

/* Platforms in the order of their GPU time in the cells; *names as in the
 * cells. */
static uint32_t fleet_importance_run_platforms_from(const struct fleet *f,
	const struct catalog *c, struct arena *a,
	const struct platform *const **out, const char *const **names)
{
	double *time = arena_array(a, double, f->cells_n);
	const char **found = arena_array(a, const char *, f->cells_n);
	uint32_t n = 0;
	for (uint32_t i = 0; i < f->cells_n; i++) {
		uint32_t k = 0;
		while (k < n && strcmp(found[k], f->cells[i].platform))
			k++;
		found[k] = f->cells[i].platform;
		n += k == n;
		time[k] += f->cells[i].total_s;
	}
	for (uint32_t i = 1; i < n; i++)
		for (uint32_t k = i; k && time[k] > time[k - 1]; k--) {
			double t = time[k];
			const char *s = found[k];
			time[k] = time[k - 1];
			found[k] = found[k - 1];
			time[k - 1] = t;
			found[k - 1] = s;
		}
	const struct platform **p =
		arena_array(a, const struct platform *, n + 1);
	for (uint32_t i = 0; i < n; i++)
		p[i] = fleet_importance_platform(found[i], c, a);
	*out = p;
	*names = found;
	return n;
}

static double fleet_importance_run_ratio(double part, double whole)
{
	return whole > 0 ? part / whole : (double)NAN;
}

/* The mean call over the calls with a roofline bound, so that T_SOL and time
 * describe the same calls. If no call has a bound: over all calls. */
static void fleet_importance_run_place_from(const struct importance_place *p,
	struct fleet_importance_place *out)
{
	double calls = (double)p->bound_calls;
	if (calls > 0) {
		out->prod_us = 1e6 * p->plain_bound_s / calls;
		out->sol_us = 1e6 * p->plain_sol_s / calls;
	} else {
		out->prod_us = 1e6 * fleet_importance_run_ratio(p->total_s,
					     (double)p->calls);
	}
}

static const struct fleet_importance_place *
fleet_importance_run_places_from(const struct importance_row *r,
	const char *const *names, uint32_t n, struct arena *a)
{
	struct fleet_importance_place *all =
		arena_array(a, struct fleet_importance_place, n + 1);
	for (uint32_t i = 0; i < n; i++) {
		all[i] = (struct fleet_importance_place){ NAN, NAN, NAN };
		for (uint32_t k = 0; k < r->places_n; k++) {
			const struct importance_place *p = &r->places[k];
			if (strcmp(p->platform, names[i]))
				continue;
			fleet_importance_run_place_from(p, &all[i]);
			if (p->flops > 0)
				all[i].flops_per_s =
					fleet_importance_run_ratio(p->flops,
						p->bound_s);
		}
	}
	return all;
}

/* Whether the mean call is unknown on some platform. */
static bool fleet_importance_run_is_untold(const struct importance_row *r)
{
	for (uint32_t k = 0; k < r->places_n; k++)
		if (isnan(r->places[k].plain_bound_s))
			return true;
	return false;
}

static void fleet_importance_run_row_from(const struct importance_row *r,
	const struct catalog *c, struct fleet_importance_row *m)
{
	const struct operator_info *is =
		r->op ? catalog_operator(c, r->op) : NULL;
	*m = (struct fleet_importance_row){
		.op = r->op,
		.what = is ? is->what : NULL,
		.group = is ? is->group : NULL,
		.dtype = r->dtypes,
		.phase = r->phases,
		.regime = fleet_importance_regime(r->leg),
		.shapes = r->shapes,
		.runs = r->runs,
		.importance = r->importance,
		.w_time = r->w_time,
		.w_mean = r->w_mean,
		.w_present = r->w_present,
		.low = r->low,
		.high = r->high,
		.prevalence = r->prevalence,
		.total_s = r->total_s,
		.energy_kwh = r->energy_kwh,
		.ai = r->ai,
		.s = r->s,
		.s_median = NAN,
		.sized = r->sized,
		.bound = r->bound,
		.headroom = r->headroom,
		.over = r->over,
		.reachable = NAN,
		.reachable_known = NAN,
		.collective = is ? r->collective : -1,
	};
}

void fleet_importance_from_fleet(const struct fleet *f,
	const struct importance *is, enum importance_weight weight, bool part,
	const struct catalog *c, struct arena *a, struct fleet_importance *out)
{
	const char *const *names;
	double headroom = 0;
	bool known = false;
	*out = (struct fleet_importance){
		.weight = weight,
		.runs = is->runs,
		.excluded = f->excluded,
		.left_out = f->left_out,
		.energy_unknown =
			weight == WEIGHT_ENERGY ? f->energy_unknown : -1,
		.split_by_time =
			weight == WEIGHT_ENERGY ? f->split_by_time : -1,
		.clusters = is->clusters,
		.gpu_s = is->gpu_s,
		.hours = is->hours,
		.energy_kwh = is->energy_kwh,
		.attributed = part ? (double)NAN : is->attributed,
		.specific = part ? (double)NAN : is->specific,
		.sized = is->sized,
		.bound = is->bound,
		.reachable = NAN,
		.interval_why = is->interval_why,
		.n = is->n,
	};
	out->platforms_n = fleet_importance_run_platforms_from(f, c, a,
		&out->platforms, &names);
	out->rows = arena_array(a, struct fleet_importance_row, is->n + 1);
	for (uint32_t i = 0; i < is->n; i++) {
		fleet_importance_run_row_from(&is->rows[i], c, &out->rows[i]);
		out->rows[i].places =
			fleet_importance_run_places_from(&is->rows[i], names,
				out->platforms_n, a);
		out->untold += fleet_importance_run_is_untold(&is->rows[i]);
		if (isfinite(is->rows[i].headroom)) {
			headroom += is->rows[i].headroom;
			known = true;
		}
	}
	out->headroom = known ? headroom : (double)NAN;
}

/* The row of the operator; `n` if there is none. */
static uint32_t fleet_importance_row_of(const struct fleet_importance *m,
	const char *op)
{
	uint32_t i = 0;
	while (i < m->n && (!m->rows[i].op || strcmp(m->rows[i].op, op) != 0))
		i++;
	return i;
}

/* The weighted time that the shape would save at its fleet-best; NaN unknown. */
static double fleet_importance_reachable_s(const struct fleet_shape *s,
	const struct fleet_bests *bests, const struct fleet_best **best)
{
	const struct reachable_calls c = { .platform = s->platform,
		.op = s->op,
		.dtype = s->dtype,
		.leg = s->leg,
		.size_class =
			s->costed ? cost_size_class(&s->cost, s->leg) : -1,
		.s = s->sol_ns * (double)s->calls / (1e9 * s->total_s) };
	*best = reachable_best(bests, &c);
	return s->weighted_s * reachable_share(c.s, *best);
}

static void fleet_importance_reachable_add(const struct fleet_importance *m,
	const struct fleet_shape *s, const struct fleet_bests *bests,
	struct reachable_sum *sums, double *time)
{
	uint32_t i = s->op ? fleet_importance_row_of(m, s->op) : m->n;
	const struct fleet_best *best;
	if (i == m->n)
		return;
	double saved_s = fleet_importance_reachable_s(s, bests, &best);
	time[i] += s->weighted_s;
	reachable_add(&sums[i], s->weighted_s, saved_s, best);
}

/* The share of the row's time with a fleet-best; NaN unknown. Shapes of an
 * operator without a fleet-best were not read. */
static double fleet_importance_reachable_known(const struct fleet_importance_row
						       *r,
	double known, double time, const struct fleet_bests *bests)
{
	if (time > 0)
		return known / time;
	return bests->n && r->op && r->total_s > 0 ? 0 : (double)NAN;
}

void fleet_importance_reachable(struct fleet_importance *m,
	const struct fleet *f, const struct fleet_shape *shapes, uint32_t n,
	const struct fleet_bests *bests, struct arena *a)
{
	struct reachable_sum *sums =
		arena_array(a, struct reachable_sum, m->n + 1);
	double *time = arena_array(a, double, m->n + 1);
	double all = 0, reachable = 0;
	for (uint32_t i = 0; i < f->cells_n; i++)
		all += f->cells[i].weighted_s;
	for (uint32_t i = 0; i < n; i++)
		fleet_importance_reachable_add(m, &shapes[i], bests, sums,
			time);
	for (uint32_t i = 0; i < m->n; i++) {
		m->rows[i].best = sums[i].best;
		m->rows[i].reachable_known =
			fleet_importance_reachable_known(&m->rows[i],
				sums[i].known, time[i], bests);
		if (!sums[i].best || all <= 0)
			continue;
		m->rows[i].reachable = sums[i].saved / all;
		reachable += m->rows[i].reachable;
		m->reachable = reachable;
	}
}

/* ---- a reference set: values are neither computed nor rounded */

static const struct platform *const *
fleet_importance_set_platforms_from(const struct reference *r, struct arena *a)
{
	const struct platform **p =
		arena_array(a, const struct platform *, r->platforms_n + 1);
	for (uint32_t i = 0; i < r->platforms_n; i++)
		p[i] = &r->platforms[i];
	return p;
}

/* A shape's figures on the platforms that were measured; FLOP/s is all work
 * divided by the time. */
static const struct fleet_importance_place *fleet_importance_set_places_from(
	const struct reference_shape *s, uint32_t n, struct arena *a)
{
	struct fleet_importance_place *all =
		arena_array(a, struct fleet_importance_place, n + 1);
	double flops = fleet_importance_flops(&s->cost);
	for (uint32_t i = 0; i < n; i++) {
		all[i] = (struct fleet_importance_place){ s->sol_us[i],
			s->prod_us[i], NAN };
		if (flops > 0 && s->prod_us[i] > 0)
			all[i].flops_per_s = flops / (s->prod_us[i] * 1e-6);
	}
	return all;
}

static void fleet_importance_set_row_from(const struct reference *r,
	const struct reference_operator *o, const struct catalog *c,
	struct arena *a, struct fleet_importance_row *m)
{
	const struct operator_info *is = catalog_operator(c, o->name);
	*m = (struct fleet_importance_row){
		.op = o->name,
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
		.energy_kwh = NAN,
		.ai = o->ai,
		.s = NAN,
		.s_median = o->s_median,
		.sized = NAN,
		.bound = NAN,
		.headroom = NAN,
		.over = NAN,
		.reachable = NAN,
		.reachable_known = NAN,
		.collective = is ? is->collective : -1,
		.places = o->shapes_n ? fleet_importance_set_places_from(
						&o->shapes[o->median],
						r->platforms_n, a)
				      : NULL,
	};
}

void fleet_importance_from_set(const char *name, const struct reference *r,
	const struct catalog *c, struct arena *a, struct fleet_importance *out)
{
	*out = (struct fleet_importance){
		.set = name,
		.source = r->source,
		.weight = WEIGHT_PUBLISHED,
		.runs = r->runs,
		.excluded = -1,
		.left_out = -1,
		.energy_unknown = -1,
		.split_by_time = -1,
		.clusters = -1,
		.gpu_s = NAN,
		.hours = NAN,
		.energy_kwh = NAN,
		.attributed = NAN,
		.specific = NAN,
		.sized = NAN,
		.bound = NAN,
		.headroom = NAN,
		.reachable = NAN,
		.interval_why = "what was published has no intervals",
		.platforms = fleet_importance_set_platforms_from(r, a),
		.platforms_n = r->platforms_n,
		.rows = arena_array(a, struct fleet_importance_row,
			r->operators_n + 1),
		.n = r->operators_n,
	};
	for (uint32_t i = 0; i < r->operators_n; i++)
		fleet_importance_set_row_from(r, &r->operators[i], c, a,
			&out->rows[i]);
}

static bool fleet_importance_has_script(const char *op, const char *text,
	enum dtype dtype, struct arena *a)
{
	struct err e = { 0 };
	struct shape s;
	return op && text && shape_read(text, dtype, a, &s, &e) &&
	       pytorch_script_fits(op, &s, &e);
}

static void fleet_importance_set_shape_from(const struct reference *r,
	const struct reference_operator *o, const struct reference_shape *s,
	struct arena *a, struct fleet_importance_shape *m)
{
	const char *word = s->dtype ? s->dtype : o->dtype;
	enum dtype dtype =
		word ? dtype_from(word, strlen(word)) : DTYPE_UNKNOWN;
	*m = (struct fleet_importance_shape){
		.id = s->id,
		/* An address needs an id above 0, which sets may not have. */
		.pytorch = s->id > 0 && fleet_importance_has_script(o->name,
						s->sizes, dtype, a),
		.calls = s->calls,
		.runs = -1,
		.description = s->description,
		.text = s->sizes,
		.kwargs = s->kwargs,
		.dtype = word,
		.phase = o->phase,
		.regime = o->regime,
		.total_s = NAN,
		.share = NAN,
		.headroom_hours = NAN,
		.reachable_hours = NAN,
		.ai = s->ai,
		.s = s->s,
		.s_mean = NAN,
		.costed = s->costed,
		.cost = s->cost,
		.places =
			fleet_importance_set_places_from(s, r->platforms_n, a),
	};
	/* As in the reference set's table of operators, which uses the shape's
	 * own AI. */
	if (isfinite(s->ai))
		m->regime = s->ai > 10	   ? "compute"
			    : s->ai < 0.01 ? "indexing"
					   : "memory";
}

void fleet_importance_shapes_from_set(const struct reference *r,
	const struct reference_operator *o, struct arena *a,
	struct fleet_importance_shapes *out)
{
	*out = (struct fleet_importance_shapes){
		.op = o->name,
		.id = o->id,
		.s_median = o->s_median,
		.platforms = fleet_importance_set_platforms_from(r, a),
		.platforms_n = r->platforms_n,
		.rows = arena_array(a, struct fleet_importance_shape,
			o->shapes_n + 1),
		.n = o->shapes_n,
		.matching = o->shapes_n,
		.unknown_share = NAN,
	};
	for (uint32_t i = 0; i < o->shapes_n; i++)
		fleet_importance_set_shape_from(r, o, &o->shapes[i], a,
			&out->rows[i]);
}

/* ---- search, filter, sort */

static bool fleet_importance_holds(const char *text, const char *q)
{
	return text && strcasestr(text, q);
}

void fleet_importance_search(struct fleet_importance *m, const char *q)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < m->n; i++) {
		const struct fleet_importance_row *r = &m->rows[i];
		if (!q ||
			fleet_importance_holds(r->op ? r->op : "unattributed",
				q) ||
			fleet_importance_holds(r->what, q) ||
			fleet_importance_holds(r->group, q) ||
			fleet_importance_holds(r->id, q))
			m->rows[n++] = *r;
	}
	m->n = n;
}

void fleet_importance_filter(struct fleet_importance *m, enum dtype dtype,
	const char *phase)
{
	const char *type = dtype_word(dtype);
	uint32_t n = 0;
	for (uint32_t i = 0; i < m->n; i++) {
		const struct fleet_importance_row *r = &m->rows[i];
		if ((!type || (r->dtype && !strcmp(r->dtype, type))) &&
			(!phase || (r->phase && !strcmp(r->phase, phase))))
			m->rows[n++] = *r;
	}
	m->n = n;
}

static double fleet_importance_figure(const struct fleet_importance_row *r,
	enum fleet_importance_order by)
{
	switch (by) {
	case SORT_TIME:
		return r->total_s;
	case SORT_RUNS:
		return r->runs < 0 ? (double)NAN : (double)r->runs;
	case SORT_SHAPES:
		return r->shapes < 0 ? (double)NAN : (double)r->shapes;
	case SORT_AI:
		return r->ai;
	case SORT_S:
		return isnan(r->s) ? r->s_median : r->s;
	case SORT_HEADROOM:
		return r->headroom;
	case SORT_REACHABLE:
		return r->reachable;
	case SORT_IMPORTANCE:
	case SORT_NAME:
		break;
	}
	return r->importance;
}

struct fleet_importance_sorting {
	enum fleet_importance_order by;
	bool reverse;
};

static int fleet_importance_by_name(const struct fleet_importance_row *a,
	const struct fleet_importance_row *b)
{
	if (!a->op || !b->op)
		return !a->op - !b->op;
	return strcmp(a->op, b->op);
}

static int fleet_importance_compare(const void *x, const void *y, void *arg)
{
	const struct fleet_importance_sorting *o = arg;
	const struct fleet_importance_row *a = x, *b = y;
	double s = fleet_importance_figure(a, o->by),
	       t = fleet_importance_figure(b, o->by);
	if (o->by == SORT_NAME)
		return o->reverse && a->op && b->op
			       ? -fleet_importance_by_name(a, b)
			       : fleet_importance_by_name(a, b);
	if (isnan(s) || isnan(t))
		return isnan(s) && isnan(t) ? fleet_importance_by_name(a, b)
		       : isnan(s)	    ? 1
					    : -1;
	if (s != t)
		return (s < t) == !o->reverse ? 1 : -1;
	return fleet_importance_by_name(a, b);
}

void fleet_importance_sort(struct fleet_importance *m,
	enum fleet_importance_order by, bool reverse)
{
	struct fleet_importance_sorting o = { by, reverse };
	if (m->n)
		qsort_r(m->rows, m->n, sizeof *m->rows,
			fleet_importance_compare, &o);
}

/* ---- the shapes of an operator over the runs stored here */

static int fleet_importance_shape_by_value(const void *x, const void *y)
{
	const double *a = x, *b = y;
	return (*a > *b) - (*a < *b);
}

double fleet_importance_median(double *v, uint32_t n)
{
	uint32_t known = 0;
	for (uint32_t i = 0; i < n; i++)
		if (isfinite(v[i]))
			v[known++] = v[i];
	if (!known)
		return NAN;
	qsort(v, known, sizeof *v, fleet_importance_shape_by_value);
	return v[known / 2];
}

double fleet_importance_flops(const struct cost *c)
{
	double sum = 0;
	for (int d = 0; d < DTYPES; d++)
		sum += (double)c->flops[d];
	return sum;
}

double fleet_importance_pct(int64_t part, int64_t whole)
{
	return whole > 0 ? 100 * (double)part / (double)whole : (double)NAN;
}

/* The platforms of the rows in their order, then the platform of the
 * request. */
static void fleet_importance_shape_platforms_from(const struct fleet_shape
							  *rows,
	uint32_t n, const struct catalog *c, const struct platform *against,
	struct arena *a, struct fleet_importance_shapes *out)
{
	const struct platform **all =
		arena_array(a, const struct platform *, (size_t)n + 1);
	uint32_t found = 0;
	for (uint32_t i = 0; i <= n; i++) {
		const struct platform *p =
			i == n ? against
			       : fleet_importance_platform(rows[i].platform, c,
					 a);
		uint32_t k = 0;
		while (p && k < found && strcmp(all[k]->name, p->name) != 0)
			k++;
		if (p && k == found)
			all[found++] = p;
	}
	out->platforms = all;
	out->platforms_n = found;
}

static void fleet_importance_shape_places_from(const struct fleet_shape *s,
	struct arena *a, const struct fleet_importance_shapes *of,
	struct fleet_importance_shape *m)
{
	struct fleet_importance_place *all = arena_array(a,
		struct fleet_importance_place, of->platforms_n + 1);
	const char *on = fleet_importance_platform_name(s->platform);
	struct bound b;
	for (uint32_t i = 0; i < of->platforms_n; i++) {
		const struct platform *p = of->platforms[i];
		all[i] = (struct fleet_importance_place){ NAN, NAN, NAN };
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
		m->why = roofline_why(&b, &s->cost, p, a);
		m->regime = fleet_importance_regime(b.leg);
		m->s = all[i].sol_us / all[i].prod_us;
		if (s->all_costed && s->total_s > 0)
			m->s_mean = all[i].sol_us * (double)s->calls /
				    (1e6 * s->total_s);
	}
	m->places = all;
}

/* Why a shape with a cost has no T_SOL: names the platform if the catalog lacks
 * it. */
static const char *fleet_importance_shape_unbound(const struct fleet_shape *s,
	const struct catalog *c, const char *why, struct arena *a)
{
	if (!s->platform)
		return "the platform is unknown";
	if (catalog_platform(c, s->platform))
		return why;
	return arena_printf(a, "the catalog has no peaks of '%s'", s->platform);
}

/* Why a shape has no cost, in the words of the catalog. */
static const char *fleet_importance_shape_uncosted(const struct fleet_shape *s,
	const struct catalog *c, struct arena *a)
{
	const struct operator_info *op = catalog_operator(c, s->op);
	struct shape shape;
	struct cost cost;
	struct err e = { 0 };
	if (!s->text)
		return "its shape is unknown";
	if (s->link_kinds)
		return "collectives of several kinds, or some of unknown "
		       "cost, have this shape";
	if (!op)
		return "the catalog no longer has the operator";
	if (shape_read(s->text, s->dtype, a, &shape, &e) &&
		catalog_cost(c, op, &shape, CONVENTION_PHYSICAL, &cost, &e))
		return "it was attributed before the catalog had its cost";
	return arena_strdup(a, e.text);
}

/* How the weighted times of one operator become its figures. */
struct fleet_importance_shape_scale {
	double time_s; /* all of the operator's */
	double hours_per_s; /* GPU-hours per weighted second */
};

static struct fleet_importance_shape_scale fleet_importance_shape_scale_of(
	const struct fleet *f)
{
	struct fleet_importance_shape_scale is = { 0 };
	double hours = 0, weighted_s = 0;
	for (uint32_t i = 0; i < f->rows_n; i++)
		is.time_s += f->rows[i].weighted_s;
	for (uint32_t i = 0; i < f->cells_n; i++) {
		hours += f->cells[i].weight;
		weighted_s += f->cells[i].weighted_s;
	}
	is.hours_per_s = fleet_importance_run_ratio(hours, weighted_s);
	return is;
}

static void fleet_importance_shape_shape_from(const struct fleet_shape *s,
	const struct fleet_importance_base *base,
	const struct fleet_importance_shape_scale *scale, struct arena *a,
	const struct fleet_importance_shapes *of,
	struct fleet_importance_shape *m)
{
	const struct catalog *c = base->catalog;
	*m = (struct fleet_importance_shape){
		.id = s->id ? s->id : -1,
		.pytorch = fleet_importance_has_script(s->op, s->text, s->dtype,
			a),
		.calls = s->calls,
		.runs = s->runs,
		.text = s->text,
		.dtype = dtype_word(s->dtype),
		.phase = profile_word_phase[s->phase],
		.platform = s->platform && *s->platform ? s->platform : NULL,
		.why = s->costed ? NULL
				 : fleet_importance_shape_uncosted(s, c, a),
		.total_s = s->total_s,
		.share = fleet_importance_run_ratio(s->weighted_s,
			scale->time_s),
		.headroom_hours = s->headroom_s * scale->hours_per_s,
		.ai = NAN,
		.s = NAN,
		.s_mean = NAN,
		.costed = s->costed,
		.cost = s->cost,
	};
	m->reachable_hours =
		fleet_importance_reachable_s(s, base->bests, &m->best) *
		scale->hours_per_s;
	fleet_importance_shape_places_from(s, a, of, m);
	if (s->costed && m->why)
		m->why = fleet_importance_shape_unbound(s, c, m->why, a);
	else if (isfinite(s->sol_ns) && isnan(s->headroom_s))
		m->why = "its headroom is unknown: a run was analyzed before "
			 "shapes had it (kernsiftd rebuild computes it)";
}

void fleet_importance_shapes_from_fleet(const struct fleet_shape_list *l,
	const struct fleet_importance_base *base, struct arena *a,
	struct fleet_importance_shapes *out)
{
	const struct fleet_importance_shape_scale scale =
		fleet_importance_shape_scale_of(base->fleet);
	*out = (struct fleet_importance_shapes){
		.s_median = NAN,
		.rows = arena_array(a, struct fleet_importance_shape, l->n + 1),
		.n = l->n,
		.matching = l->matching,
		.unknown = l->unknown,
		.unknown_share =
			fleet_importance_run_ratio(l->unknown.weighted_s,
				scale.time_s),
	};
	fleet_importance_shape_platforms_from(l->rows, l->n, base->catalog,
		base->against, a, out);
	for (uint32_t i = 0; i < l->n; i++)
		fleet_importance_shape_shape_from(&l->rows[i], base, &scale, a,
			out, &out->rows[i]);
}
