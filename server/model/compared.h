/* compared.h - a run as a comparison reads it: what store/ keeps of it, or what
 * analyze/ found in its capture just now. */
#pragma once
#include "iterations.h"
#include "err.h"
#include "patterns.h"
#include "profile.h"

struct compared_run {
	int64_t id; /* 0: not stored */
	int64_t upload, job; /* job 0: of none */
	const char *name, *project, *workload,
		*labels; /* labels: JSON object */
	const char *format, *framework, *process_name, *host; /* NULL unknown */
	enum content content;
	int64_t pid; /* -1 unknown, likewise below */
	int32_t rank, world_size;
	int64_t started_utc_ns; /* when its first record began */
	int analysis_version;
	int64_t span_ns, busy_ns, kernel_ns, launches, graph_ns, graphs;
	const char *const *device_names;
	uint32_t device_names_n;
	struct notes notes;
	struct facts facts;
	struct iterations iterations;
	struct patterns patterns;
	struct collectives collectives;
	/* Statistics of the whole run by kernel, over all devices. A run that is
	 * only a table of statistics has nothing else for a comparison. */
	const char **stat_names;
	const struct time_stats *stats;
	uint32_t stats_n;
};

/* Fills *out from a profile; the texts and arrays are the profile's. The run has
 * no id, name or job yet. False if the arena is full. */
bool compared_from(const struct profile *p, struct arena *a,
	struct compared_run *out, struct err *e);
