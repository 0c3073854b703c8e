/* profile.h - what one run amounts to: totals, and a line per kernel.
 *
 * Made by analyze/ from one process of a trace, kept by store/save, and never
 * changed in between. Text points into the trace's arena. The statistics are
 * those of nsys' cuda_gpu_kern_sum, to the digit: avg, med, stddev and the
 * percentiles are already rounded to tenths of a nanosecond, half away from
 * zero; the standard deviation is the sample form, 0 for one instance; an
 * even count's median is the mean of the two middle values; p90, p99 and
 * the quartiles of the interquartile range are linearly interpolated (type 7). A double holds every tenth up to 2^49 ns (6.5
 * days); beyond, the nearest one. */
#pragma once
#include "arena.h"
#include "breakdown.h"
#include "iterations.h"
#include "note.h"
#include "operators.h"
#include "patterns.h"
#include "profile_time.h"
#include <stdbool.h>
#include <stdint.h>

/* What a run's numbers rest on. */
enum content {
	CONTENT_LAUNCHES, /* single launches, as a rule */
	CONTENT_STATISTICS, /* a table computed elsewhere; no launches */
	CONTENT_PATTERNS, /* shares per iteration, computed elsewhere */
};

/* What a table of kernels is split by; every split is stored, because medians
 * of parts do not add up to the median of the whole. */
enum split { SPLIT_NONE, SPLIT_DEVICE, SPLIT_GRID };

/* Where a kernel's source is; NULL = unknown. */
struct kernel_source {
	const char *family; /* "elementwise (ATen)", "gemm (cuBLAS)", … */
	const char *defined_in, *launched_from; /* project/path */
	const char *known_from; /* where that knowledge is from */
};

/* A distinct GPU function of the run. */
struct profile_kernel {
	const char *name; /* demangled where it can be; valid UTF-8 */
	const char *mangled; /* as the trace has it, if that differs; or NULL */
	const char *short_name; /* without arguments, templates, namespaces */
	struct kernel_source source;
	const char *op; /* by name alone; NULL no rule knows it */
};

struct kernel_stat {
	uint32_t kernel; /* index into profile.kernels */
	enum split split;
	int32_t device; /* SPLIT_DEVICE; else -1 */
	int32_t grid[3], block[3]; /* SPLIT_GRID; else -1 */
	struct time_stats time;
	double time_pct; /* of the run's kernel time, to one decimal */
	const char *table_path; /* path next to it in a table; NULL none */
};

/* Replays of one CUDA graph that were recorded whole: their kernels are in no
 * table, their time is in busy_ns. */
struct graph_stat {
	int64_t graph_id, graph_exec; /* -1 unknown */
	int32_t device;
	struct time_stats time;
};

/* One of the four times of a launch_stat, over its launches: nanoseconds, avg,
 * med and stddev in tenths as above; all NaN and -1 over none. */
struct spread {
	double avg_ns, med_ns, stddev_ns;
	int64_t min_ns, max_ns;
};

/* From the call on the host to the end of its kernel: nsys'
 * cuda_kern_exec_sum, whose columns and order these are. `queue` is over the
 * `queued` launches whose kernel began after the call had returned. */
struct launch_stat {
	const char *thread; /* the trace's text of it, "" unknown */
	int32_t device;
	const char *api; /* without its _v suffix */
	uint32_t kernel; /* index into profile.kernels */
	int64_t instances, queued;
	struct spread total, api_call, queue, kernel_run;
};

/* A node of the tree of paths that launched kernels: annotations, modules,
 * Python functions and operators that were open on the launching thread, the
 * outermost first. Node 0 is the root and has no name. */
enum frame_kind { FRAME_ANNOTATION, FRAME_MODULE, FRAME_PYTHON, FRAME_OP };
struct frame {
	uint32_t parent; /* index, less than its own */
	enum frame_kind kind;
	const char *name;
};

/* Launches of a kernel by one path. */
enum caller_known {
	CALLER_PATH, /* `frame` is the innermost of the path */
	CALLER_NO_RANGE, /* the call is known, nothing was open around it */
	CALLER_NO_CALL, /* no call in the trace launched it */
};
struct caller_stat {
	uint32_t kernel; /* index into profile.kernels */
	enum caller_known known;
	uint32_t frame; /* CALLER_PATH; else 0 */
	int64_t launches, total_ns;
};

/* Copies by direction, sets by kind: "[CUDA memcpy Host-to-Device]", … */
struct copy_stat {
	const char *operation;
	enum split split; /* SPLIT_NONE or SPLIT_DEVICE */
	int32_t device;
	struct time_stats time;
	double time_pct; /* of the run's copy and set time */
	int64_t bytes; /* of those whose size is known */
	int64_t sized; /* how many those are */
};

struct profile_device {
	int32_t number;
	const char *name; /* NULL unknown */
	int32_t sm_count, compute_major, compute_minor; /* -1 unknown */
	int64_t memory_bytes; /* -1 unknown */
	int64_t launches;
	int64_t busy_ns; /* union of kernel and graph spans; -1 unknown */
};

struct profile {
	struct arena *arena;

	enum content content;
	const char *format, *framework; /* framework NULL unknown */
	int64_t pid; /* -1 unknown */
	const char *process_name, *host; /* NULL unknown */
	int32_t rank, world_size; /* -1 unknown */
	int64_t started_utc_ns; /* since 1970; -1 where the clock is another */

	/* -1 unknown: tables have neither. */
	int64_t span_ns; /* first GPU record's start to last one's end */
	int64_t busy_ns; /* union of kernel and graph spans, all devices */
	int64_t kernel_ns, launches; /* sum of durations; count */
	int64_t copy_ns, copies; /* copies and sets */
	int64_t graph_ns, graphs; /* replays recorded whole */

	struct profile_kernel *kernels;
	struct kernel_stat *stats; /* by split, then nsys' order */
	struct copy_stat *copy_stats; /* likewise */
	struct profile_device *devices; /* by number */
	struct graph_stat *graph_stats; /* total descending, id, device */
	struct launch_stat *launch_stats; /* average total descending, … */
	struct frame *frames;
	struct caller_stat *callers; /* by kernel, total descending, frame */
	uint32_t kernels_n, stats_n, copy_stats_n, devices_n;
	uint32_t graph_stats_n, launch_stats_n, frames_n, callers_n;

	struct iterations iterations;
	struct patterns patterns;
	struct collectives collectives;
	struct facts facts;
	struct operators operators;
	struct kernel_groups groups;
	struct breakdown breakdown;

	struct notes notes; /* the trace's and the analysis' */
};

/* Increased when the same trace would give other derived rows; stored with each
 * run, so that a comparison across versions can say so. */
#define ANALYSIS_VERSION 5
