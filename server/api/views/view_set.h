/* view_set.h - a fleet or a set as an operator catalogue, of the keys of
 * Atrex-Bench's: what `POST /sets` takes, and benchmarks of kernels read.
 *
 * An operator is there once, with the type of most of its shapes' time; a shape
 * once, with its own type and the platforms it ran on. Time without sizes is left
 * out: nobody could run it again. All texts are malloc'ed. */
#pragma once
#include "fleet_importance.h"

/* The shapes are all of the fleet's; the operators those of `m`, in its order. */
char *bench_from_fleet(const struct matters *m, const struct fleet_shape *rows,
	uint32_t n, const struct catalog *c, struct arena *a);
/* The document as it came, with the operators of `m` alone. */
char *bench_from_set(const char *json, size_t len, const struct matters *m);
