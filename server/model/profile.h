/* profile.h - the result of analyzing one run: totals, and a line per kernel.
 *
 * analyze/ computes a profile from one process of a trace, and the store saves
 * it unchanged. Texts point into the trace's arena.
 *
 * The statistics are equal to those of nsys' cuda_gpu_kern_sum in every digit.
 * avg, med, stddev and the percentiles are already rounded to tenths of a
 * nanosecond, half away from zero. The standard deviation is that of a sample,
 * 0 for one instance. The median of an even number of values is the mean of the
 * two middle values. p90, p99 and the quartiles of the interquartile range are
 * linearly interpolated (type 7). Up to 2^49 ns (6.5 days) a double
 * preserves the tenths; above that, a value is the nearest double. */
#pragma once
#include "arena.h"
#include "breakdown.h"
#include "iterations.h"
#include "kernel_profile.h"
#include "note.h"
#include "operators.h"
#include "patterns.h"
#include "profile_time.h"
#include <stdbool.h>
#include <stdint.h>

/* The data from which a run's numbers are computed. */
enum content {
	CONTENT_LAUNCHES, /* single launches; the usual case */
	CONTENT_STATISTICS, /* a table computed by another tool; no launches */
	CONTENT_PATTERNS, /* shares per iteration, computed by another tool */
	CONTENT_DURATIONS, /* single calls without starts (note comm_no_start) */
};

/* How a table of kernels is split into rows. Every split is stored, because the
 * median of a kernel cannot be computed from the medians of its rows in a
 * split. */
enum split { SPLIT_NONE, SPLIT_DEVICE, SPLIT_GRID };

/* The family of a kernel and the place of its source code; NULL: unknown. */
struct kernel_source {
	const char *family; /* "elementwise (ATen)", "gemm (cuBLAS)", … */
	const char *defined_in, *launched_from; /* project/path */
	const char *known_from; /* the source of these paths */
};

/* A distinct GPU function of the run. */
struct profile_kernel {
	const char *name; /* demangled where it can be; valid UTF-8 */
	const char *mangled; /* the name in the trace, if it differs; or NULL */
	const char *short_name; /* without arguments, templates, namespaces */
	struct kernel_source source;
	const char *op; /* operator by name alone; NULL if no rule matches */
};

struct kernel_stat {
	uint32_t kernel; /* index into profile.kernels */
	enum split split;
	int32_t device; /* SPLIT_DEVICE; else -1 */
	int32_t grid[3], block[3]; /* SPLIT_GRID; else -1 */
	struct time_stats time;
	/* SPLIT_GRID: 1 + the index into operators.shapes of the only shape
	 * whose launches are in this row; 0 if there is none or several. */
	uint32_t shape;
	bool shapes_several;
	double time_pct; /* of the run's kernel time, to one decimal */
	const char *table_path; /* path in the row of an imported table; or
		NULL */
};

/* Replays of one CUDA graph that were recorded as one span each. Their kernels
 * are in no table, but their time is included in busy_ns. */
struct graph_stat {
	int64_t graph_id, graph_exec; /* -1 unknown */
	int32_t device;
	struct time_stats time;
};

/* Statistics of one of the four times of a launch_stat, in nanoseconds. avg,
 * med and stddev are rounded to tenths as above. Without launches, all values
 * are NaN or -1. */
struct spread {
	double avg_ns, med_ns, stddev_ns;
	int64_t min_ns, max_ns;
};

/* The times from a launch call on the host to the end of its kernel. The
 * members are the columns of nsys' cuda_kern_exec_sum, in its order. `queue` is
 * computed over the launches whose kernel began after the API call had
 * returned; `queued` is their number. */
struct launch_stat {
	const char *thread; /* as text in the trace; "" unknown */
	int32_t device;
	const char *api; /* without its _v suffix */
	uint32_t kernel; /* index into profile.kernels */
	int64_t instances, queued;
	struct spread total, api_call, queue, kernel_run;
};

/* A node in the tree of call paths that launched kernels. A path consists of
 * the annotations, modules, Python functions and operators that were open on
 * the launching thread, the outermost first. Node 0 is the root and has no
 * name. */
enum frame_kind { FRAME_ANNOTATION, FRAME_MODULE, FRAME_PYTHON, FRAME_OP };
struct frame {
	uint32_t parent; /* index, less than its own */
	enum frame_kind kind;
	const char *name;
};

