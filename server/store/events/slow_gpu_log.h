/* slow_gpu_log.h - which GPUs were found to be slow, and how far the runs of each
 * project were searched for them.
 *
 * A GPU stays recorded until a search finds that it is not slow. A search that
 * cannot decide changes nothing. */
#pragma once
#include "db.h"

struct slow_gpu_due {
	const char *project; /* NULL: nothing is due */
	int64_t newest; /* the project's newest run now */
};
/* Finds the next project (by name, after `after`; NULL: the first) with enough
 * runs that no search has seen: one in 20 of those that the last search read,
 * at most 100. So a search, which reads up to 10,000 runs, costs the same per
 * run in a large project. Of each project only the newest 100 runs are counted,
 * and none if its newest run was seen. Runs of other projects do not displace
 * them. Reads the projects up to the one that it finds. */
bool slow_gpu_log_due(struct db *db, struct arena *a, const char *after,
	struct slow_gpu_due *out, struct err *e);

struct slow_gpu_record {
	const char *gpu;
	bool slow; /* false: found not to be slow */
	double slowdown; /* relative */
	const char *body; /* of the event, if it is slow */
};
/* In one transaction: records the GPUs, posts an event for each slow one that was
 * not recorded before, and records that the project was searched, with the
 * number of runs that were read. */
bool slow_gpu_log_record(struct db *db, const struct slow_gpu_due *d,
	const struct slow_gpu_record *records, uint32_t n, int64_t runs,
	struct err *e);
