/* breakdown_from.h - layers, blocks and rows of a run.
 *
 * The steps: a sequence (layer_seq.h), layers in it (layering.h), blocks and
 * roles (layer_blocks.h), statistics (breakdown_rows.h), unions
 * (breakdown_overlap.h). If nothing repeats, the result is one flat section and
 * a reason. */
#pragma once
#include "breakdown.h"
#include "layering.h"

/* Fills at->profile->breakdown; the rest of the profile is complete. `params`
 * may be NULL. `group_of` is from kernel_groups.h. Fails with ERR_NOT_FOUND if
 * what was requested does not exist. */
bool breakdown_from(const struct attribution *at,
	const struct iteration_rows *iterations, const uint32_t *group_of,
	const struct breakdown_params *params, struct err *e);
