/* gate_units.c - a number for each unit: means over its cycles. */
#include "gate_parts.h"
#include <math.h>
#include <string.h>

struct filling {
	const struct gating *g;
	double *of[2];
	uint32_t n[2];
	int64_t *runs;
};

static struct filling filling_of(const struct gating *g)
{
	struct filling f = { .g = g,
		.runs = arena_array(g->a, int64_t, g->units_n[BASE] + 1) };
	for (int s = 0; s < 2; s++)
		f.of[s] = arena_array(g->a, double, g->units_n[s] + 1);
	return f;
}

static void put(struct filling *f, int s, const struct compare_unit *u,
	double x)
{
	if (isnan(x))
		return;
	if (s == BASE)
		f->runs[f->n[s]] = u->runs[0]->id;
	f->of[s][f->n[s]++] = x;
}

static struct gate_units told(const struct filling *f)
{
	return (struct gate_units){
		{ f->of[BASE], f->of[HEAD], f->n[BASE], f->n[HEAD] }, f->runs
	};
}

static struct gate_units means(const struct gating *g, double *const ns[2])
{
	struct filling f = filling_of(g);
	for (int s = 0; s < 2; s++)
		for (uint32_t i = 0; i < g->units_n[s]; i++) {
			const struct compare_unit *u =
				&g->c->side[s].units[g->units[s][i]];
			double sum = 0;
			for (uint32_t k = 0; k < u->cycles_n; k++)
				sum += ns[s][u->first + k];
			put(&f, s, u, sum / u->cycles_n);
		}
	return told(&f);
}

struct gate_units gate_units_cycle(const struct gating *g)
{
	double *const ns[2] = { g->c->side[BASE].cycle_ns,
		g->c->side[HEAD].cycle_ns };
	return means(g, ns);
}

struct gate_units gate_units_row(const struct gating *g,
	const struct compare_row *row)
{
	return means(g, row->ns);
}

/* What the devices of a run do in a cycle that is compared. */
static double gpu_ns(const struct compare_unit *u, uint32_t r)
{
	const struct patterns *p = &u->runs[r]->patterns;
	double sum = 0;
	for (uint32_t i = 0; i < p->n; i++)
		for (uint32_t k = 0;
			k < u->cycles_n && !compare_on_host(p->rows[i].type);
			k++)
			sum += (double)p->rows[i].dur_ns[u->at[r][k]];
	return sum / u->cycles_n;
}

/* Shares of a run's GPU time. */
struct shares {
	bool told; /* anything is, of this run */
	double time, headroom, covered, attributed;
};

static struct shares shares_of(const struct gate_given *given, int64_t run,
	const char *operator)
{
	struct shares s = { 0 };
	for (uint32_t i = 0; i < given->operators_n; i++) {
		const struct gate_operator_time *o = &given->operators[i];
		if (o->run != run)
			continue;
		s.told = true;
		s.attributed += o->operator? o->share : 0;
		if (operator&& o->operator&& !strcmp(operator, o->operator))
			s.time += o->share;
		if (!o->operator|| isnan(o->headroom))
			continue;
		s.headroom += o->headroom;
		s.covered += o->share;
	}
	return s;
}

/* The mean over the ranks of a job; NaN where one tells nothing. */
static struct shares unit_of(const struct gating *g,
	const struct compare_unit *u, const char *operator)
{
	struct shares all = { .told = true };
	for (uint32_t r = 0; r < u->runs_n; r++) {
		struct shares s = shares_of(g->given, u->runs[r]->id, operator);
		double ns = gpu_ns(u, r) / u->runs_n;
		all.told = all.told && s.told;
		all.time += s.time * ns;
		all.headroom += s.headroom * ns;
		all.covered += s.covered * ns;
	}
	return all;
}

struct gate_units gate_units_operator(const struct gating *g,
	const char *operator, double * covered)
{
	struct filling f = filling_of(g);
	double known = 0, n = 0;

	for (int s = 0; s < 2; s++)
		for (uint32_t i = 0; i < g->units_n[s]; i++) {
			const struct compare_unit *u =
				&g->c->side[s].units[g->units[s][i]];
			struct shares x = unit_of(g, u, operator);
			if (!x.told || (!operator&& !(x.covered > 0)))
				continue;
			put(&f, s, u, operator? x.time : x.headroom);
			known += x.covered;
			n++;
		}
	if (covered)
		*covered = n > 0 ? known / n : 0;
	return told(&f);
}

double gate_attributed(const struct gating *g, int side)
{
	double sum = 0, n = 0;
	for (uint32_t i = 0; i < g->c->side[side].runs_n; i++) {
		struct shares s =
			shares_of(g->given, g->c->side[side].runs[i].id, NULL);
		sum += s.told ? s.attributed : 0;
		n += s.told;
	}
	return n > 0 ? sum / n : NAN;
}

bool gate_units_zero(const struct gate_values *v)
{
	for (uint32_t i = 0; i < v->base_n; i++)
		if (!(v->base[i] > 0))
			return true;
	for (uint32_t i = 0; i < v->head_n; i++)
		if (!(v->head[i] > 0))
			return true;
	return false;
}
