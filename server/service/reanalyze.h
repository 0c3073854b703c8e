/* reanalyze.h - computes what a request defines and the store does not have:
 * other iterations or layers of a run, its longest idle intervals, or the strips of
 * its timeline.
 *
 * The stored data of a run uses the iterations and layers that were detected.
 * If a request defines others, the run's capture is decoded and analyzed again,
 * as at ingest. The memory and the number of requests that do this at the same
 * time are bounded, and the caller must have been admitted
 * (api/routing/concurrency_limit.h). */
#pragma once
#include "breakdown_params.h"
#include "compared.h"
#include "query_breakdown.h"
#include "service.h"
#include "wait_causes.h"
#include "strips.h"

/* Replaces the iterations, patterns and collectives of `run` by those of the
 * ranges with the name `range`, in the arena. The request has a connection and
 * keeps it. */
bool reanalyze_iterations(struct service_call *c, const char *range,
	struct compared_run *run, struct err *e);

/* Computes the breakdown of a run as the request defines it, also from the
 * capture. Kernels have their ids in the dictionary; -1 if the dictionary lacks
 * the name. */
bool reanalyze_breakdown(struct service_call *c, int64_t run,
	const struct breakdown_params *params, struct breakdown_stored *out,
	struct err *e);

/* The longest idle intervals of a run. */
struct run_gaps {
	struct wait_gaps is;
	/* The names of `before` and `after` of each interval, two per interval.
	 * The id is -1 if the record is no kernel or the dictionary lacks its
	 * name. */
	struct breakdown_kernel *ends;
	const char
		*reason; /* why there are none; NULL if the run has no reason */
};

/* Finds the `most` longest idle intervals in the kept iterations of a run, as
 * they are stored. Decodes the capture and divides its idle time; nothing else
 * is analyzed. */
bool reanalyze_gaps(struct service_call *c, int64_t run,
	const struct iterations *iterations, uint32_t most,
	struct run_gaps *out, struct err *e);

/* Sorts the records of a run's capture into strips (strips.h), in the arena,
 * which has a ceiling. */
bool reanalyze_strips(struct service_call *c, int64_t run, struct arena *a,
	struct strips *out, struct err *e);
