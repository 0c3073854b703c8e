/* creep_test.h - tests if the head is above an anchor: a level that the same work
 * once had. Many small rises, each of which passes a gate against the newest
 * runs, are found this way.
 *
 * The anchor is what the user named (a release, for instance), or the lowest
 * segment of the history. A segment ends where the level changed
 * (change_point.h, with CREEP_TEST_CUT_ALPHA). It counts if it has at least 10
 * units of at least 3 commits: with fewer, the lowest of several medians says more
 * about noise than about a level. The lowest is the one with the lowest median.
 * Because it is the lowest of `levels` segments, p is multiplied by their number
 * (Bonferroni): p_family.
 *
 * Units of one commit are put together, whatever their order in time. A unit
 * without a commit is one of its own, unless no unit has one: see level_test.h,
 * whose test this is, with the variances of the whole history. */
#pragma once
#include "arena.h"
#include "gate.h"
#include "level_test.h"

/* A creeping level has few runs per step: with 0.01, as for a trend, 7 of 12
 * series of 20 runs before the first step were found before +6 % (deviation
 * 0.5 %), with 0.05 11 of 12 (tests/sim). A wrong cut costs little, because p is
 * multiplied by the number of segments. */
#define CREEP_TEST_CUT_ALPHA 0.05
enum { CREEP_TEST_UNITS = 10, CREEP_TEST_COMMITS = 3 };

struct creep_test_input {
	const struct gate_history *history; /* at least one unit of the head */
	double limit; /* relative to the anchor */
	double alpha; /* one-sided */
	double repeat_alpha; /* as in struct level_test_input */
	double floor; /* relative, between runs; NaN: estimated */
	uint64_t seed;
};

struct creep_test_result {
	struct gate_anchor anchor; /* with a reason: `level` is not set */
	struct level_test_result level;
	double p_family; /* of `level`, times the number of segments */
};

/* False if the arena is full. */
bool creep_test(const struct creep_test_input *q, struct arena *a,
	struct creep_test_result *out);
