/* classify.h - the thresholds between the figures of a row and its class. */
#pragma once
#include "common_factor.h"
#include "contrast.h"

/* A change is not reported if the function has less than the first share of
 * the iteration, if the difference is less than the second share, or if it is
 * less than half the margin. */
#define CLASSIFY_MIN_SHARE 0.001
#define CLASSIFY_MIN_DELTA 0.0001
/* A function with less than this share of the iteration is never new or gone. */
#define CLASSIFY_MIN_PRESENT 0.00001
/* 99 % of a normal distribution are within this many deviations. */
#define CLASSIFY_BEYOND 2.58

struct classify_input {
	const struct change *change; /* all but its class */
	const struct contrast *raw, *freed;
	bool identical; /* both sides have the same values */
	bool base_zero, head_zero; /* in every iteration */
	bool common; /* a kernel, and all kernels share a factor */
	double rows; /* of the family */
};

/* The longer mean iteration of the two sides; 0 unknown. */
double classify_iteration_ns(const struct verdict_input *in);

/* Whether the row takes enough time to be reported, whatever its change. */
bool classify_eligible(const struct verdict_input *in, const struct change *c);

/* Whether the change is large enough to be reported. */
bool classify_relevant(const struct verdict_input *in, const struct change *c);

enum change_class classify(const struct verdict_input *in,
	const struct classify_input *j);
