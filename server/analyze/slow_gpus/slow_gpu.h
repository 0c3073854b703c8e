/* slow_gpu.h - finds GPUs that execute the same work slower than others of the
 * fleet.
 *
 * A sample is the typical time of one kind of work in one run on one GPU. Kinds
 * of work (cells) are comparable launches, such as those of the same operator, shape
 * and type on the same platform. The model of a sample is
 *
 *   log time = cell + GPU + run + noise
 *
 * Cells and GPUs are estimated together, because not every GPU executes every
 * cell: a GPU that executes only slow operators is not slow. The fit alternates.
 * A cell is the median over GPUs of their medians, without their effects. A
 * run's deviation is the mean over its cells, weighted by 1 / (s^2 + m^2), where
 * s is the spread of a cell and m the median of these spreads, so that no cell
 * weighs more than twice a typical one. A GPU is the median over its runs. So
 * runs, not launches, are independent: two runs on one GPU differ by more than
 * the noise of their launches. A run on several GPUs is one run of each. What
 * its GPUs have in common makes the GPUs of a host differ less than others, and
 * accuses none of them (tests/sim: 8 GPUs per run). Effects are relative to the median GPU among
 * those that cells connect.
 *
 * A GPU is compared with what GPUs of this fleet differ by naturally (tau): the
 * deviation of all effects by Qn, of which nearly half of the GPUs may be
 * outliers, so slow GPUs do not hide themselves. The error of an effect is from
 * the larger of the spread of its own runs and that of the fleet's. The ratio of
 * both has Student's t with 0.82 (GPUs - 1) degrees of freedom: 0.82 is the
 * efficiency of Qn for normal values (Rousseeuw and Croux, 1993). p is one-sided
 * and adjusted by Holm over all judged GPUs. A GPU is slow if its adjusted p is
 * at most SLOW_GPU_ALPHA and its slowdown is at least SLOW_GPU_MARGIN.
 *
 * The slowdown is shrunk towards the median GPU: by the share of the error in
 * all variance, but by one standard error at most (limited translation, Efron
 * and Morris, 1972), so that the one slow GPU of many good ones is not shrunk
 * to nothing.
 *
 * tests/sim/README.md has the measured rates of found and of accused GPUs.
 *
 * What the model cannot see: a GPU that is slow in a few cells only, by less
 * than its runs differ; work that changed over time, if some GPUs executed only
 * the old or only the new version under one name. Callers put versions into
 * the cells as far as they know them. */
#pragma once
#include "arena.h"
#include <stdint.h>

/* Family-wise: of 100 fleets without a slow GPU, one may accuse a GPU. */
#define SLOW_GPU_ALPHA 0.01
/* The default margin of a comparison (verdict.h): nobody acts on less. */
#define SLOW_GPU_MARGIN 0.01
enum {
	/* Two runs that something else disturbed look like two runs of a slow
	 * GPU. Of a fleet in which 5 % of the runs take 10 to 50 % longer, two
	 * runs accuse a good GPU in 7 of 100 fleets, three runs in none. */
	SLOW_GPU_RUNS_MIN = 3,
	/* A median of two GPUs does not say which one is slow. */
	SLOW_GPU_CELL_GPUS_MIN = 3,
	/* The spread of five GPUs is known too badly: of fleets whose GPUs
	 * differ by 2 %, 1.6 % accused one. */
	SLOW_GPU_GPUS_MIN = 6,
};

enum slow_gpu_verdict {
	SLOW_GPU_SLOW,
	SLOW_GPU_NOT_SLOW, /* its interval is below the margin */
	SLOW_GPU_UNDECIDED,
	SLOW_GPU_NOT_JUDGED, /* for a reason */
	SLOW_GPU_VERDICTS
};
extern const char *const slow_gpu_verdict_word[SLOW_GPU_VERDICTS];

enum slow_gpu_reason {
	SLOW_GPU_JUDGED,
	SLOW_GPU_FEW_RUNS, /* fewer than SLOW_GPU_RUNS_MIN comparable ones */
	SLOW_GPU_NO_PEER, /* no cell of it has enough GPUs */
	SLOW_GPU_FEW_GPUS, /* its cells connect too few GPUs */
	SLOW_GPU_REASONS
};

struct slow_gpu_sample {
	uint32_t run, cell; /* indices */
	double log_value; /* natural logarithm of a time, or of 1 / clock */
};

struct slow_gpu_run {
	uint32_t gpu; /* index */
	/* A comparable clock is one of the same kind of work. */
	uint32_t clock_cell;
	double sm_clock_mhz; /* while kernels ran; NaN unknown */
	double throttled_pct; /* of the time power or heat held the clocks down;
			    NaN unknown */
};

struct slow_gpu_given {
	/* In the order of runs; at most one per run and cell. */
	const struct slow_gpu_sample *samples;
	const struct slow_gpu_run *runs; /* in the order of GPUs */
	uint32_t samples_n, runs_n, gpus_n, cells_n;
};

struct slow_gpu {
	enum slow_gpu_verdict verdict;
	enum slow_gpu_reason reason;
	uint32_t runs, cells; /* comparable ones */
	uint32_t peers; /* GPUs that its cells connect, itself among them */
	/* Relative, 0.03 is 3 % slower; NaN if not judged. */
	double slowdown; /* shrunk */
	double raw, low, high; /* not shrunk, with its 95 % interval */
	double p, p_adjusted;
	double detectable; /* the smallest slowdown that would be proven */
	/* The slowdown in parts; NaN if clocks are unknown. `clock` and `power`
	 * assume that time is proportional to 1 / clock, so they are upper
	 * bounds for work that waits for memory. `power`: the part of
	 * a lower clock in the share of time in which power or heat held it
	 * down; NaN with a known clock: not recorded, then `clock` is both. */
	double by_clock, by_power, by_neither;
	double clock_deficit; /* how much lower its clock is than the median
		GPU's; NaN unknown */
};

/* `out` has room for gpus_n. `deviations`, if not NULL, has room for samples_n
 * and gets each sample's difference to its cell; NaN for cells that were not
 * comparable. Deterministic, without I/O. The arena has no ceiling. */
void slow_gpus_from(const struct slow_gpu_given *g, struct arena *a,
	struct slow_gpu *out, double *deviations);
