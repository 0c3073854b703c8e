/* attribute_bound.h - the cost of a shape, and how far its calls are from the
 * roofline bound of their platform. */
#pragma once
#include "attribution.h"
#include "operators.h"

/* Fills the cost and bound of a shape and adds them to its operator. `ns` are
 * its calls' times. False if the arena is full. */
bool attribute_bound(const struct attribution *at,
	const struct operator_info *is, const struct shape *sizes,
	const int64_t *ns, struct shape_stat *s, struct operator_stat *o);
/* T_SOL of one call of a shape on the run's platform, picoseconds; -1 if it is
 * unknown. */
int64_t attribute_bound_ps(const struct attribution *at,
	const struct operator_info *is, const struct shape *sizes);