/* Launches of a kernel by one path. */
enum caller_known {
	CALLER_PATH, /* `frame` is the innermost of the path */
	CALLER_NO_RANGE, /* the API call is known, but nothing was open */
	CALLER_NO_CALL, /* the trace does not contain the API call */
};
struct caller_stat {
	uint32_t kernel; /* index into profile.kernels */
	enum caller_known known;
	uint32_t frame; /* CALLER_PATH; else 0 */
	int64_t launches, total_ns;
};

/* The call paths of a stored run, or of one of its kernels. */
struct call_paths {
	const struct frame *frames; /* the first one is the root */
	const struct caller_stat *callers; /* `kernel`: index into kernels */
	const struct profile_kernel *kernels;
	const int64_t *ids; /* of the kernels in the store */
	uint32_t frames_n, callers_n, kernels_n;
};

/* Copies by direction, sets by kind: "[CUDA memcpy Host-to-Device]", … */
struct copy_stat {
	const char *operation;
	enum split split; /* SPLIT_NONE or SPLIT_DEVICE */
	int32_t device;
	struct time_stats time;
	double time_pct; /* of the run's copy and set time */
	int64_t bytes; /* sum over the operations whose size is known */
	int64_t sized; /* how many operations have a known size */
};

struct profile_device {
	int32_t number;
	const char *name; /* NULL unknown */
	int32_t sm_count, compute_major, compute_minor; /* -1 unknown */
	int64_t memory_bytes; /* -1 unknown */
	int64_t launches;
	int64_t busy_ns; /* union of kernel and graph spans; -1 unknown */
	/* The mean while kernels ran (device_clock.h); NaN unknown, with the
	 * reason in sm_clock_why. */
	double sm_clock_mhz;
	int64_t sm_clock_samples; /* while kernels ran; -1: the trace has none
		of this device at any time */
	const char *sm_clock_why;
	/* The same GPU has the same UUID everywhere (without the prefix "GPU-"),
	 * and the same PCI address on one host. NULL unknown. */
	const char *uuid, *bus_id;
	/* Of the samples while kernels ran, the share in which power or heat
	 * lowered the clocks; NaN unknown. */
	double throttled_pct;
	/* GPUs that the trace lists for the process, if it lists this one; 0
	 * unknown. */
	int32_t visible;
};

struct profile {
	struct arena *arena;

	enum content content;
	const char *format, *framework; /* framework NULL unknown */
	int64_t pid; /* -1 unknown */
	const char *process_name, *host; /* NULL unknown */
	int32_t rank, world_size; /* -1 unknown */
	int64_t started_utc_ns; /* since 1970; -1 if the trace has another
		clock */

	/* -1 unknown: imported tables and calls without starts have neither. */
	int64_t span_ns; /* first GPU record's start to last one's end */
	int64_t busy_ns; /* union of kernel and graph spans, all devices */
	int64_t kernel_ns, launches; /* sum of durations; count */
	int64_t copy_ns, copies; /* copies and sets */
	int64_t graph_ns, graphs; /* graph replays recorded as one span each */

	struct profile_kernel *kernels;
	struct kernel_stat *stats; /* by split, then nsys' order */
	struct copy_stat *copy_stats; /* likewise */
	struct profile_device *devices; /* by number */
	struct graph_stat *graph_stats; /* total descending, id, device */
	struct launch_stat *launch_stats; /* average total descending, … */
	struct frame *frames;
	struct caller_stat *callers; /* by kernel, total descending, frame */
	struct kernel_origin *origins; /* by kernel; only of some kernels */
	/* what a kernel profiler measured; not of this execution */
	struct kernel_profile_row *kernel_profiles;
	uint32_t kernels_n, stats_n, copy_stats_n, devices_n;
	uint32_t graph_stats_n, launch_stats_n, frames_n, callers_n;
	uint32_t origins_n, kernel_profiles_n;

	struct iterations iterations;
	struct wait_times waits;
	struct busy_times busy;
	struct energy_use energy;
	struct patterns patterns;
	struct collectives collectives;
	struct bus_sum bus[COLLECTIVE_KINDS];
	struct exchanges exchanges;
	struct facts facts;
	struct operators operators;
	struct kernel_groups groups;
	struct breakdown breakdown;

	struct notes notes; /* of the trace and of the analysis */
};

/* Increased when a change of the analysis changes the derived rows of an
 * unchanged trace. It is stored with each run, so that a comparison can report
 * that its runs were analyzed by different versions. */
#define ANALYSIS_VERSION 10
