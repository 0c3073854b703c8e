/* reanalyze.h - computes the iterations or the layers of a run again, as a
 * request defines them.
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
