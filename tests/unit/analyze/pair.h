/* pair.h - makes small, unusual pairs of sides for a verdict, and checks the
 * invariants of every verdict. */
#pragma once
#include "verdict.h"
#include "xoshiro.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { ROWS = 16, UNITS = 6 };

/* A pair of sides: the times of row r are (r + 1) µs, and some of them are
 * noisy. */
struct pair {
	struct arena a;
	uint32_t iterations[2][UNITS];
	struct verdict_row rows[ROWS];
	struct verdict_input in;
	struct change c[ROWS];
	struct common_factor common;
	uint32_t block;
};

static inline void made(struct pair *p, uint32_t rows, uint32_t base_units,
	uint32_t head_units, uint32_t iterations, double noise)
{
	struct xoshiro x;
	*p = (struct pair){ 0 };
	xoshiro_init(&x, 7);
	for (uint32_t u = 0; u < UNITS; u++)
		p->iterations[0][u] = p->iterations[1][u] = iterations;
	p->in = (struct verdict_input){ .base = { base_units, p->iterations[0],
						base_units * iterations },
		.head = { head_units, p->iterations[1],
			head_units * iterations },
		.rows = p->rows,
		.n = rows,
		.base_iteration_ns = 200e3,
		.head_iteration_ns = 200e3,
		.margin = 0.05,
		.alpha = 0.05,
		.permutations = 200,
		.seed = 1 };
	for (uint32_t r = 0; r < rows; r++) {
		uint32_t n[2] = { p->in.base.n, p->in.head.n };
		double *v[2];
		for (int s = 0; s < 2; s++) {
			v[s] = arena_array(&p->a, double, n[s]);
			for (uint32_t c = 0; c < n[s]; c++)
				v[s][c] =
					1000 * (r + 1) *
					(1 + noise * ((double)xoshiro_below(&x,
							      2001) / 1000 -
							     1));
		}
		double launch = 1000 * (r + 1);
		p->rows[r] = (struct verdict_row){ .base = v[0],
			.head = v[1],
			.base_launches = n[0],
			.base_min_ns = launch * 0.9,
			.base_max_ns = launch * 1.1,
			.head_launches = n[1],
			.head_min_ns = launch * 0.9,
			.head_max_ns = launch * 1.1,
			.kernel = true,
			.floor_df = INFINITY,
			.floor_from = FLOOR_GIVEN };
	}
}

static inline void times(struct pair *p, uint32_t row, bool head, double by)
{
	struct verdict_row *r = &p->rows[row];
	double *v = (double *)(head ? r->head : r->base);
	for (uint32_t c = 0; c < (head ? p->in.head.n : p->in.base.n); c++)
		v[c] *= by;
	*(head ? &r->head_min_ns : &r->base_min_ns) *= by;
	*(head ? &r->head_max_ns : &r->base_max_ns) *= by;
	*(head ? &r->head_launches : &r->base_launches) *= by != 0;
}

static inline void floors(struct pair *p, double sd, double df)
{
	for (uint32_t r = 0; r < p->in.n; r++) {
		p->rows[r].floor = sd;
		p->rows[r].floor_df = df;
	}
}

static inline void judged(struct pair *p)
{
	struct err e = { 0 };
	assert_true(
		verdict_from(&p->in, &p->a, p->c, &p->common, &p->block, &e));
	assert_int_equal(e.code, ERR_NONE);
	for (uint32_t r = 0; r < p->in.n; r++) {
		const struct change *c = &p->c[r];
		bool launches = c->evidence == EVIDENCE_LAUNCHES;
		assert_true(isfinite(c->shift_ns));
		assert_true(c->low_ns <= c->shift_ns);
		assert_true(c->shift_ns <= c->high_ns);
		assert_true(isnan(c->p) == launches);
		assert_true(isnan(c->q) == launches);
		assert_true(isnan(c->p_family) == launches);
		assert_true(isnan(c->ratio) == (c->base_ns == 0));
		if (!launches) {
			assert_true(c->p >= 0 && c->p <= c->p_family);
			assert_true(c->p_family <= 1 && c->q <= 1);
			assert_true(c->p <= c->q);
		}
	}
	assert_true(isfinite(p->common.ratio));
	assert_true(p->common.low <= p->common.high);
}

static inline void is(const struct pair *p, uint32_t row,
	enum change_class want, enum evidence by)
{
	if (p->c[row].is != want || p->c[row].evidence != by)
		fail_msg("row %u: class %d by %d, not %d by %d; p %g", row,
			p->c[row].is, p->c[row].evidence, want, by,
			p->c[row].p_family);
}
