/* sides.h - what a comparison compares: runs, named in the address.
 *
 * A side is "3", "1,2" or "job:4", and any mix: ids of runs, and jobs that stand
 * for all of theirs; or a query (selector.h). Whether the two sides make sense
 * together is analyze/'s to say; here are only those that cannot be read. */
#pragma once
#include "handler.h"
#include "view_compare.h"

enum { SIDE_RUNS = 64 };

/* The words of a side, as written. `name` is the parameter's. */
struct side_word {
	bool job;
	int64_t id;
};
bool side_words(const char *name, const char *text,
	struct side_word words[SIDE_RUNS], uint32_t *n, struct err *e);

/* Both sides with all that a comparison needs; the arena's. Where there is a range,
 * cycles and all that is told by cycle are read from the runs' captures. */
struct selected;
bool sides_of(struct call *c, const struct selected *base,
	const struct selected *head, const char *range,
	struct compared_sides *s, struct err *e);
/* Those that the parameters base, head and range name. */
bool sides_read(struct call *c, struct compared_sides *s, struct err *e);
