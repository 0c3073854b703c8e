/* rank_clock.h - who arrives when, where the clocks of the ranks agree. */
#pragma once
#include "rank_match.h"
#include "ranks.h"

/* Whether they do; fills last_share and late_ns of the lines then. */
bool rank_clock_from(const struct compared_run *const *runs, uint32_t n,
	const struct rank_matches *all, struct rank_line *lines);
