/* rank_match.h - the collectives of several runs, laid beside each other. */
#pragma once
#include "arena.h"
#include "compared.h"

/* The k-th collective of a name on each of the runs. */
struct rank_match {
	const char *name;
	uint32_t count; /* on each run */
	int64_t **start_ns, **dur_ns; /* [run][k], by start */
	int64_t *least_ns; /* [k]: the shortest */
};

struct rank_matches {
	struct rank_match *list; /* in order of first sight */
	uint32_t n;
	uint32_t unmatched; /* as ranks.unmatched */
};

/* Of runs in this order; the arena has no ceiling. */
void rank_match_from(const struct compared_run *const *runs, uint32_t n,
	struct arena *a, struct rank_matches *out);
