/* suspicion_world.h - writes runs of a few iterations line by line and scores
 * them. */
#pragma once
#include "suspicion.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

enum { ITERATIONS = 4, NONE = METRIC_NO_ROW };
#define NO_MU NAN
#define ALL       \
	{         \
		0 \
	}

/* A row of a table: β and μ of a function in each iteration. A basis of NONE
 * omits the iteration. */
struct line {
	const char *name, *device, *metric;
	double beta[ITERATIONS], mu[ITERATIONS];
	uint8_t basis[ITERATIONS];
};

struct world {
	struct arena arena;
	struct compared_run runs[6];
	struct suspicion s;
	struct err e;
};

static inline double *reals(struct arena *a, const double *v, uint32_t n)
{
	double *to = arena_array(a, double, n);
	memcpy(to, v, n * sizeof *v);
	return to;
}

/* A run whose iterations last 1, 2, … ms. Consecutive lines with the same
 * name and device share a pattern; a line with metric "" has no metric. */
static inline struct compared_run *run_of(struct world *w, int place,
	const char *name, int64_t pid, uint32_t iterations,
	const struct line *lines, uint32_t n)
{
	struct arena *a = &w->arena;
	struct compared_run *r = &w->runs[place];
	*r = (struct compared_run){ .id = place + 1,
		.name = name,
		.project = "default",
		.workload = "llama",
		.pid = pid,
		.content = CONTENT_PATTERNS };
	r->iterations = (struct iterations){ .detector = ITERATIONS_GIVEN,
		.iterations = arena_array(a, struct iteration, ITERATIONS),
		.n = iterations,
		.kept_n = iterations };
	r->patterns = (struct patterns){ .iterations_n = iterations,
		.iteration = arena_array(a, uint32_t, ITERATIONS),
		.rows = arena_array(a, struct pattern, n + 1),
		.metrics = arena_array(a, struct pattern_metric, n + 1) };
	for (uint32_t i = 0; i < iterations; i++) {
		r->patterns.iteration[i] = i;
		r->iterations.iterations[i].dur_ns = (i + 1) * 1000000;
	}
	for (uint32_t i = 0; i < n; i++) {
		struct patterns *p = &r->patterns;
		struct pattern *last = p->n ? &p->rows[p->n - 1] : NULL;
		const struct line *l = &lines[i];
		if (!last || strcmp(last->name, l->name) ||
			strcmp(last->device, l->device)) {
			p->rows[p->n++] = (struct pattern){ .name = l->name,
				.device = l->device,
				.dur_ns = arena_array(a, int64_t, ITERATIONS),
				.launches = arena_array(a, int64_t, ITERATIONS),
				.beta_pct = reals(a, l->beta, ITERATIONS) };
			for (int c = 0; c < ITERATIONS; c++)
				p->rows[p->n - 1].launches[c] =
					l->basis[c] != NONE;
		}
		if (!*l->metric)
			continue;
		struct pattern_metric *m = &p->metrics[p->metrics_n++];
		*m = (struct pattern_metric){ .pattern = p->n - 1,
			.name = l->metric,
			.mu = reals(a, l->mu, ITERATIONS),
			.interpolated = arena_array(a, uint8_t, ITERATIONS) };
		memcpy(m->interpolated, l->basis, ITERATIONS);
	}
	return r;
}

static inline void score(struct world *w, uint32_t base_n, uint32_t head_n)
{
	if (!suspicion_from(w->runs, base_n, w->runs + base_n, head_n,
		    &w->arena, &w->s, &w->e))
		fail_msg("%s", w->e.text);
}

static inline const struct suspicion_row *row(const struct world *w,
	const char *name, const char *metric)
{
	for (uint32_t i = 0; i < w->s.rows_n; i++)
		if (!strcmp(w->s.rows[i].name, name) &&
			!strcmp(w->s.rows[i].metric, metric))
			return &w->s.rows[i];
	fail_msg("no row '%s', '%s'", name, metric);
	return NULL;
}

static inline void near_to(const char *what, double got, double want)
{
	if (!(fabs(got - want) <= 1e-12 * (1 + fabs(want))))
		fail_msg("%s: %.17g, not %.17g", what, got, want);
}

static inline void value(const char *what, const struct suspicion_value *v,
	struct suspicion_value want)
{
	char text[80];
	const double got[6] = { v->base, v->head, v->delta, v->z, v->p,
		v->u_p };
	const double exp[6] = { want.base, want.head, want.delta, want.z,
		want.p, want.u_p };
	for (int i = 0; i < 6; i++) {
		snprintf(text, sizeof text, "%s, figure %d", what, i);
		if (isnan(exp[i]))
			assert_true(isnan(got[i]));
		else
			near_to(text, got[i], exp[i]);
	}
}
