/* kernel_profile.h - what a kernel profiler measured of kernels of a run.
 *
 * A kernel profile is no run: the profiler (Nsight Compute) executes each
 * kernel alone, several times and by default with clocks that are locked to
 * their base. Its figures are shown next to those of the run, and are never
 * added to them. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

enum kernel_figure {
#define KERNEL_FIGURE(name, heading, text) KERNEL_FIGURE_##name,
#include "kernel_figure.def"
#undef KERNEL_FIGURE
	KERNEL_FIGURES
};

enum stall_reason {
#define STALL_REASON(word, text, advice) STALL_##word,
#include "stall_reason.def"
#undef STALL_REASON
	STALL_REASONS
};

/* The word of a reason; its sentences. */
const char *stall_reason_word(enum stall_reason r);
const char *stall_reason_text(enum stall_reason r);
const char *stall_reason_advice(enum stall_reason r);

/* How a profiled kernel was found among those of a run. */
enum kernel_profile_match {
	KERNEL_PROFILE_UNMATCHED,
	KERNEL_PROFILE_NAME, /* by the full name */
	KERNEL_PROFILE_SPELLING, /* by the name in another spelling */
	KERNEL_PROFILE_BASE, /* by the name without arguments */
	KERNEL_PROFILE_SEVERAL, /* not: several kernels fit equally */
	KERNEL_PROFILE_MATCHES
};
extern const char *const kernel_profile_match_word[KERNEL_PROFILE_MATCHES];

/* The profiled launches of one kernel with the same grid and block. */
struct kernel_profile {
	const char *name; /* as in the file */
	int32_t grid[3], block[3]; /* -1 unknown */
	int64_t launches;
	/* Means over the launches that have the figure; NaN unknown. */
	double figure[KERNEL_FIGURES];
	/* Shares in percent of the cycles that warps spend between two
	 * instructions, over all launches that have stall reasons; all NaN if
	 * unknown. */
	double stall_pct[STALL_REASONS];
};

/* The contents of one or more files. */
struct kernel_profiles {
	struct kernel_profile *rows; /* in the order of the files */
	uint32_t n;
	int64_t launches;
	int64_t bad_lines; /* lines of the table that could not be read */
	int64_t bad_values; /* of known metrics: no number, or another unit */
	bool cut; /* the file ends inside a row */
};

/* A row of kernel_profiles as it belongs to a run. */
struct kernel_profile_row {
	const struct kernel_profile *is;
	enum kernel_profile_match match;
	uint32_t kernel; /* index into profile.kernels; UINT32_MAX: none */
};
