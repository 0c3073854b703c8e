/* importance.c - computes the share of fleet GPU time of each operator, with an
 * interval. */
#include "importance.h"
#include "arena.h"
#include "names.h"
#include "order_stat.h"
#include "profile_word.h"
#include "xoshiro.h"
#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Sums over the rows of one operator. */
struct importance_sums {
	const char *op; /* NULL: unattributed */
	uint32_t dtypes, phases; /* bits */
	double time, share, sized, bound, sol, compute, headroom, over;
	double flops, bytes, total, energy;
	int64_t runs;
	/* By platform; a platform without rows has no name here. */
	struct importance_place *places;
};

struct importance_parts {
	struct importance_sums *of;
	uint32_t n, workloads, platforms;
	uint32_t *operator_of; /* by row: index into `of` */
	uint32_t *workload_of, *platform_of; /* by cell: numbers from 0 */
	double runs, weighted, energy; /* over all cells */
};

/* The input of the interval, which is a bootstrap over workloads. The share of
 * operator o is the sum of num[k][o] over workloads k, divided by the sum of
 * den. Each draw selects as many workloads as there are, with replacement and
 * equal probability. The interval is the range from the 2.5th to the 97.5th
 * percentile of the draws' shares (Efron and Tibshirani, An Introduction to the
 * Bootstrap, 1993, 13.3). Percentiles are interpolated linearly. */

struct importance_shares {
	uint32_t clusters, operators; /* at least one of each */
	const double *num; /* clusters x operators */
	const double *den; /* clusters x operators if `own`, else by cluster */
	bool own;
};

/* Sums: each name is looked up once; after that only its number is used. */

/* names_put() returns 0 for "". No operator has that name, so unattributed rows
 * (NULL) get number 0. Without unattributed rows, all numbers are one lower. */
static void importance_operators_find(const struct fleet *f,
	struct arena *scratch, struct importance_parts *out)
{
	struct names ns;
	bool unattributed = false;
	names_init(&ns, scratch);
	out->operator_of = arena_array(scratch, uint32_t, f->rows_n);
	for (uint32_t i = 0; i < f->rows_n; i++) {
		const char *name = f->rows[i].op;
		out->operator_of[i] =
			name ? names_put(&ns, name, strlen(name)) : 0;
		unattributed |= !name;
	}
	for (uint32_t i = 0; i < f->rows_n && !unattributed; i++)
		out->operator_of[i]--;
	out->n = ns.n - !unattributed;
	out->of = arena_array(scratch, struct importance_sums, out->n);
}

/* A number from 0 for any name, "" included. */
static uint32_t importance_id_of(struct names *ns, struct arena *a,
	const char *name)
{
	const char *key = arena_printf(a, "=%s", name);
	return names_put(ns, key, strlen(key)) - 1;
}

static void importance_cells_find(const struct fleet *f, struct arena *scratch,
	struct importance_parts *out)
{
	struct names workloads, platforms;
	names_init(&workloads, scratch);
	names_init(&platforms, scratch);
	out->workload_of = arena_array(scratch, uint32_t, f->cells_n);
	out->platform_of = arena_array(scratch, uint32_t, f->cells_n);
	for (uint32_t i = 0; i < f->cells_n; i++) {
		const struct fleet_cell *c = &f->cells[i];
		const char *key = arena_printf(scratch, "%s\x1f%s", c->project,
			c->workload);
		out->workload_of[i] =
			importance_id_of(&workloads, scratch, key);
		out->platform_of[i] =
			importance_id_of(&platforms, scratch, c->platform);
		out->runs += (double)c->runs;
		out->weighted += c->weighted_s;
		out->energy += c->energy_kwh;
	}
	out->workloads = workloads.n - 1;
	out->platforms = platforms.n - 1;
}

static bool importance_equal(double x, double y)
{
	return fabs(x - y) <= 1e-9 * fabs(y);
}

/* The weight of each run of the cell; NaN if it is unknown. For a cell of
 * several runs, the sums only show whether all weights are the default of 1. */
static double importance_weight_of(const struct fleet_cell *c)
{
	if (c->runs == 1)
		return c->weight;
	return importance_equal(c->weight, (double)c->runs) &&
			       importance_equal(c->weighted_s, c->total_s)
		       ? 1
		       : (double)NAN;
}

/* Adds the unweighted bound time. Rows contain only the weighted bound time.
 * The unweighted one can be computed if all runs have the same weight, or if
 * all time has a bound. */
