/* level_test.h - one number per unit on two sides: is the head's level higher?
 *
 * The logarithms are held against each other (or, of a series with zeros and of
 * what is a share already, the values by a scale), each side's level being Huber's
 * mean, which a lone unit far out moves by little. What units differ by is the
 * floor (floor.h), that heard of these units, too. Where units of the base come in
 * groups as many as the head's, and groups differ by more than their units tell (the
 * runs of a head on one machine, the next ones on another), it is the groups that
 * tell how far the head's level may be off.
 *
 * The base's level is that of its newest stretch (change_point.h). A head that is
 * higher is still not accused where the newest units of the base, one or more of
 * them, explain it better: where the rise lies before them rather than before the
 * head. */
#pragma once
#include "arena.h"
#include "noise_floor.h"
#include "gate.h"

enum { GATE_SINCE_NONE = UINT32_MAX };

struct gate_level_asked {
	struct gate_values v; /* no NaN, on either side one or more */
	double limit; /* relative; of shares, of the scale */
	double scale; /* 0: logarithms; else values are taken as shares of it */
	double alpha; /* one-sided */
	struct run_floor floor; /* what is known beside these units */
	uint64_t seed;
};

struct gate_level {
	double base, head; /* levels, as values are */
	double change, low, high; /* relative, or of the scale; 95 % */
	double p; /* one-sided: as far up by chance */
	double floor, floor_df;
	bool above; /* by the limit or more */
	bool shown; /* above, p within alpha, and not since an earlier unit */
	uint32_t since; /* unit of the base; it is compared from there on */
	int32_t needed; /* as gate_rule.runs_needed, were it undecided */
};

/* False where memory ends. */
bool gate_level_from(const struct gate_level_asked *q, struct arena *a,
	struct gate_level *out);
