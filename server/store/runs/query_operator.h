/* query_operator.h - the operators on which the GPU time of a run was spent. */
#pragma once
#include "query.h"
#include "sha256.h"

struct run_operators {
	const char *platform; /* NULL unknown */
	const char *catalog; /* version of the catalog of the run's analysis;
		NULL if there are no operators */
	bool searched; /* whether the analysis searched for operators, as all do
		from version 4 on; without a catalog, it had no GPU work */
	int64_t gpu_ns, replayed, replayed_known;
	/* As in struct operators; both are unknown if the run was analyzed
	 * before clocks were. */
	double sm_clock_mhz;
	const char *sm_clock_why;
	struct operator_stat *rows;
	uint32_t n;
};
bool query_operators(struct db *db, struct arena *a, int64_t run,
	struct run_operators *out, struct err *e);

/* Counts the runs that were analyzed with another version of the catalog. */
bool query_outdated(struct db *db, const char *catalog, int64_t *runs,
	struct err *e);

struct shape_filter {
	int64_t run;
	const char *op; /* NULL: unattributed */
	bool named; /* all operators that have a name; `op` is NULL */
	int64_t offset;
	int limit; /* 0: all */
};
/* shape_stat.operator_ is the index of the row in query_operators(). */
bool query_shapes(struct db *db, struct arena *a, const struct shape_filter *f,
	struct shape_stat **rows, uint32_t *n, bool *more, struct err *e);

/* A shape with a roofline bound. */
struct bound_shape {
	uint32_t operator_; /* index of the row in query_operators() */
	enum leg leg;
	int size_class; /* cost_size_class(); -1 in rows from before */
	int64_t total_ns;
	double s; /* T_SOL / mean time; NaN if the mean is 0 */
};
/* Lists the shapes of a run that have a roofline bound. */
bool query_bound_shapes(struct db *db, struct arena *a, int64_t run,
	struct bound_shape **rows, uint32_t *n, struct err *e);

/* A shape whose W and Q are known; no collective. */
struct costed_shape {
	uint32_t operator_; /* index of the row in query_operators() */
	struct cost cost; /* of one call */
	int64_t calls, total_ns;
	int64_t kept_calls, kept_ns; /* in kept iterations; -1 unknown */
	struct recomputed recomputed, kept_recomputed;
};
/* These shapes of a run, and the times with which their work is compared. */
struct costed_shapes {
	struct costed_shape *rows;
	uint32_t n;
	int64_t devices; /* of the run */
	int64_t span_ns; /* -1 unknown */
	int64_t kept_ns; /* from start to end of the kept iterations; -1: the
		run has none */
	int64_t kept_gpu_ns; /* GPU time of all calls in them; -1: the run was
		analyzed before that was stored */
};
bool query_costed_shapes(struct db *db, struct arena *a, int64_t run,
	struct costed_shapes *out, struct err *e);

struct unattributed_line {
	int64_t kernel; /* id in the dictionary */
	const char *name, *short_name, *family;
	int64_t launches, total_ns, runs; /* runs: 1 if one run was given */
	int64_t names; /* 1; more if service/ united kernels */
};
/* Lists the unattributed kernels of a run, or of all runs (0), the most time
 * first. */
bool query_unattributed(struct db *db, struct arena *a, int64_t run, int limit,
	struct unattributed_line **rows, uint32_t *n, struct err *e);

/* Sets runs[i] to the number of runs that have at least one of the kernels of
 * set i unattributed. Kernel k is in set set_of[k] < sets. */
bool query_unattributed_runs(struct db *db, const int64_t *kernels,
	const uint32_t *set_of, uint32_t n, int64_t *runs, uint32_t sets,
	struct err *e);

struct replayed_graph {
	struct graph_match is; /* without a sketch */
	char graph[SHA256_HEX]; /* its key */
	int64_t source_run; /* a run that recorded the capture; -1: none, it was
		deleted, or it may not be named */
};
/* Lists the graphs of a run whose replays were recorded with their kernels, the
 * most kernels first. With a project, only its runs are named. */
bool query_replayed_graphs(struct db *db, struct arena *a, int64_t run,
	const char *project, struct replayed_graph **rows, uint32_t *n,
	struct err *e);

struct operator_time_row {
	int64_t run;
	const char *op; /* NULL: unattributed */
	/* As a fraction (0..1) of the run's GPU time, over all types and
	 * phases. headroom is NaN if no call's T_SOL is known. */
	double share, headroom;
};
/* Reads the operators of several runs, sorted by run and operator; the
 * unattributed time comes last. */
bool query_operator_times(struct db *db, struct arena *a, const int64_t *runs,
	uint32_t n, struct operator_time_row **rows, uint32_t *rows_n,
	struct err *e);

/* Reads the time of the operators of several runs, without collectives, sorted by
 * operator and run; the unattributed time comes last. */
bool query_run_operator_times(struct db *db, struct arena *a,
	const int64_t *runs, uint32_t n, struct run_operator_time **rows,
	uint32_t *rows_n, struct err *e);
