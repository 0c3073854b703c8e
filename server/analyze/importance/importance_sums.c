/* importance_sums.c - every name is looked up once and a number from there on. */
#include "importance_sums.h"
#include "names.h"
#include <math.h>
#include <string.h>

/* names_put() has 0 for "", which no operator is called: NULL takes it, and where
 * there is none all others move up. */
static void operators_find(const struct fleet *f, struct arena *scratch,
	struct importance_parts *out)
{
	struct names ns;
	bool unattributed = false;
	names_init(&ns, scratch);
	out->operator_of = arena_array(scratch, uint32_t, f->rows_n);
	for (uint32_t i = 0; i < f->rows_n; i++) {
		const char *name = f->rows[i].operator;
		out->operator_of[i] =
			name ? names_put(&ns, name, strlen(name)) : 0;
		unattributed |= !name;
	}
	for (uint32_t i = 0; i < f->rows_n && !unattributed; i++)
		out->operator_of[i]--;
	out->n = ns.n - !unattributed;
	out->of = arena_array(scratch, struct importance_sums, out->n);
}

/* From 0, whatever the name; "" is one, too. */
static uint32_t id_of(struct names *ns, struct arena *a, const char *name)
{
	const char *key = arena_printf(a, "=%s", name);
	return names_put(ns, key, strlen(key)) - 1;
}

static void cells_find(const struct fleet *f, struct arena *scratch,
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
		out->workload_of[i] = id_of(&workloads, scratch, key);
		out->platform_of[i] = id_of(&platforms, scratch, c->platform);
		out->runs += (double)c->runs;
		out->weighted += c->weighted_s;
	}
	out->workloads = workloads.n - 1;
	out->platforms = platforms.n - 1;
}

static bool near(double x, double y)
{
	return fabs(x - y) <= 1e-9 * fabs(y);
}

/* What a run of the cell weighs; NaN where they differ. Of several only the
 * weight that they have unless told shows in the sums. */
static double weight_of(const struct fleet_cell *c)
{
	if (c->runs == 1)
		return c->weight;
	return near(c->weight, (double)c->runs) &&
			       near(c->weighted_s, c->total_s)
		       ? 1
		       : (double)NAN;
}

/* Sums have bound time weighted only. Of runs that weigh the same, or where all
 * time has a bound, it follows what it is without weights. */
static void plain_add(struct importance_place *p, const struct fleet_cell *c,
	const struct fleet_row *r)
{
	double g = weight_of(c);
	if (r->bound_calls <= 0 || r->bound_s <= 0)
		return;
	if (isnan(g) && near(r->bound_s, r->weighted_s))
		g = r->weighted_s / r->total_s;
	p->bound_calls += r->bound_calls;
	p->plain_bound_s += r->bound_s / g;
	p->plain_sol_s += r->sol_s / g;
}

static void place_add(struct importance_place *p, const struct fleet_cell *c,
	const struct fleet_row *r)
{
	p->platform = c->platform;
	p->calls += r->calls;
	plain_add(p, c, r);
	p->total_s += r->total_s;
	p->weighted_s += r->weighted_s;
	p->bound_s += r->bound_s;
	p->sol_s += r->sol_s;
	p->flops += r->flops;
}

static void row_add(struct importance_sums *s, const struct fleet_row *r)
{
	s->operator= r->operator;
	s->dtypes |= 1u << r->dtype;
	s->phases |= 1u << r->phase;
	s->runs += r->runs;
	s->total += r->total_s;
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

void importance_sums_from(const struct fleet *f, struct arena *a,
	struct arena *scratch, struct importance_parts *out)
{
	*out = (struct importance_parts){ 0 };
	operators_find(f, scratch, out);
	cells_find(f, scratch, out);
	for (uint32_t o = 0; o < out->n; o++)
		out->of[o].places =
			arena_array(a, struct importance_place, out->platforms);
	for (uint32_t i = 0; i < f->rows_n; i++) {
		const struct fleet_row *r = &f->rows[i];
		struct importance_sums *s = &out->of[out->operator_of[i]];
		row_add(s, r);
		place_add(&s->places[out->platform_of[r->cell]],
			&f->cells[r->cell], r);
	}
}
