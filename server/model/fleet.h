/* fleet.h - sums over many runs, and the figures of each operator from them.
 *
 * A cell contains the sums over the runs of one project, workload, platform and
 * framework in the selected days. It has one row per operator, type and phase
 * of these runs. Sums are whole numbers. Weighted sums may exceed 64 bits; they
 * are computed exactly and stored here as doubles. A run's weight g is the
 * number of GPU-hours that it represents, 1 by default. Its energy E is g times the
 * mean power of one of its GPUs. The formulas
 * are in analyze/importance/importance.h. */
#pragma once
#include "arena.h"
#include "cost.h"
#include "iterations.h"
#include <stdbool.h>
#include <stdint.h>

struct fleet_cell {
	const char *project, *workload, *platform, *framework; /* "" unknown */
	int64_t runs;
	double weight; /* sum of g, hours */
	double total_s, weighted_s; /* sums of T and of g * T, in seconds */
	double energy_kwh; /* sum of E; 0 if it was not read */
};

struct fleet_row {
	uint32_t cell; /* index */
	const char *op; /* NULL: unattributed */
	enum dtype dtype;
	enum phase phase;
	/* Runs that contain the operator. In the sum over the rows of one
	 * operator in a cell (one row per type and phase) each run counts
	 * once. */
	int64_t runs;
	int64_t launches, calls, bound_calls;
	double total_s; /* sum of t */
	double share; /* sum of t / T over its runs */
	double weighted_s, sized_s, bound_s, sol_s, compute_s, headroom_s,
		over_s; /* sums of g * each */
	double flops, bytes; /* sums of g * W (all types) and g * Q */
	double energy_kwh; /* sum of its part of E; 0 if it was not read */
};

/* How many different shapes with sizes an operator has over all runs. They are
 * counted only for a request that wants all of them. */
struct fleet_count {
	const char *op;
	int64_t shapes;
};

/* The cells contain all runs that match a request. A cell's total time includes
 * all types and phases, also those that the request does not select, so that
 * shares are shares of all GPU time. */
struct fleet {
	struct fleet_cell *cells;
	struct fleet_row *rows; /* by cell */
	struct fleet_count *counts; /* NULL if they were not counted */
	uint32_t cells_n, rows_n, counts_n;
	int64_t excluded; /* runs analyzed by versions without operators */
	int64_t left_out; /* runs whose names lag behind durations */
	/* If the energy was read: runs that would match, but whose energy is unknown;
	 * and runs of the cells whose energy is divided by GPU time, because that
	 * of their operators is unknown. */
	int64_t energy_unknown, split_by_time;
};

/* The best efficiency that the fleet reached for calls of one platform, operator,
 * type, leg and size class (cost_size_class()). */
struct fleet_best {
	const char *platform, *op;
	enum dtype dtype;
	enum leg leg;
	int size_class;
	double s; /* at most 1 */
	int64_t run; /* that reached it; 0: no longer there */
};
struct fleet_bests {
	struct fleet_best *rows; /* sorted by fleet_best_compare() */
	uint32_t n;
};

enum importance_weight {
	WEIGHT_TIME,
	WEIGHT_MEAN,
	WEIGHT_PRESENT,
	WEIGHT_ENERGY,
	WEIGHT_PUBLISHED
};

/* An operator on one platform. */
struct importance_place {
	const char *platform; /* "" unknown */
	int64_t calls, bound_calls;
	/* As in struct fleet_row, over the runs on this platform. sol_s and
	 * flops include only calls whose T_SOL is known. */
	double total_s, weighted_s, bound_s, sol_s, flops;
	/* bound_s and sol_s without weights; NaN if they cannot be computed. */
	double plain_bound_s, plain_sol_s;
};

struct importance_row {
	const char *op; /* NULL: unattributed */
	const char *dtypes,
		*phases; /* "bf16", "prefill/decode"; NULL unknown */
	int64_t shapes; /* different shapes with sizes; -1 not counted */
	double importance; /* the chosen weight, 0 to 1; NaN */
	double w_time, w_mean, w_present;
	double low,
		high; /* 95 % interval of `importance`; NaN: cannot be computed */
	int64_t runs; /* that contain the operator */
	double prevalence; /* share of all runs */
	enum leg leg; /* the leg of most of the time with a known T_SOL */
	double ai, s; /* W/Q and T_SOL/T over all time with a known T_SOL;
		NaN */
	double total_s; /* sum of t */
	double energy_kwh; /* NaN: another weight */
	double sized, bound; /* share of its time with sizes, with a T_SOL */
	double headroom; /* share of the fleet's GPU time that kernels at T_SOL
			 would save; NaN */
	double over; /* share of its time with S > 1 */
	bool collective;
	struct importance_place *places; /* most time first */
	uint32_t places_n;
};

struct importance {
	struct importance_row *rows; /* by importance, then name */
	uint32_t n;
	int64_t runs;
	double gpu_s, hours; /* sum of T; sum of g */
	double energy_kwh; /* sum of E; NaN: another weight */
	double attributed, specific; /* shares of all weighted time; NaN */
	double sized, bound; /* shares of the time of the rows, which is less
		than all time if a filter selects types or phases */
	uint32_t clusters; /* workloads, from which intervals are computed */
	const char
		*interval_why; /* a sentence if there are no intervals; NULL */
};
