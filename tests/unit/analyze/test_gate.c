/* test_gate.c - sides made by hand go through a gate. */
#include "sides.h"
#include "gate_from.h"
#include <math.h>

enum { CYCLES = 12 };

/* By up to a percent up and down, from unit to unit. */
static double wavering(uint32_t i)
{
	static const double by[] = { 0, 0.8, -0.6, 0.3, -0.9, 0.5, -0.2 };
	return 1 + by[i % 7] / 100;
}

/* A run whose cycles take `times` a millisecond, two thirds of it in gemm. */
static struct compared_run run(struct arena *a, int64_t id, double times)
{
	struct compared_run r = sides_run(a, id, CYCLES);
	for (uint32_t i = 0; i < CYCLES; i++)
		r.cycles.cycles[i].dur_ns =
			(int64_t)(SIDES_CYCLE_NS * times * (1 + i % 3 * 0.001));
	sides_kernel(a, &r, "norm", 100000, 4);
	struct pattern *p = sides_kernel(a, &r, "gemm", 1, 4);
	for (uint32_t i = 0; i < CYCLES; i++)
		p->dur_ns[i] = r.cycles.cycles[i].dur_ns * 2 / 3;
	return r;
}

struct sides {
	struct compared_run base[64], head[64];
	struct gate_given given;
};

static void sides_of(struct arena *a, struct sides *s, uint32_t base_n,
	uint32_t head_n, double times)
{
	for (uint32_t i = 0; i < base_n; i++)
		s->base[i] = run(a, i + 1, wavering(i));
	for (uint32_t i = 0; i < head_n; i++)
		s->head[i] = run(a, i + 101, wavering(i) * times);
	s->given = (struct gate_given){ .base = s->base,
		.head = s->head,
		.base_n = base_n,
		.head_n = head_n };
}

static void gated(const struct sides *s, const struct gate_policy *p,
	struct arena *a, struct gate *out)
{
	struct err e = { 0 };
	assert_true(gate_from(&s->given, p, a, out, &e));
}

static void slower(void **state)
{
	struct sides *s = test_calloc(1, sizeof *s);
	struct arena a = { 0 };
	struct gate_policy p;
	struct gate g;
	(void)state;

	gate_policy_init(&p);
	sides_of(&a, s, 20, 3, 1.2);
	gated(s, &p, &a, &g);
	assert_int_equal(g.outcome, GATE_REGRESSED);
	sides_of(&a, s, 20, 1, 1.2);
	gated(s, &p, &a, &g);
	assert_int_equal(g.outcome, GATE_UNDECIDED);
	sides_of(&a, s, 20, 3, 1);
	gated(s, &p, &a, &g);
	assert_int_equal(g.outcome, GATE_PASS);
	sides_of(&a, s, 20, 3, 1.03);
	gated(s, &p, &a, &g);
	test_free(s);
	arena_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slower),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