static void importance_plain_add(struct importance_place *p,
	const struct fleet_cell *c, const struct fleet_row *r)
{
	double g = importance_weight_of(c);
	if (r->bound_calls <= 0 || r->bound_s <= 0)
		return;
	if (isnan(g) && importance_equal(r->bound_s, r->weighted_s))
		g = r->weighted_s / r->total_s;
	p->bound_calls += r->bound_calls;
	p->plain_bound_s += r->bound_s / g;
	p->plain_sol_s += r->sol_s / g;
}

static void importance_place_add(struct importance_place *p,
	const struct fleet_cell *c, const struct fleet_row *r)
{
	p->platform = c->platform;
	p->calls += r->calls;
	importance_plain_add(p, c, r);
	p->total_s += r->total_s;
	p->weighted_s += r->weighted_s;
	p->bound_s += r->bound_s;
	p->sol_s += r->sol_s;
	p->flops += r->flops;
}

static void importance_row_add(struct importance_sums *s,
	const struct fleet_row *r)
{
	s->op = r->op;
	s->dtypes |= 1u << r->dtype;
	s->phases |= 1u << r->phase;
	s->runs += r->runs;
	s->total += r->total_s;
	s->energy += r->energy_kwh;
	s->share += r->share;
	s->time += r->weighted_s;
	s->sized += r->sized_s;
	s->bound += r->bound_s;
	s->sol += r->sol_s;
	s->compute += r->compute_s;
	s->headroom += r->headroom_s;
	s->over += r->over_s;
	s->flops += r->flops;
	s->bytes += r->bytes;
}

/* Allocates the entries by platform in `a`, the rest in `scratch`. */
static void importance_sums_from(const struct fleet *f, struct arena *a,
	struct arena *scratch, struct importance_parts *out)
{
	*out = (struct importance_parts){ 0 };
	importance_operators_find(f, scratch, out);
	importance_cells_find(f, scratch, out);
	for (uint32_t o = 0; o < out->n; o++)
		out->of[o].places =
			arena_array(a, struct importance_place, out->platforms);
	for (uint32_t i = 0; i < f->rows_n; i++) {
		const struct fleet_row *r = &f->rows[i];
		struct importance_sums *s = &out->of[out->operator_of[i]];
		importance_row_add(s, r);
		importance_place_add(&s->places[out->platform_of[r->cell]],
			&f->cells[r->cell], r);
	}
}

/* The interval: a draw is a count per workload. The sums of a draw are
 * therefore the product of a vector and a matrix. */

enum { LACKING_MOST = 20 };

static void importance_interval_add(double *restrict sum,
	const double *restrict row, double times, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		sum[i] += times * row[i];
}

/* Computes one draw: the sum of numerators of each operator, and the sum of
 * denominators of all operators together or, if `own`, of each. */
static void importance_interval_draw(const struct importance_shares *in,
	struct xoshiro *r, uint32_t *count, double *num, double *den)
{
	uint32_t width = in->own ? in->operators : 1;
	memset(count, 0, in->clusters * sizeof *count);
	memset(num, 0, in->operators * sizeof *num);
	memset(den, 0, width * sizeof *den);
	for (uint32_t k = 0; k < in->clusters; k++)
		count[xoshiro_below(r, in->clusters)]++;
	for (uint32_t k = 0; k < in->clusters; k++) {
		if (!count[k])
			continue;
		importance_interval_add(num,
			in->num + (size_t)k * in->operators, count[k],
			in->operators);
		importance_interval_add(den, in->den + (size_t)k * width,
			count[k], width);
	}
}

/* The percentile p of n values, interpolated linearly. */
static double importance_percentile(double *v, uint32_t n, double p)
{
	double at = p * (n - 1);
	uint32_t k = (uint32_t)at;
	double below = order_stat(v, n, k);
	if (k + 1 >= n)
		return below;
	return below + (at - k) * (order_stat(v, n, k + 1) - below);
}

/* Fills low[] and high[], by operator. They are NaN if the denominator is 0 in
 * more than 5 % of the draws. */
static void importance_interval_from(const struct importance_shares *in,
	uint32_t draws, uint64_t seed, struct arena *scratch, double *low,
	double *high)
{
	uint32_t n = in->operators;
	double *shares = arena_array(scratch, double, (size_t)n *draws);
	uint32_t *drawn = arena_array(scratch, uint32_t, n);
	uint32_t *count = arena_array(scratch, uint32_t, in->clusters);
	double *num = arena_array(scratch, double, n);
	double *den = arena_array(scratch, double, n);
	struct xoshiro r;
	xoshiro_init(&r, seed);
	for (uint32_t d = 0; d < draws; d++) {
		importance_interval_draw(in, &r, count, num, den);
		for (uint32_t o = 0; o < n; o++) {
			double of = den[in->own ? o : 0];
			if (of > 0)
				shares[(size_t)o * draws + drawn[o]++] =
					num[o] / of;
		}
	}
	for (uint32_t o = 0; o < n; o++) {
		double *v = shares + (size_t)o * draws;
		bool known =
			draws - drawn[o] <= draws / LACKING_MOST && drawn[o];
		low[o] = known ? importance_percentile(v, drawn[o], 0.025)
			       : (double)NAN;
		high[o] = known ? importance_percentile(v, drawn[o], 0.975)
				: (double)NAN;
	}
}

