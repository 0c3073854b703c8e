/* reanalyze.h - cycles and layers that somebody names: a run's capture, read and
 * cut anew.
 *
 * What is stored of a run goes by the cycles and layers that were found. What a
 * request names in their place makes others, so the run's capture becomes a trace
 * once more and goes the way of an ingest. That takes memory, which is bounded,
 * and time: only so many may be at it at once (heavy.h). */
#pragma once
#include "breakdown_asked.h"
#include "compared.h"
#include "service.h"
#include "query_breakdown.h"

/* Puts cycles, patterns and collectives by ranges of the name `range` in place
 * of those that `run` has; what it puts there is the call's arena's. The call
 * has its connection, and keeps it. */
bool ranged_read(struct service_call *c, const char *range,
	struct compared_run *run, struct err *e);

/* The breakdown of a run as it is asked for, likewise. Its kernels have the ids
 * of the dictionary; -1 where that has no such name. */
bool ranged_layers(struct service_call *c, int64_t run,
	const struct breakdown_asked *asked, struct breakdown_stored *out,
	struct err *e);
