/* query_fleet.h - what the GPU time of many runs was spent on, and on which GPUs.
 *
 * Sums are computed from the rollups and from the deltas that are not folded
 * into them yet, so they are always current. */
#pragma once
#include "fleet.h"
#include "operators.h"
#include "query.h"

struct fleet_filter {
	/* NULL: any. `labels` is a JSON object; rollups do not have labels, so
	 * with labels the sums are computed from the runs themselves. */
	const char *project, *workload, *framework, *platform, *labels;
	const char *op;
	int64_t shape; /* 0: any; only for query_fleet_shapes() */
	enum phase phase; /* PHASE_UNKNOWN: any */
	enum dtype dtype; /* DTYPE_UNKNOWN: any */
	int64_t since, until; /* NO_MOMENT open; whole days (UTC) that
		begin in [since, until) */
	/* Only runs whose energy is known, and their energy. Rollups have none,
	 * so the runs themselves are read, as with labels. */
	bool energy;
};
bool query_fleet(struct db *db, struct arena *a, const struct fleet_filter *f,
	struct fleet *out, struct err *e);

/* One side of pairs that one kernel could execute (struct fusion_pair). */
struct fleet_fusion_side {
	const char *op, *text; /* text NULL: sizes unknown */
	enum dtype dtype;
	int64_t shape; /* 0: sizes unknown */
	bool costed;
	struct cost cost; /* of a call */
	enum leg leg;
	double total_s;
	double hours; /* GPU-hours that its time represents */
};
/* Pairs over many runs that have all other members in common. */
struct fleet_fusion {
	struct fleet_fusion_side first, second;
	enum phase phase;
	const char *platform, *kind;
	enum fusion_consumers consumers;
	bool must_write;
	int64_t bytes; /* of the tensor; -1 unknown */
	int64_t pairs, replayed; /* all; those in CUDA graphs */
	double gap_s, gap_hours;
	const int64_t *runs; /* most time first */
	uint32_t runs_n;
};
/* The hours of a time are the run's weight times its share of the time from the
 * first GPU record to the last, over all devices of the run. */
struct fleet_fusions {
	struct fleet_fusion *rows;
	uint32_t n;
	int64_t runs; /* that match, with and without pairs */
	int64_t unknown; /* of these, runs whose pairs are unknown */
	double hours; /* that the runs represent */
};
/* All pairs of the runs that match, most time first. */
bool query_fleet_fusions(struct db *db, struct arena *a,
	const struct fleet_filter *f, struct fleet_fusions *out, struct err *e);

struct fleet_shape {
	int64_t id; /* 0: sizes unknown */
	const char *op, *platform, *text; /* text NULL: sizes unknown */
	enum dtype dtype;
	enum phase phase;
	int64_t runs, calls, launches;
	double total_s, weighted_s;
	/* Its part of the operator's headroom, weighted; NaN unknown, also if it
	 * is unknown for some of the calls with a roofline bound. */
	double headroom_s;
	double med_ns; /* median of a call, from the buckets: within 2.2 % */
	bool costed;
	bool all_costed; /* the cost of all calls is known */
	/* Collectives of several kinds, or some of unknown cost, have these
	 * sizes, so they have no common cost. */
	bool link_kinds;
	struct cost cost;
	double sol_ns; /* T_SOL of a call on its platform; NaN if unknown */
	enum leg leg;
};
enum fleet_shape_order {
	FLEET_SHAPES_TIME,
	FLEET_SHAPES_HEADROOM,
	FLEET_SHAPES_CALLS,
	FLEET_SHAPE_ORDERS
};
/* Which shapes of a request are read. */
struct fleet_shape_page {
	int64_t offset;
	int limit; /* 0: all */
	/* The largest value is first; `reverse`: the smallest. Unknown values
	 * are last in both. Equal rows are ordered by weighted time. */
	enum fleet_shape_order by;
	bool reverse;
	/* Words separated by spaces: the sizes, the type, the phase or the
	 * platform contain each of them, ignoring case. NULL: any. */
	const char *q;
};
struct fleet_shape_list {
	struct fleet_shape *rows; /* of the page */
	uint32_t n;
	int64_t matching; /* rows of all pages */
	/* The rows whose sizes are unknown: of all pages, and with any `q`. */
	struct fleet_shape_unknown {
		int64_t rows, calls;
		double total_s, weighted_s;
	} unknown;
};
/* Requires f->op. `page` may be NULL: all shapes, most time first. */
bool query_fleet_shapes(struct db *db, struct arena *a,
	const struct fleet_filter *f, const struct fleet_shape_page *page,
	struct fleet_shape_list *out, struct err *e);
/* All shapes of the operators that match and have a fleet-best in `bests`, in no
 * order; without `runs`, `launches`, `text` and `med_ns`. Labels are not
 * supported. */
bool query_fleet_bounds(struct db *db, struct arena *a,
	const struct fleet_filter *f, const struct fleet_bests *bests,
	struct fleet_shape **rows, uint32_t *n, struct err *e);

/* The newest runs of a request on each of their GPUs, and the shapes of each that
 * are compared between GPUs: of the operators with the most time
 * (DEVICE_SHAPE_OPERATORS), those with the most time (DEVICE_SHAPES). 10,000 are
 * 200 GPUs with 50 runs each, and make at most 100,000 rows of shapes. */
enum { FLEET_DEVICE_RUNS = 10000 };

/* A run on one of its GPUs. A run whose times by GPU are unknown, and one without
 * a GPU, has one of these. */
struct fleet_device_run {
	int64_t run;
	bool first; /* the first one of its run */
	/* Platform of the catalog, device name and number of SMs: GPUs that the
	 * catalog does not know, and partitions of a GPU, differ in these. */
	const char *model;
	const char *project, *workload, *platform, *framework; /* "" unknown */
	int64_t devices; /* of the run, that executed something */
	bool by_device; /* the times of its several devices are known */
	bool is_table; /* imported, without single calls */
	bool identified; /* a GPU of the run is known */
	/* The identity of the GPU (sql/views/device_line.sql); NULL unknown, or
	 * several GPUs whose times are unknown. */
	const char *gpu, *identified_by;
	/* Of the device; NULL and NaN unknown. */
	int64_t number;
	const char *host, *name, *uuid, *bus_id;
	double sm_clock_mhz, throttled_pct;
};
/* An operator call of known shape; not of a collective, which waits for other
 * GPUs. */
struct fleet_device_shape {
	uint32_t run; /* index */
	const char *op, *dtype, *phase; /* "" unknown */
	int64_t shape;
	double median_ns; /* over the calls of the run on the GPU */
};
struct fleet_devices {
	/* By GPU, then id, then device; those without a GPU come last. */
	struct fleet_device_run *runs;
	struct fleet_device_shape *shapes; /* by run */
	uint32_t runs_n, known_n, shapes_n; /* known_n: runs with a GPU */
	bool more; /* there are older runs, or other GPUs of the oldest */
};
/* f->op, dtype, phase and shape are not read. */
bool query_fleet_devices(struct db *db, struct arena *a,
	const struct fleet_filter *f, struct fleet_devices *out, struct err *e);
