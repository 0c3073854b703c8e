/* matters_told.h - what is to be known before the numbers, as sentences.
 *
 * Findings as their schema has them, loudest first: time that nobody could
 * attribute, runs that are not counted, S above 1, peaks and sizes that are not
 * known, intervals that cannot be told. */
#pragma once
#include "run_operators.h"
#include "findings.h"
#include "fleet_importance.h"

/* `fleet` NULL: of a set. */
struct finding_list matters_told(struct arena *a, const struct matters *m,
	const struct fleet *fleet, const struct catalog *c);
struct finding_list matters_told_run(struct arena *a,
	const struct run_matters *m);
/* Of an operator's shapes; `time_ns` by index: all, without a bound, with S
 * above 1. */
struct shapes_told {
	double all, unbound, over; /* any unit of time */
	uint32_t n;
	const char *empty; /* why there are none */
};
struct finding_list matters_told_shapes(struct arena *a,
	const struct shapes_told *s);

/* Sentences about `n` runs that no figure has: analysed before operators were
 * known; whose names lag behind durations. */
const char *matters_uncounted_text(struct arena *a, int64_t n);
const char *matters_left_out_text(struct arena *a, int64_t n);
