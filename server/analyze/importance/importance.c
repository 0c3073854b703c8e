/* importance.c - sums become operators with weights, in the order of these. */
#include "importance.h"
#include "importance_interval.h"
#include "importance_sums.h"
#include "profile_word.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static double ratio(double part, double whole)
{
	return whole > 0 ? part / whole : (double)NAN;
}

static const char *of_dtype(int d)
{
	return dtype_word((enum dtype)d);
}

static const char *of_phase(int p)
{
	return profile_word_phase[p];
}

/* The words of the bits, with '/' between; NULL where none has one. */
static const char *words(struct arena *a, uint32_t bits, int n,
	const char *(*word)(int))
{
	const char *text = NULL;
	for (int i = 0; i < n; i++)
		if ((bits >> i & 1) && word(i))
			text = text ? arena_printf(a, "%s/%s", text, word(i))
				    : word(i);
	return text;
}

static int by_time(const void *x, const void *y)
{
	const struct importance_place *a = x, *b = y;
	if (a->total_s != b->total_s)
		return a->total_s < b->total_s ? 1 : -1;
	return strcmp(a->platform, b->platform);
}

static void places_from(struct importance_place *all, uint32_t n,
	struct importance_row *r)
{
	r->places = all;
	for (uint32_t p = 0; p < n; p++)
		if (all[p].platform)
			r->places[r->places_n++] = all[p];
	qsort(r->places, r->places_n, sizeof *r->places, by_time);
}

static int64_t shapes_of(const struct fleet *f, const char *operator)
{
	if (!f->counts || !operator)
		return -1;
	for (uint32_t i = 0; i < f->counts_n; i++)
		if (!strcmp(f->counts[i].operator, operator))
			return f->counts[i].shapes;
	return 0;
}

static void row_from(const struct importance_parts *p,
	const struct importance_sums *s, struct arena *a,
	struct importance_row *r)
{
	*r = (struct importance_row){
		.operator= s->operator,
		.dtypes = words(a, s->dtypes, DTYPES, of_dtype),
		.phases = words(a, s->phases, PHASES, of_phase),
		.w_time = ratio(s->time, p->weighted),
		.w_mean = ratio(s->share, p->runs),
		.w_present = ratio(s->share, (double)s->runs),
		.low = NAN,
		.high = NAN,
		.runs = s->runs,
		.prevalence = ratio((double)s->runs, p->runs),
		.ai = ratio(s->flops, s->bytes),
		.s = ratio(s->sol, s->bound),
		.total_s = s->total,
		.sized = ratio(s->sized, s->time),
		.bound = ratio(s->bound, s->time),
		.over = ratio(s->over, s->time),
	};
	if (s->bound > 0)
		r->leg = 2 * s->compute > s->bound ? LEG_COMPUTE : LEG_MEMORY;
	places_from(s->places, p->platforms, r);
}

/* What the catalogue says of it, and what follows. */
static void judge(const struct importance_parts *p,
	const struct importance_sums *s, const struct catalog *c,
	enum importance_weight weight, struct importance_row *r)
{
	const struct operator_info *is =
		r->operator? catalog_operator(c, r->operator) : NULL;
	r->collective = is && is->collective;
	r->headroom = r->collective || s->bound <= 0
			      ? (double)NAN
			      : ratio(s->headroom, p->weighted);
	r->importance = weight == WEIGHT_TIME	? r->w_time
			: weight == WEIGHT_MEAN ? r->w_mean
						: r->w_present;
}

/* The numerators and denominators of shares, by workload. */
static void intervals(const struct fleet *f, const struct importance_parts *p,
	enum importance_weight weight, uint64_t seed, struct arena *scratch,
	struct importance_row *rows)
{
	bool own = weight == WEIGHT_PRESENT;
	size_t cells = (size_t)p->workloads * p->n;
	double *num = arena_array(scratch, double, cells);
	double *den = arena_array(scratch, double,
		own ? cells : (size_t)p->workloads);
	double *low = arena_array(scratch, double, p->n);
	double *high = arena_array(scratch, double, p->n);
	for (uint32_t i = 0; i < f->cells_n && !own; i++)
		den[p->workload_of[i]] += weight == WEIGHT_TIME
						  ? f->cells[i].weighted_s
						  : (double)f->cells[i].runs;
	for (uint32_t i = 0; i < f->rows_n; i++) {
		const struct fleet_row *r = &f->rows[i];
		size_t at = (size_t)p->workload_of[r->cell] * p->n +
			    p->operator_of[i];
		num[at] += weight == WEIGHT_TIME ? r->weighted_s : r->share;
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

static int by_importance(const void *x, const void *y)
{
	const struct importance_row *a = x, *b = y;
	bool known = !isnan(a->importance);
	if (known == (bool)isnan(b->importance))
		return known ? -1 : 1;
	if (known && a->importance != b->importance)
		return a->importance < b->importance ? 1 : -1;
	if (!a->operator|| !b->operator)
		return !a->operator- !b->operator;
	return strcmp(a->operator, b->operator);
}

static void totals(const struct fleet *f, const struct importance_parts *p,
	const struct catalog *c, struct importance *out)
{
	double attributed = 0, specific = 0, sized = 0, bound = 0, time = 0;
	for (uint32_t o = 0; o < p->n; o++) {
		const struct importance_sums *s = &p->of[o];
		const struct operator_info *is =
			s->operator? catalog_operator(c, s->operator) : NULL;
		attributed += s->operator? s->time : 0;
		/* One that the catalogue no longer has was told once. */
		specific += s->operator&&(!is || is->specific) ? s->time : 0;
		time += s->time;
		sized += s->sized;
		bound += s->bound;
	}
	for (uint32_t i = 0; i < f->cells_n; i++) {
		out->runs += f->cells[i].runs;
		out->hours += f->cells[i].weight;
		out->gpu_s += f->cells[i].total_s;
	}
	out->attributed = ratio(attributed, p->weighted);
	out->specific = ratio(specific, p->weighted);
	out->sized = ratio(sized, time);
	out->bound = ratio(bound, time);
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
		row_from(&p, &p.of[o], a, &out->rows[o]);
		judge(&p, &p.of[o], c, weight, &out->rows[o]);
		out->rows[o].shapes = shapes_of(f, p.of[o].operator);
	}
	totals(f, &p, c, out);
	if (!p.n)
		out->interval_why = "there is nothing to draw intervals of";
	else if (p.workloads < IMPORTANCE_CLUSTERS)
		out->interval_why = arena_printf(a,
			"intervals are drawn from workloads: it takes %d, and "
			"there %s %u",
			IMPORTANCE_CLUSTERS, p.workloads == 1 ? "is" : "are",
			p.workloads);
	else
		intervals(f, &p, weight, seed, &scratch, out->rows);
	qsort(out->rows, out->n, sizeof *out->rows, by_importance);
	arena_scratch_release(&scratch, a);
}
