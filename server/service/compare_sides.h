/* compare_sides.h - what a comparison works with: both sides' runs, and repeats of
 * their work.
 *
 * Whether the two sides make sense together is decided in analyze/compare. */
#pragma once
#include "compare.h"
#include "compared.h"
#include "query_compared.h"
#include "run_selection.h"

struct compare_sides {
	struct compared_run *base, *head;
	uint32_t base_n, head_n;
	const char *range; /* NULL: iterations as stored */
};

/* Reads both sides; the arena's. With a range, iterations and all that is known per
 * iteration are computed again from the runs' captures. */
bool compare_sides_read(struct service_call *c,
	const struct run_selection *base, const struct run_selection *head,
	const char *range, struct compare_sides *s, struct err *e);

/* Stored repeats of either side's work; the call has a connection. */
bool compare_sides_repeats(struct service_call *c,
	const struct compare_sides *s, struct repeats *out, struct err *e);
/* The same from rows. Rows of a run follow each other; its functions come in any
 * order. */
void compare_sides_repeats_from(const struct repeat_row *rows, uint32_t n,
	struct arena *a, struct repeats *out);
