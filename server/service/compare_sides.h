/* compare_sides.h - what a comparison compares: runs, named in the address.
 *
 * A side is "3", "1,2" or "job:4", and any mix: ids of runs, and jobs that stand
 * for all of theirs; or a query (selector.h). Whether the two sides make sense
 * together is analyze/'s to say; here are only those that cannot be read. */
#pragma once
#include "service.h"
#include "compared.h"

enum { SIDE_RUNS = 64 };

/* The words of a side, as written. `name` is the parameter's. */
struct side_word {
	bool job;
	int64_t id;
};
bool side_words(const char *name, const char *text,
	struct side_word words[SIDE_RUNS], uint32_t *n, struct err *e);

/* Both sides of a comparison, with all that is
 * compared. `range` NULL: iterations as stored. */
struct compared_sides {
	struct compared_run *base, *head;
	uint32_t base_n, head_n;
	const char *range;
};

/* Reads both sides; the arena's. With a range, iterations and all that is known per
 * iteration are computed again from the runs' captures. */
struct selected;
bool sides_of(struct service_call *c, const struct selected *base,
	const struct selected *head, const char *range,
	struct compared_sides *s, struct err *e);
