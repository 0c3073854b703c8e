/* query_selected.h - the newest runs and jobs that a query finds. */
#pragma once
#include "query.h"

struct select_filter {
	/* NULL any. `within` is a project too: of all, also of a job's runs that
	 * nothing else asks about. `labels` is a JSON object. */
	const char *project, *within, *workload, *framework, *labels;
	int64_t since, until; /* stored in [since, until); NO_MOMENT open */
	const int64_t *without; /* neither these runs, nor jobs they are of */
	uint32_t without_n;
	int units; /* the newest so many: a run, or a job with all its runs */
};

/* Up to `most` ids, unit by unit, the oldest unit first, a job's by rank. A unit is
 * as new as its newest run that was asked for; of a job, runs stored at `until` or
 * later are left out. *more: they would be more. */
bool query_selected(struct db *db, const struct select_filter *f, uint32_t most,
	int64_t *ids, uint32_t *n, bool *more, struct err *e);

/* Of these runs the one that was stored first. ERR_NOT_FOUND names one that is not
 * there. */
struct selected_first {
	int64_t run, created;
	const char *project, *workload;
};
bool query_selected_first(struct db *db, struct arena *a, const int64_t *ids,
	uint32_t n, struct selected_first *out, struct err *e);
