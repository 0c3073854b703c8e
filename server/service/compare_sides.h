/* compare_sides.h - what a comparison works with: both sides' runs, and repeats of
 * their work.
 *
 * Whether the two sides make sense together is decided in analyze/compare. */
#pragma once
#include "compare.h"
#include "compared.h"
#include "query_compared.h"
#include "run_selection.h"

struct compared_sides {
	struct compared_run *base, *head;
	uint32_t base_n, head_n;
	const char *range; /* NULL: iterations as stored */
};

/* Reads both sides; the arena's. With a range, iterations and all that is known per
 * iteration are computed again from the runs' captures. */
bool sides_of(struct service_call *c, const struct selected *base,
	const struct selected *head, const char *range,
	struct compared_sides *s, struct err *e);

/* Stored repeats of either side's work; the call has a connection. */
bool repeats_read(struct service_call *c, const struct compared_sides *s,
	struct repeats *out, struct err *e);
/* The same from rows. Rows of a run follow each other; its functions come in any
 * order. */
void repeats_from(const struct repeat_row *rows, uint32_t n, struct arena *a,
	struct repeats *out);
