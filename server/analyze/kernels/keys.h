/* keys.h - devices and grids of rows, as small numbers to group them by. */
#pragma once
#include "row_groups.h"
#include "trace.h"

/* Both count from 0 in order of first sight; `of` is to be arena_drop()ped.
 * False where the arena is full. */
bool keys_of_devices(struct arena *a, const int32_t *device, uint32_t rows,
	struct group_key *key);
/* Of launches alike in grid and block, whatever else they asked for. */
bool keys_of_grids(struct arena *a, const struct trace *t,
	const uint32_t *launch, uint32_t rows, struct group_key *key);
