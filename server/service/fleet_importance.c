/* fleet_importance.c - importances of the runs stored here, as they are shown. */
#include "fleet_importance.h"
#include "profile_word.h"
#include <math.h>
#include <string.h>

const char *matter_regime(enum leg leg)
{
	return profile_word_leg[leg];
}

const char *matter_platform_name(const char *name)
{
	return name && *name ? name : "unknown";
}

/* What the catalogue has no peaks for is a platform all the same. */
const struct platform *matter_platform(const char *name,
	const struct catalog *c, struct arena *a)
{
	const struct platform *known = name ? catalog_platform(c, name) : NULL;
	if (known)
		return known;
	struct platform *p = arena_new(a, struct platform);
	*p = (struct platform){ .name = matter_platform_name(name),
		.bytes_per_s = NAN,
		.launch_floor_ns = -1 };
	for (int d = 0; d < DTYPES; d++)
		p->peak_flops[d] = NAN;
	return p;
}

/* Platforms by their GPU time, as the cells have them; *names as in cells. */
static uint32_t platforms_from(const struct fleet *f, const struct catalog *c,
	struct arena *a, const struct platform *const **out,
	const char *const **names)
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
		p[i] = matter_platform(found[i], c, a);
	*out = p;
	*names = found;
	return n;
}

static double ratio(double part, double whole)
{
	return whole > 0 ? part / whole : (double)NAN;
}

/* The mean call: of those with a bound, so that T_SOL and time are of the same
 * calls; of all where none has one. */
static void place_from(const struct importance_place *p,
	struct matter_place *out)
{
	double calls = (double)p->bound_calls;
	if (calls > 0) {
		out->prod_us = 1e6 * p->plain_bound_s / calls;
		out->sol_us = 1e6 * p->plain_sol_s / calls;
	} else {
		out->prod_us = 1e6 * ratio(p->total_s, (double)p->calls);
	}
}

static const struct matter_place *places_from(const struct importance_row *r,
	const char *const *names, uint32_t n, struct arena *a)
{
	struct matter_place *all = arena_array(a, struct matter_place, n + 1);
	for (uint32_t i = 0; i < n; i++) {
		all[i] = (struct matter_place){ NAN, NAN, NAN };
		for (uint32_t k = 0; k < r->places_n; k++) {
			const struct importance_place *p = &r->places[k];
			if (strcmp(p->platform, names[i]))
				continue;
			place_from(p, &all[i]);
			if (p->flops > 0)
				all[i].flops_per_s =
					ratio(p->flops, p->bound_s);
		}
	}
	return all;
}

/* Whether on some platform the mean call cannot be told. */
static bool is_untold(const struct importance_row *r)
{
	for (uint32_t k = 0; k < r->places_n; k++)
		if (isnan(r->places[k].plain_bound_s))
			return true;
	return false;
}

static void row_from(const struct importance_row *r, const struct catalog *c,
	struct matter *m)
{
	const struct operator_info *is =
		r->operator? catalog_operator(c, r->operator) : NULL;
	*m = (struct matter){
		.operator= r->operator,
		.what = is ? is->what : NULL,
		.group = is ? is->group : NULL,
		.dtype = r->dtypes,
		.phase = r->phases,
		.regime = matter_regime(r->leg),
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
		.ai = r->ai,
		.s = r->s,
		.s_median = NAN,
		.sized = r->sized,
		.bound = r->bound,
		.headroom = r->headroom,
		.over = r->over,
		.collective = is ? r->collective : -1,
	};
}

void matters_from_fleet(const struct fleet *f, const struct importance *is,
	enum importance_weight weight, bool part, const struct catalog *c,
	struct arena *a, struct matters *out)
{
	const char *const *names;
	double headroom = 0;
	bool known = false;
	*out = (struct matters){
		.weight = weight,
		.runs = is->runs,
		.uncounted = f->uncounted,
		.left_out = f->left_out,
		.clusters = is->clusters,
		.gpu_s = is->gpu_s,
		.hours = is->hours,
		.attributed = part ? (double)NAN : is->attributed,
		.specific = part ? (double)NAN : is->specific,
		.sized = is->sized,
		.bound = is->bound,
		.interval_why = is->interval_why,
		.n = is->n,
	};
	out->platforms_n = platforms_from(f, c, a, &out->platforms, &names);
	out->rows = arena_array(a, struct matter, is->n + 1);
	for (uint32_t i = 0; i < is->n; i++) {
		row_from(&is->rows[i], c, &out->rows[i]);
		out->rows[i].places =
			places_from(&is->rows[i], names, out->platforms_n, a);
		out->untold += is_untold(&is->rows[i]);
		if (isfinite(is->rows[i].headroom)) {
			headroom += is->rows[i].headroom;
			known = true;
		}
	}
	out->headroom = known ? headroom : (double)NAN;
}
