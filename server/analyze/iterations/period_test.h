/* period_test.h - tests whether sections of a process's kernels are iterations.
 *
 * The sequence holds kernels and opaque graphs by name, in order of their starts
 * over all devices and streams. Beside it are the places of the main stream, on
 * which a period is searched for: of the busiest device, the stream with most
 * launches. (The stream with most time may be the one on which collectives wait
 * for each other.)
 *
 * A cut is a list of places of the main stream. The sections are between each
 * place and the next, the head is before the first place and the tail behind the
 * last. A cut is a period if
 *
 *  - there are at least two sections, counting a tail that is like the section
 *    before it, and more than one name in a section;
 *  - sections are like their neighbors: half of them share 90 % of their
 *    launches by name (the weighted Jaccard index of the multisets), and all of
 *    them 70 % on average;
 *  - it is closed: a name of the run occurs in nine of ten sections, because what
 *    occurs once a step is in no layer. Either 80 % of the names do, and all
 *    that are in the head and tail; names that only the first section has,
 *    warming up, do not count if there are four or more sections. Or the rest
 *    is at most 0.5 % of launches and time; or 5 % of launches and 10 % of time if
 *    a section consists of smaller ones that repeat: a step does, a layer does
 *    not, and programs begin and end with something else;
 *  - nothing repeats above it: sections unlike most others do not recur at an
 *    even distance. If they do, they begin the outer period. */
#pragma once
#include "iteration_parts.h"

struct period_sequence {
	uint32_t n;
	uint32_t *name; /* a kernel's index, then numbers for graphs */
	int64_t *start_ns, *dur_ns;
	uint32_t names_n; /* names are below */
	uint32_t *main; /* places of that stream, ascending */
	uint32_t main_n;
	int64_t total_ns; /* of all durations */
};

/* In `a`, which is for scratch. False if it is full. */
bool period_test_sequence(struct period_sequence *s,
	const struct iteration_gpu *g, const uint32_t *kernel_of,
	uint32_t kernels_n, struct arena *a);

struct period_cut {
	uint32_t *at; /* places in seq.main */
	uint32_t n;
	bool tail; /* the last one is as whole as the others */
	uint32_t every; /* found: a period above of so many sections; else 0 */
	uint32_t odd; /* and the section that begins it */
};

/* Arrays by name and section that judging needs. */
struct period_test {
	const struct period_sequence *s;
	uint32_t *count,
		*before; /* by name: in this section, in the last one */
	uint32_t *sections; /* by name: how many have it */
	uint32_t *seen; /* by name: the last section that counted it, + 1 */
	uint32_t *names; /* of a section */
	double *like; /* by section */
	bool *odd; /* by section: unlike most */
};

/* In `a`, which is for scratch; room for cuts of `most` places. False if it is
 * full. */
bool period_test_init(struct period_test *j, const struct period_sequence *s,
	uint32_t most, struct arena *a);

/* Whether a cut is a period. Fills c->tail; and c->every, if all but the last
 * condition hold. */
bool period_test_cut(struct period_test *j, struct period_cut *c);

/* A section's stretch of the sequence; the last one ends with it. */
struct slice period_test_section(const struct period_sequence *s,
	const struct period_cut *c, uint32_t i);

/* Whether all names of a stretch come in nearly every section, by the last
 * judgement. */
bool period_test_own(const struct period_test *j, const struct period_cut *c,
	struct slice r);
