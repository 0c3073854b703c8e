/* compared.h - a run as a comparison reads it. The data are read from the
 * store, or computed by analyze/ from a capture that is not stored. */
#pragma once
#include "iterations.h"
#include "err.h"
#include "patterns.h"
#include "profile.h"

struct compared_run {
	int64_t id; /* 0: not stored */
	int64_t upload, job; /* job 0: the run belongs to no job */
	const char *name, *project, *workload,
		*labels; /* labels: JSON object */
	const char *format, *framework, *process_name, *host; /* NULL unknown */
	enum content content;
	int64_t pid; /* -1 unknown, likewise below */
	int32_t rank, world_size;
	int64_t started_utc_ns; /* start of its first record */
	int analysis_version;
	int64_t span_ns, busy_ns, kernel_ns, launches, graph_ns, graphs;
	const char *const *device_names;
	uint32_t device_names_n;
	/* A GPU that it used and that is recorded as slow, and how much slower
	 * than others it is, relative; NULL: none. */
	const char *slow_gpu;
	double slow_gpu_slowdown;
	struct notes notes;
	struct facts facts;
	struct iterations iterations;
	/* Measures of a benchmark that were attached to the run; 0: none. The
	 * mean time per output token, and the accepted tokens per iteration and
	 * sequence of speculative decoding. */
	double tpot_ns, accept_length;
	/* By cause, then by iteration: its idle time. NULL: unknown. */
	const int64_t *idle_cause_ns[WAIT_CAUSES];
	struct patterns patterns;
	struct collectives collectives;
	struct exchanges exchanges; /* set only for jobs */
	/* Statistics per kernel over the whole run and all devices. They are
	 * set only for a run that was imported as a table of statistics, which
	 * has no other data for a comparison. */
	const char **stat_names;
	const struct time_stats *stats;
	/* Set only where runs are compared: whether the kernel is a
	 * collective. */
	const bool *stat_collective;
	uint32_t stats_n;
};

/* Fills *out from a profile. *out refers to the texts and arrays of the
 * profile. It has no id, name or job yet. Returns false if the arena is
 * full. */
bool compared_from(const struct profile *p, struct arena *a,
	struct compared_run *out, struct err *e);
