/* fleet_importance.h - importance of operators and their shapes, as the API
 * shows it. The source is the runs stored here, or a reference set with its
 * figures as published.
 *
 * All data is in the arena. NaN, NULL and -1 mean unknown. */
#pragma once
#include "query_fleet.h"
#include "catalog.h"
#include "importance.h"
#include "query_operator.h"
#include "reachable.h"
#include "reference.h"

/* Figures on one platform. For a fleet they are means over calls; for a
 * reference set they are those of the median shape. */
struct fleet_importance_place {
	double sol_us, prod_us, flops_per_s;
};

struct fleet_importance_row {
	const char *op; /* NULL: unattributed */
	const char *id, *what, *group, *dtype, *phase, *regime;
	int64_t shapes, runs;
	double importance, w_time, w_mean, w_present, low, high;
	double prevalence, total_s, energy_kwh, ai, s, s_median;
	double sized, bound, headroom, over; /* shares */
	double reachable; /* reachable headroom, as a share of all GPU time */
	double reachable_known; /* share of its time with a fleet-best */
	const struct fleet_best *best; /* of its shape with the most reachable
		headroom; NULL unknown */
	int collective; /* 0, 1; -1 unknown */
	const struct fleet_importance_place
		*places; /* by platform of the list */
};

struct fleet_importance {
	const char *set, *source; /* NULL: the runs stored here */
	enum importance_weight weight;
	int64_t runs, excluded, left_out, clusters;
	int64_t energy_unknown, split_by_time; /* -1: another weight */
	double gpu_s, hours, energy_kwh;
	double attributed, specific, sized, bound, headroom; /* shares */
	double reachable;
	const char *interval_why;
	const struct platform *const *platforms;
	struct fleet_importance_row *rows;
	uint32_t n, platforms_n;
	/* number of operators whose mean call time is unknown */
	uint32_t untold;
};

/* `part`: the fleet was filtered by type or phase, so that the attributed share
 * of all GPU time is unknown. */
void fleet_importance_from_fleet(const struct fleet *f,
	const struct importance *is, enum importance_weight weight, bool part,
	const struct catalog *c, struct arena *a, struct fleet_importance *out);
/* Adds the reachable headroom of the shapes, which are those of all operators of
 * the fleet. */
void fleet_importance_reachable(struct fleet_importance *m,
	const struct fleet *f, const struct fleet_shape *shapes, uint32_t n,
	const struct fleet_bests *bests, struct arena *a);
void fleet_importance_from_set(const char *name, const struct reference *r,
	const struct catalog *c, struct arena *a, struct fleet_importance *out);

/* Keeps the rows whose name or description contains `q`, ignoring case; NULL
 * keeps all. */
void fleet_importance_search(struct fleet_importance *m, const char *q);
/* Keeps the rows of a reference set with this type and phase; DTYPE_UNKNOWN and
 * NULL match any. */
void fleet_importance_filter(struct fleet_importance *m, enum dtype dtype,
	const char *phase);

enum fleet_importance_order {
	SORT_IMPORTANCE,
	SORT_TIME,
	SORT_RUNS,
	SORT_SHAPES,
	SORT_AI,
	SORT_S,
	SORT_HEADROOM,
	SORT_REACHABLE,
	SORT_NAME
};
/* Numbers descend and names ascend; `reverse` inverts both. Unknown values
 * always come last. Equal rows are ordered by name. */
void fleet_importance_sort(struct fleet_importance *m,
	enum fleet_importance_order by, bool reverse);

/* A shape of an operator, from a fleet or from a reference set. */
struct fleet_importance_shape {
	int64_t id, calls, runs; /* id -1: sizes unknown */
	const char *description, *text, *kwargs; /* kwargs: JSON */
	const char *dtype, *phase, *platform, *regime, *why;
	double total_s, share, ai;
	/* T_SOL / T, where T is the median of a call, and where it is the mean,
	 * as in the figure of the operator; NaN unknown. */
	double s, s_mean;
	/* Of all the GPU-hours that the runs represent; NaN unknown. */
	double headroom_hours, reachable_hours;
	const struct fleet_best *best; /* NULL unknown */
	bool costed;
	bool pytorch; /* there is a script: pytorch_script.h */
	struct cost cost;
	const struct fleet_importance_place
		*places; /* by platform of the list */
};

struct fleet_importance_shapes {
	const char *set, *op, *id, *what;
	double s_median;
	const struct platform *const *platforms;
	struct fleet_importance_shape *rows;
	uint32_t n, platforms_n;
	/* Of all pages, with the operator's weighted share of their time. */
	int64_t matching; /* rows */
	struct fleet_shape_unknown unknown;
	double unknown_share;
};

/* What the figures of shapes are computed from, other than the shapes. */
struct fleet_importance_base {
	const struct fleet *fleet; /* of the operator */
	const struct fleet_bests *bests; /* sorted by reachable_sort() */
	const struct catalog *catalog;
	const struct platform *against; /* T_SOL is computed for it, too; or
		NULL */
};

void fleet_importance_shapes_from_fleet(const struct fleet_shape_list *l,
	const struct fleet_importance_base *base, struct arena *a,
	struct fleet_importance_shapes *out);
void fleet_importance_shapes_from_set(const struct reference *r,
	const struct reference_operator *o, struct arena *a,
	struct fleet_importance_shapes *out);

/* "compute" or "memory"; NULL if unknown. */
const char *fleet_importance_regime(enum leg leg);
/* The value sorted[n/2] of the n values that are known; reorders `v`. NaN if
 * none is known. */
double fleet_importance_median(double *v, uint32_t n);
/* The number of operations, over all types. */
double fleet_importance_flops(const struct cost *c);
/* The percentage of `whole`; NaN if `whole` is 0. */
double fleet_importance_pct(int64_t part, int64_t whole);