/* Rows: sums become operators with weights, sorted by importance. */

static double importance_ratio(double part, double whole)
{
	return whole > 0 ? part / whole : (double)NAN;
}

static const char *importance_dtype_word(int d)
{
	return dtype_word((enum dtype)d);
}

static const char *importance_phase_word(int p)
{
	return profile_word_phase[p];
}

/* The words of the set bits, separated by '/'; NULL if no bit is set. */
static const char *importance_words(struct arena *a, uint32_t bits, int n,
	const char *(*word)(int))
{
	const char *text = NULL;
	for (int i = 0; i < n; i++)
		if ((bits >> i & 1) && word(i))
			text = text ? arena_printf(a, "%s/%s", text, word(i))
				    : word(i);
	return text;
}

static int importance_by_time(const void *x, const void *y)
{
	const struct importance_place *a = x, *b = y;
	if (a->total_s != b->total_s)
		return a->total_s < b->total_s ? 1 : -1;
	return strcmp(a->platform, b->platform);
}

static void importance_places_from(struct importance_place *all, uint32_t n,
	struct importance_row *r)
{
	r->places = all;
	for (uint32_t p = 0; p < n; p++)
		if (all[p].platform)
			r->places[r->places_n++] = all[p];
	qsort(r->places, r->places_n, sizeof *r->places, importance_by_time);
}

static int64_t importance_shapes_of(const struct fleet *f, const char *op)
{
	if (!f->counts || !op)
		return -1;
	for (uint32_t i = 0; i < f->counts_n; i++)
		if (!strcmp(f->counts[i].op, op))
			return f->counts[i].shapes;
	return 0;
}

static void importance_row_from(const struct importance_parts *p,
	const struct importance_sums *s, struct arena *a,
	struct importance_row *r)
{
	*r = (struct importance_row){
		.op = s->op,
		.dtypes = importance_words(a, s->dtypes, DTYPES,
			importance_dtype_word),
		.phases = importance_words(a, s->phases, PHASES,
			importance_phase_word),
		.w_time = importance_ratio(s->time, p->weighted),
		.w_mean = importance_ratio(s->share, p->runs),
		.w_present = importance_ratio(s->share, (double)s->runs),
		.low = NAN,
		.high = NAN,
		.runs = s->runs,
		.prevalence = importance_ratio((double)s->runs, p->runs),
		.ai = importance_ratio(s->flops, s->bytes),
		.s = importance_ratio(s->sol, s->bound),
		.total_s = s->total,
		.energy_kwh = NAN,
		.sized = importance_ratio(s->sized, s->time),
		.bound = importance_ratio(s->bound, s->time),
		.over = importance_ratio(s->over, s->time),
	};
	if (s->bound > 0)
		r->leg = 2 * s->compute > s->bound ? LEG_COMPUTE : LEG_MEMORY;
	importance_places_from(s->places, p->platforms, r);
}

/* Sets the fields that depend on the catalog or on the weight: collective, leg,
 * headroom and importance. Only links bound collectives, and nothing else. */
static void importance_rank(const struct importance_parts *p,
	const struct importance_sums *s, const struct catalog *c,
	enum importance_weight weight, struct importance_row *r)
{
	const struct operator_info *is =
		r->op ? catalog_operator(c, r->op) : NULL;
	r->collective = is && is->collective;
	if (r->collective && s->bound > 0)
		r->leg = LEG_LINK;
	r->headroom = s->bound > 0 ? importance_ratio(s->headroom, p->weighted)
				   : (double)NAN;
	if (weight == WEIGHT_ENERGY)
		r->energy_kwh = s->energy;
	r->importance = weight == WEIGHT_TIME	? r->w_time
			: weight == WEIGHT_MEAN ? r->w_mean
			: weight == WEIGHT_ENERGY
				? importance_ratio(s->energy, p->energy)
				: r->w_present;
}

/* What shares of the weight are shares of. */
static double importance_whole(const struct fleet_cell *c,
	enum importance_weight weight)
{
	return weight == WEIGHT_TIME	 ? c->weighted_s
	       : weight == WEIGHT_ENERGY ? c->energy_kwh
					 : (double)c->runs;
}

