/* rollup_shape.h - what a shape of a run adds to a ledger of shapes. */
#pragma once
#include "ledger.h"
#include "profile.h"

/* g * v, or 0 where it is beyond what is summed. */
int128 rollup_times(int128 g, int128 v);

/* `sign` times, to the row of its id (0: sizes unknown). `first`: of its run's
 * with this id, which counts the run. */
void rollup_shape_add(struct ledger *l, const struct shape_stat *s, int64_t id,
	int64_t weight_uh, bool first, int sign);
