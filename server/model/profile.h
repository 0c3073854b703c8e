/* profile.h - what one run amounts to: totals, and a line per kernel.
 *
 * Made by analyze/ from one process of a trace, kept by store/save, and never
 * changed in between. Text points into the trace's arena. The statistics are
 * those of nsys' cuda_gpu_kern_sum, to the digit: avg, med, stddev and the
 * percentiles are already rounded to tenths of a nanosecond, half away from
 * zero; the standard deviation is the sample form, 0 for one instance; an
 * even count's median is the mean of the two middle values; p90 and p99 are
 * linearly interpolated (type 7). A double holds every tenth up to 2^49 ns (6.5
 * days); beyond, the nearest one. */
#pragma once
#include "arena.h"
#include "note.h"
#include <stdbool.h>
#include <stdint.h>

/* What a table of kernels is split by; every split is stored, because medians
 * of parts do not add up to the median of the whole. */
enum split { SPLIT_NONE, SPLIT_DEVICE, SPLIT_GRID };

struct time_stats {
	int64_t instances;
	int64_t total_ns, min_ns, max_ns;
	double avg_ns, med_ns, stddev_ns, p90_ns, p99_ns; /* in tenths */
};

/* Where a kernel's source is, as far as somebody knows; NULL = unknown. */
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
};

struct kernel_stat {
	uint32_t kernel; /* index into profile.kernels */
	enum split split;
	int32_t device; /* SPLIT_DEVICE; else -1 */
	int32_t grid[3], block[3]; /* SPLIT_GRID; else -1 */
	struct time_stats time;
	double time_pct; /* of the run's kernel time, to one decimal */
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
	int64_t launches, busy_ns; /* kernels; union of their spans */
};

struct profile {
	struct arena *arena;

	const char *format, *framework; /* framework NULL unknown */
	int64_t pid; /* -1 unknown */
	const char *process_name, *host; /* NULL unknown */
	int32_t rank, world_size; /* -1 unknown */
	int64_t started_utc_ns; /* since 1970; -1 where the clock is another */

	int64_t span_ns; /* first GPU record's start to last one's end */
	int64_t busy_ns; /* union of kernel spans over all devices */
	int64_t kernel_ns, launches; /* sum of durations; count */
	int64_t copy_ns, copies; /* copies and sets */

	struct profile_kernel *kernels;
	struct kernel_stat *stats; /* by split, then nsys' order */
	struct copy_stat *copy_stats; /* likewise */
	struct profile_device *devices; /* by number */
	uint32_t kernels_n, stats_n, copy_stats_n, devices_n;

	struct notes notes; /* the trace's and the analysis' */
};

/* Goes up when the same trace would give other derived rows; stored with each
 * run, so that a comparison across versions can say so. */
#define ANALYSIS_VERSION 1
