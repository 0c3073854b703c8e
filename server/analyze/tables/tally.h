/* tally.h - sums of durations and counts, by a number and a device. */
#pragma once
#include "profile.h"
#include "trace.h"

struct tally_line {
	uint32_t what; /* a kernel, an operation */
	int32_t device;
	int64_t instances, total_ns;
};

struct tally {
	struct names keys; /* id = index + 1 */
	struct tally_line *lines; /* in order of first sight */
	uint32_t n, cap;
};

bool tally_init(struct tally *t, struct arena *a);
/* Adds to the line of `add`'s number and device. False with ERR_TRACE where a
 * sum passes what a trace can hold, or something is negative. */
bool tally_add(struct tally *t, const struct tally_line *add, struct err *e);

/* Adds to a sum, likewise. */
bool tally_sum(int64_t *sum, int64_t add, struct err *e);

/* What is known of a line: the average, and nothing that needs launches. */
struct time_stats tally_stats(const struct tally_line *l);
