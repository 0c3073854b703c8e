/* pattern_runs.h - which process a row of patterns or counters belongs to.
 *
 * A pid on a host is a process. Counters name their process at the end of
 * their name (process_mem_rss_4711) or none; those are of the host, and so of
 * each of its processes. */
#pragma once
#include "trace.h"

struct sample {
	int64_t at_ns; /* since 1970 */
	double value;
	uint32_t name, host;
};

struct pattern_runs {
	struct trace *trace;
	struct names keys; /* pid and host → process + 1 */
	struct names pids, hosts;
	uint32_t *of_host; /* by id in `hosts`: the last process + 1 */
	uint32_t *before; /* by process: the one before it on its host + 1 */
	uint32_t cap;
	struct sample *samples;
	uint32_t samples_n, samples_cap;
};

bool pattern_runs_init(struct pattern_runs *r, struct trace *t);

/* A process's index, added if new; NAMES_NONE where the arena is full,
 * PATTERN_RUNS_MAX where there are too many. */
enum { PATTERN_RUNS_MAX = 4096 };
uint32_t pattern_runs_of(struct pattern_runs *r, int64_t pid, uint32_t host);

/* Keeps a sample until all processes are known; then adds all to the trace. */
bool pattern_runs_sample(struct pattern_runs *r, const struct sample *s);
bool pattern_runs_finish(struct pattern_runs *r);
