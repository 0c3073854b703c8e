/* lag_stretch.h - where durations repeat, and at which phase of their period.
 *
 * A stretch ends where a launch is lost or inserted, or where other work begins;
 * the next one has a phase of its own. */
#pragma once
#include "names_lag.h"

struct lag_stretch {
	uint32_t from, to; /* launches */
	uint32_t phase; /* of the first */
};

/* The first stretch of three periods or more that begins at `at` or behind it,
 * its phase 0. False where there is none. */
bool lag_stretch_next(const struct lag_sequence *s, uint32_t period,
	uint32_t at, struct lag_stretch *out);

/* What each phase takes in a stretch, the median of it. False where the arena is
 * full. */
bool lag_stretch_typical(const struct lag_sequence *s, uint32_t period,
	const struct lag_stretch *st, struct arena *a, int64_t *typical_ns);

/* The phase at which a stretch fits these durations. False where none fits, or
 * two do. */
bool lag_stretch_phase(const struct lag_sequence *s, uint32_t period,
	const int64_t *typical_ns, struct lag_stretch *st);
