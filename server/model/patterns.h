/* patterns.h - what each function of a run took in each iteration, and what the
 * resources beside it did.
 *
 * β = Σ durations / iteration, in percent; it may pass 100 (several streams,
 * threads). μ = Σ u_i·d_i / Σ d_i over the function's executions i, with u_i the
 * mean of the counter's samples inside (three or more), else of its values at
 * start and end, interpolated; σ = √(Σ s_i²·d_i / Σ d_i) with s_i the
 * population deviation of the samples inside, 0 of fewer than two. An execution
 * that reaches beyond the samples, and holds fewer than three, counts for
 * neither. Definitions: definitions.md 2.3.
 *
 * Arrays run over patterns.iterations_n iterations; iteration[i] is the index of the i-th in
 * iterations.iterations. Usually that is every iteration; of very many an even choice. */
#pragma once
#include <stdint.h>

enum function_type {
#define FUNCTION_TYPE(code, word, where, what) FUNCTION_##code,
#include "function_type.def"
#undef FUNCTION_TYPE
	FUNCTION_TYPES
};

enum { PATTERN_SPREAD = 17 };

struct pattern {
	const char *name; /* a kernel as profile.kernels shows it; "Memcpy HtoD
		(Pageable -> Device)"; cudaStreamSynchronize; oncpu */
	enum function_type type;
	const char *device; /* "GPU 0", "Host" */
	int32_t number; /* the device's; -1 the host's, or unknown */
	/* Per iteration: sum and count of its executions, 0 if there was none; the
	 * shortest and longest, -1 where unknown or none. */
	int64_t *dur_ns, *launches, *min_ns, *max_ns;
	/* Over all kept iterations: PATTERN_SPREAD of its executions by length, evenly
	 * from the shortest to the longest; NULL where unknown. */
	int64_t *spread_ns;
	double *beta_pct; /* as given, NaN unknown; NULL: dur_ns / iteration */
};

/* What a metric's value of an iteration rests on. A table may have a row for it
 * without a value: then mu is NaN, and this is the basis it would have had. */
enum metric_basis {
	METRIC_SAMPLED, /* samples inside every execution */
	METRIC_PARTLY, /* inside some */
	METRIC_INTERPOLATED, /* inside none */
	METRIC_NO_ROW, /* no row for this iteration */
};

struct pattern_metric {
	uint32_t pattern; /* index into patterns.rows */
	const char *name; /* of the counter */
	/* Per iteration; NaN if it was not sampled or the function did not run. */
	double *mu, *sigma;
	uint8_t *interpolated; /* enum metric_basis */
};

struct patterns {
	uint32_t iterations_n;
	uint32_t *iteration;
	struct pattern
		*rows; /* time in all iterations descending, name, device */
	struct pattern_metric *metrics; /* by pattern, name */
	uint32_t n, metrics_n;
};

/* Of more iterations than this an even choice is stored, kept ones first; fewer
 * if functions times iterations would exceed the second limit. If metrics times
 * iterations exceed the third, only the functions that took longest have them. */
enum {
	PATTERNS_ITERATIONS_MAX = 2000,
	PATTERNS_CELLS_MAX = 4 << 20,
	PATTERNS_VALUES_MAX = 4 << 20,
};

/* Collectives one by one, in the order they began, so that ranks of a job can
 * be laid beside each other. */
struct collective {
	const char *name; /* as profile.kernels shows it */
	int32_t device;
	int64_t stream;
	uint32_t n;
	int64_t *start_ns, *dur_ns; /* from the run's first record */
};
struct collectives {
	struct collective *rows; /* by first start */
	uint32_t n;
};

/* A fact of the surroundings: "driver" "550.54.15". The names that
 * comparisons look at are listed in fact.def. */
struct fact {
	const char *name, *value;
};
struct facts {
	struct fact *rows; /* by name */
	uint32_t n;
};
