/* compare_sides.h - the data of a comparison: the runs of both sides, and
 * stored repeats of them.
 *
 * analyze/compare decides whether the two sides can be compared. */
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

/* Reads both sides into the arena. With a range, iterations and all data per
 * iteration are computed again from the runs' captures. */
bool compare_sides_read(struct service_call *c,
	const struct run_selection *base, const struct run_selection *head,
	const char *range, struct compare_sides *s, struct err *e);

/* Reads stored repeats of the runs of either side; the request already has a
 * connection. `unit` is the label that names a run's
 * commit; NULL: not needed. */
bool compare_sides_repeats(struct service_call *c,
	const struct compare_sides *s, const char *unit, struct repeats *out,
	struct err *e);
/* As compare_sides_repeats(), from rows. The rows of a run are adjacent; its
 * functions are in any order. */
void compare_sides_repeats_from(const struct repeat_row *rows, uint32_t n,
	struct arena *a, struct repeats *out);
