/* classify.h - from a row's figures to its class; nothing is computed here that
 * is not a threshold. */
#pragma once
#include "common_factor.h"
#include "contrast.h"

/* Not worth an accusation: a function with less than this share of the cycle,
 * a difference of less than that, a change of less than half the margin. */
#define JUDGE_LEAST_SHARE 0.001
#define JUDGE_LEAST_DELTA 0.0001
/* Nor is it told that something with less than this came or went. */
#define JUDGE_LEAST_PRESENT 0.00001
/* Of a normal distribution, 99 % lie within so many deviations. */
#define JUDGE_BEYOND 2.58

struct judged {
	const struct change *change; /* all but its class */
	const struct contrast *raw, *freed;
	bool identical; /* both sides have the same values */
	bool base_zero, head_zero; /* in every cycle */
	bool common; /* a kernel, and all kernels have something in common */
	double rows; /* that belong to the family */
};

/* What a cycle of the comparison takes, at most; 0 unknown. */
double judge_cycle_ns(const struct verdict_input *in);

/* Could this row be accused at all, whatever it did? */
bool judge_counts(const struct verdict_input *in, const struct change *c);

/* Is this change worth an accusation? */
bool judge_worth(const struct verdict_input *in, const struct change *c);

enum change_class judge(const struct verdict_input *in, const struct judged *j);
