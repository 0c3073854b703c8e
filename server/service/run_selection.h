/* run_selection.h - one side of a comparison, as runs.
 *
 * A side is ids ("3", "1,2", "job:4", any mix), or a query of words with spaces
 * between:
 *
 *   project=P workload=W label.KEY=V framework=F   what the runs have; a value
 *                                with spaces stands in double quotes
 *   since=MOMENT until=MOMENT    stored in [since, until)
 *   latest, last=N               the newest, or the newest N (latest where
 *                                neither is said): units, which are runs, or jobs
 *                                with all of theirs
 *
 * (query_words.h). Units come oldest first. A query of the base leaves out what is
 * in the head and what was stored after the head's first run, unless it says
 * `until`; so the same two words give the same runs later, while these are kept, but
 * for one whose ingest began before that of the head's first run and ended after the
 * query: `created_at` is a transaction's start. Of project and workload it takes what
 * it does not say from that run: other work is no baseline. A token's project is part
 * of every query. At most SIDE_RUNS runs a side. */
#pragma once
#include "service.h"
#include "compare_sides.h"

struct selected {
	const char *asked; /* as written */
	int64_t ids[SIDE_RUNS];
	uint32_t n;
};

/* Both sides of texts `base` and `head` (parameters of these names, or members
 * of a body); `given` is a query's words that hold for both where a side is a
 * query and does not say them itself, NULL none. ERR_INPUT where a text cannot be
 * read, ERR_NOT_FOUND where it finds no run: the sentence names the side. */
bool selector_sides(struct service_call *c, const char *base, const char *head,
	const char *given, struct selected *base_out, struct selected *head_out,
	struct err *e);
