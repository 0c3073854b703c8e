/* breakdown_from.h - computes the breakdown of a run: its layers, blocks and
 * rows.
 *
 * The steps are: read the launches as a sequence (layer_seq.h), find layers in
 * it (layering.h), find blocks and roles (layer_blocks.h), compute statistics
 * (breakdown_rows.h), and compute overlapped and idle time
 * (breakdown_overlap.h). If nothing repeats, the result is one flat section and
 * a reason. */
#pragma once
#include "breakdown.h"
#include "layering.h"

/* Fills at->profile->breakdown. The rest of the profile must be filled in.
 * `params` may be NULL. `group_of` is from kernel_groups.h. Fails with
 * ERR_NOT_FOUND if the run does not have the requested device, stratum or
 * layers. */
bool breakdown_from(const struct attribution *at,
	const struct iteration_rows *iterations, const uint32_t *group_of,
	const struct breakdown_params *params, struct err *e);