/* Computes the intervals from the numerators and denominators of the shares, by
 * workload. */
static void importance_intervals(const struct fleet *f,
	const struct importance_parts *p, enum importance_weight weight,
	uint64_t seed, struct arena *scratch, struct importance_row *rows)
{
	bool own = weight == WEIGHT_PRESENT;
	size_t cells = (size_t)p->workloads * p->n;
	double *num = arena_array(scratch, double, cells);
	double *den = arena_array(scratch, double,
		own ? cells : (size_t)p->workloads);
	double *low = arena_array(scratch, double, p->n);
	double *high = arena_array(scratch, double, p->n);
	for (uint32_t i = 0; i < f->cells_n && !own; i++)
		den[p->workload_of[i]] +=
			importance_whole(&f->cells[i], weight);
	for (uint32_t i = 0; i < f->rows_n; i++) {
		const struct fleet_row *r = &f->rows[i];
		size_t at = (size_t)p->workload_of[r->cell] * p->n +
			    p->operator_of[i];
		num[at] += weight == WEIGHT_TIME     ? r->weighted_s
			   : weight == WEIGHT_ENERGY ? r->energy_kwh
						     : r->share;
		if (own)
			den[at] += (double)r->runs;
	}
	importance_interval_from(&(struct importance_shares){ p->workloads,
					 p->n, num, den, own },
		IMPORTANCE_DRAWS, seed, scratch, low, high);
	for (uint32_t o = 0; o < p->n; o++) {
		rows[o].low = low[o];
		rows[o].high = high[o];
	}
}

static int importance_by_importance(const void *x, const void *y)
{
	const struct importance_row *a = x, *b = y;
	bool known = !isnan(a->importance);
	if (known == (bool)isnan(b->importance))
		return known ? -1 : 1;
	if (known && a->importance != b->importance)
		return a->importance < b->importance ? 1 : -1;
	if (!a->op || !b->op)
		return !a->op - !b->op;
	return strcmp(a->op, b->op);
}

static void importance_totals(const struct fleet *f,
	const struct importance_parts *p, enum importance_weight weight,
	const struct catalog *c, struct importance *out)
{
	double attributed = 0, specific = 0, sized = 0, bound = 0, time = 0;
	for (uint32_t o = 0; o < p->n; o++) {
		const struct importance_sums *s = &p->of[o];
		const struct operator_info *is =
			s->op ? catalog_operator(c, s->op) : NULL;
		attributed += s->op ? s->time : 0;
		/* An operator that was removed from the catalog counts as
		 * specific. */
		specific += s->op && (!is || is->specific) ? s->time : 0;
		time += s->time;
		sized += s->sized;
		bound += s->bound;
	}
	for (uint32_t i = 0; i < f->cells_n; i++) {
		out->runs += f->cells[i].runs;
		out->hours += f->cells[i].weight;
		out->gpu_s += f->cells[i].total_s;
	}
	out->energy_kwh = weight == WEIGHT_ENERGY ? p->energy : (double)NAN;
	out->attributed = importance_ratio(attributed, p->weighted);
	out->specific = importance_ratio(specific, p->weighted);
	out->sized = importance_ratio(sized, time);
	out->bound = importance_ratio(bound, time);
	out->clusters = p->workloads;
}

void importance_from(const struct fleet *f, enum importance_weight weight,
	const struct catalog *c, uint64_t seed, struct arena *a,
	struct importance *out)
{
	struct arena scratch = arena_scratch(a);
	struct importance_parts p;
	assert(weight != WEIGHT_PUBLISHED);
	*out = (struct importance){ 0 };
	importance_sums_from(f, a, &scratch, &p);
	out->n = p.n;
	out->rows = arena_array(a, struct importance_row, p.n);
	for (uint32_t o = 0; o < p.n; o++) {
		importance_row_from(&p, &p.of[o], a, &out->rows[o]);
		importance_rank(&p, &p.of[o], c, weight, &out->rows[o]);
		out->rows[o].shapes = importance_shapes_of(f, p.of[o].op);
	}
	importance_totals(f, &p, weight, c, out);
	if (!p.n)
		out->interval_why = "there is nothing to draw intervals of";
	else if (p.workloads < IMPORTANCE_CLUSTERS)
		out->interval_why = arena_printf(a,
			"intervals are drawn from workloads: it takes %d, and "
			"there %s %u",
			IMPORTANCE_CLUSTERS, p.workloads == 1 ? "is" : "are",
			p.workloads);
	else
		importance_intervals(f, &p, weight, seed, &scratch, out->rows);
	qsort(out->rows, out->n, sizeof *out->rows, importance_by_importance);
	arena_scratch_release(&scratch, a);
}
