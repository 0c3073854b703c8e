/* reanalyze.h - computes a run's iterations or layers again, as a request names them.
 *
 * What is stored of a run rests on the iterations and layers that were found. A request
 * may name others: then the run's capture is decoded and analyzed once more, as at
 * ingest. Memory is bounded, and so is how many requests do this at a time; the
 * caller has to be admitted (api/routing/concurrency_limit.h). */
#pragma once
#include "breakdown_params.h"
#include "compared.h"
#include "query_breakdown.h"
#include "service.h"

/* Replaces iterations, patterns and collectives of `run` by those of the ranges named
 * `range`; the arena's. The call has a connection, and keeps it. */
bool reanalyze_iterations(struct service_call *c, const char *range,
	struct compared_run *run, struct err *e);

/* The breakdown of a run as the request names it, likewise. Kernels have the ids of
 * the dictionary; -1 if it lacks the name. */
bool reanalyze_breakdown(struct service_call *c, int64_t run,
	const struct breakdown_params *params, struct breakdown_stored *out,
	struct err *e);
