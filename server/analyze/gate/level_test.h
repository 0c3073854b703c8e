/* level_test.h - tests if the head's level is above the base's, from one value
 * per unit.
 *
 * The test compares logarithms (or, for a series with zeros and for shares,
 * values divided by a scale). The level of a side is Huber's mean, which a
 * single outlier moves by little. The variance between units is the noise floor
 * (noise_floor.h), updated with these units. If the base has groups of units as
 * large as the head, and the groups differ by more than their units predict
 * (for example because the runs of one head are on one machine and the next
 * ones on another), the variance of the groups decides how far the head's level
 * may be off.
 *
 * The base's level is the level after its last change point (change_point.h). A
 * head above that level can still pass. It passes if the rise is more likely
 * before one or more of the newest units of the base than before the head. */
#pragma once
#include "arena.h"
#include "noise_floor.h"
#include "gate.h"

enum { LEVEL_TEST_SINCE_NONE = UINT32_MAX };

struct level_test_input {
	struct gate_values v; /* no NaN, at least one per side */
	double limit; /* relative to the base, or a share of `scale` */
	double scale; /* 0: logarithms; otherwise values are shares of it */
	double alpha; /* one-sided */
	struct noise_floor floor; /* the floor without these units */
	uint64_t seed;
};

struct level_test_result {
	double base, head; /* levels, in the unit of the values */
	double change, low, high; /* relative, or shares of `scale`; 95 % */
	double p; /* one-sided: the probability of so large a rise by chance */
	double floor, floor_df;
	bool above; /* the head is above the base by the limit or more */
	bool shown; /* `above`, p is at most alpha, and the rise was not before
		an earlier unit */
	uint32_t since; /* the base is compared from this unit on */
	int32_t needed; /* gate_rule.runs_needed, if the rule is undecided */
};

/* False if the arena is full. */
bool level_test(const struct level_test_input *q, struct arena *a,
	struct level_test_result *out);
