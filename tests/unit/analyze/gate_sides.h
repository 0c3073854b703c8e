/* gate_sides.h - makes sides for gates: runs of 12 iterations of about 1 ms,
 * two thirds of it in gemm. */
#pragma once
#include "sides.h"
#include "regression_gate.h"
#include <math.h>

enum { GATE_ITERATIONS = 12, GATE_SIDES_MAX = 64 };

struct gate_sides {
	struct compared_run base[GATE_SIDES_MAX], head[GATE_SIDES_MAX];
	struct gate_operator_time operators[4 * GATE_SIDES_MAX];
	struct gate_given given;
};

/* Varies within 1 % from unit to unit. */
static inline double gate_wavering(uint32_t i)
{
	static const double by[] = { 0, 0.8, -0.6, 0.3, -0.9, 0.5, -0.2 };
	return 1 + by[i % 7] / 100;
}

static inline struct compared_run gate_run(struct arena *a, int64_t id,
	double times)
{
	struct compared_run r = sides_run(a, id, GATE_ITERATIONS);
	sides_kernel(a, &r, "norm", 100000, 4);
	struct pattern *p = sides_kernel(a, &r, "gemm", 1, 4);
	for (uint32_t i = 0; i < GATE_ITERATIONS; i++) {
		double ns = SIDES_ITERATION_NS * times * (1 + i % 3 * 0.001);
		r.iterations.iterations[i].dur_ns = (int64_t)ns;
		p->dur_ns[i] = (int64_t)(ns * 2 / 3);
		r.kernel_ns += p->dur_ns[i] - 1; /* added by sides_run() */
	}
	return r;
}

/* Base runs are numbered 1, 2, …; head runs 101, 102, …. `times` is the
 * head's slowdown. */
static inline void gate_sides_from(struct gate_sides *s, uint32_t base_n,
	uint32_t head_n, double times, struct arena *a)
{
	for (uint32_t i = 0; i < base_n; i++)
		s->base[i] = gate_run(a, i + 1, gate_wavering(i));
	for (uint32_t i = 0; i < head_n; i++)
		s->head[i] = gate_run(a, i + 101, gate_wavering(i) * times);
	s->given = (struct gate_given){ .base = s->base,
		.head = s->head,
		.base_n = base_n,
		.head_n = head_n,
		.operators = s->operators };
}

static inline void gate_operator(struct gate_sides *s, int64_t run,
	const char *op, double share, double headroom)
{
	s->operators[s->given.operators_n++] =
		(struct gate_operator_time){ run, op, share, headroom };
}

static inline struct gate gate_of(const struct gate_sides *s,
	const struct gate_policy *p, struct arena *a)
{
	struct err e = { 0 };
	struct gate g;
	assert_true(regression_gate_from(&s->given, p, a, &g, &e));
	return g;
}

static inline const struct gate_rule *gate_rule_of(const struct gate *g,
	enum gate_rule_kind kind, const char *of)
{
	for (uint32_t i = 0; i < g->rules_n; i++)
		if (g->rules[i].kind == kind &&
			(!of || !strcmp(g->rules[i].of, of)))
			return &g->rules[i];
	fail_msg("no such rule");
	return NULL;
}

/* Each case has its own arena and its own sides. */
struct fixture {
	struct arena a;
	struct gate_sides s;
	struct gate_policy p;
};

static inline int set_up(void **state)
{
	struct fixture *f = test_calloc(1, sizeof *f);
	regression_gate_policy_init(&f->p);
	*state = f;
	return 0;
}

static inline int tear_down(void **state)
{
	struct fixture *f = *state;
	arena_release(&f->a);
	test_free(f);
	return 0;
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
