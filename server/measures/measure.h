/* measure.h - the results of a benchmark: latencies, throughput, loss.
 *
 * The results of the benchmark that ran while a run was recorded can be attached to
 * the run. A measure has a name, a finite value and a unit. measure.def lists the names
 * whose meaning is known; their values are converted into the unit of the list. Any
 * other name is kept with its value and its unit, which is one of
 * measure_unit.def.
 *
 * A file is one of these:
 *
 * - a result of vLLM (vllm bench serve, benchmark_serving.py) or SGLang
 *   (bench_serving): a JSON object, or one line of the latter's file
 * - the JSON export of AIPerf or GenAI-Perf (profile_export_*.json)
 * - the summary of MLPerf LoadGen (mlperf_log_summary.txt)
 * - lines NAME=VALUE UNIT; UNIT is missing if the value is a plain number.
 *   Empty lines, and lines that begin with #, are skipped.
 *
 * If no request was completed, vLLM and SGLang write 0 for all latencies; such a file
 * is refused. They also write 0 for a latency that no request has, such as tpot of
 * answers with one token; such a latency is not read.
 *
 * A statistic is mean, median, min, max or a percentile such as p99 or p99.9; p50 is
 * stored as median, and avg as mean. Of a file of a tool, other statistics, settings,
 * and lists of single requests are not read, and neither are values that are null. The
 * tools define some measures differently, so `source` says which one it was. A result
 * that LoadGen calls invalid is refused. */
#pragma once
#include "arena.h"
#include <stdint.h>

enum {
	MEASURE_FILE_MAX = 16 << 20, /* bytes; lists of 100,000 requests fit */
	MEASURES_MAX = 200, /* of a run */
	MEASURE_NAME_MAX = 100, /* bytes */
};

enum measure_source {
#define MEASURE_SOURCE(name, text) MEASURE_SOURCE_##name,
#include "measure_source.def"
#undef MEASURE_SOURCE
	MEASURE_SOURCES
};
extern const char *const measure_source_word[MEASURE_SOURCES];

struct measure {
	const char *name, *unit;
	double value;
};

struct measure_list {
	enum measure_source source;
	struct measure *rows; /* by their place in the file; each name once */
	uint32_t n;
};

/* Reads a file; the arena owns the result. ERR_INPUT with a sentence that names the
 * line or the measure if it is no such file, if a number is not finite or above
 * 1e100 (a time: 1e12 ms), if a latency or another measure with a unit is negative, if a unit is
 * unknown or does not fit, or if a name has two values. */
bool measure_read(const char *bytes, size_t len, struct arena *a,
	struct measure_list *out, struct err *e);

enum measure_better { MEASURE_NEITHER, MEASURE_LOWER, MEASURE_HIGHER };
/* What the name means, and which values are better. NULL: the name is not known. */
const char *measure_meaning(struct arena *a, const char *name,
	enum measure_better *better);
