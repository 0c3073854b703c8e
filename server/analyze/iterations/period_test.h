/* period_test.h - whether sections of a sequence are cycles.
 *
 * A cut is a list of places of a stream (cycle_seq.h); the sections lie between
 * each and the next, what is before the first is the head, what is behind the
 * last the tail. It is a period where
 *
 *  - there are two sections at least, counting a tail that is like the section
 *    before it, and more than one name in a section;
 *  - sections are like their neighbours: half of them share 90 % of their
 *    launches by name (the weighted Jaccard index of the multisets), and all of
 *    them 70 % on average;
 *  - it is closed: a name of the run comes in nine of ten sections, so that
 *    what comes once a step is in no layer. Either 80 % of the names do, and all
 *    that are in the head and tail; names that only the first section has,
 *    warming up, do not count where there are four or more. Or what does not
 *    is 0.5 % of launches and time; or 5 % of launches and 10 % of time where
 *    a section is made of smaller ones that repeat: a step is, a layer is not,
 *    and programs begin and end with something else;
 *  - nothing repeats above it: sections that are unlike most do not come back
 *    at an even distance. Where they do, they begin the period above. */
#pragma once
#include "cycle_seq.h"

struct cycle_cut {
	uint32_t *at; /* places in seq.main */
	uint32_t n;
	bool tail; /* the last one is as whole as the others */
	uint32_t every; /* found: a period above of so many sections; else 0 */
	uint32_t odd; /* and the section that begins it */
};

/* Arrays by name and section that judging needs. */
struct cycle_judge {
	const struct cycle_seq *s;
	uint32_t *count,
		*before; /* by name: in this section, in the last one */
	uint32_t *sections; /* by name: how many have it */
	uint32_t *seen; /* by name: the last section that counted it, + 1 */
	uint32_t *names; /* of a section */
	double *like; /* by section */
	bool *odd; /* by section: unlike most */
};

/* In `a`, which is for scratch; room for cuts of `most` places. False where it
 * is full. */
bool cycle_judge_init(struct cycle_judge *j, const struct cycle_seq *s,
	uint32_t most, struct arena *a);

/* Whether a cut is a period. Fills c->tail; and c->every, where all but the
 * last condition holds. */
bool cycle_cut_is_period(struct cycle_judge *j, struct cycle_cut *c);

/* A section's stretch of the sequence; the last one goes to its end. */
struct slice cycle_cut_section(const struct cycle_seq *s,
	const struct cycle_cut *c, uint32_t i);
/* Whether all names of a stretch come in nearly every section, by the last
 * judgement. */
bool cycle_judge_own(const struct cycle_judge *j, const struct cycle_cut *c,
	struct slice r);
