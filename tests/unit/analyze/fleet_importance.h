/* fleet_importance.h - prints the importances of a fleet for tests. */
#pragma once
#include "importance.h"
#include "fleet_world.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static inline struct importance fleet_importance(const struct fleet *f,
	enum importance_weight w, struct arena *a)
{
	struct importance out;
	struct err e = { 0 };
	struct catalog *c = catalog_new(NULL, &e);
	assert_non_null(c);
	importance_from(f, w, c, 1, a, &out);
	catalog_free(c);
	return out;
}

static inline const struct importance_row *row(const struct importance *out,
	const char *op)
{
	for (uint32_t i = 0; i < out->n; i++)
		if (world_same(out->rows[i].op, op))
			return &out->rows[i];
	fail();
	return NULL;
}

static inline void near(double a, double b)
{
	if (!(fabs(a - b) <= 1e-12 * (1 + fabs(b))))
		fail_msg("%.17g is not %.17g", a, b);
}
