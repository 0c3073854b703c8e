/* fleet_importance.h - importance of operators and their shapes, in the form in
 * which it is shown: over the runs stored here, or in a reference set, with its
 * figures as published.
 *
 * All of it is the arena's. NaN, NULL and -1 mean unknown. */
#pragma once
#include "query_fleet.h"
#include "catalog.h"
#include "importance.h"
#include "query_operator.h"
#include "reference.h"

/* On one platform: of a fleet the mean of a call; of a set its median shape. */
struct fleet_importance_place {
	double sol_us, prod_us, flops_per_s;
};

struct fleet_importance_row {
	const char *op; /* NULL: unattributed */
	const char *id, *what, *group, *dtype, *phase, *regime;
	int64_t shapes, runs;
	double importance, w_time, w_mean, w_present, low, high;
	double prevalence, total_s, ai, s, s_median;
	double sized, bound, headroom, over; /* shares */
	int collective; /* 0, 1; -1 unknown */
	const struct fleet_importance_place
		*places; /* by platform of the list */
};

struct fleet_importance {
	const char *set, *source; /* NULL: the runs stored here */
	enum importance_weight weight;
	int64_t runs, excluded, left_out, clusters;
	double gpu_s, hours;
	double attributed, specific, sized, bound, headroom; /* shares */
	const char *interval_why;
	const struct platform *const *platforms;
	struct fleet_importance_row *rows;
	uint32_t n, platforms_n;
	uint32_t untold; /* operators whose mean call is unknown */
};

/* `part`: the fleet was filtered by type or phase, so that the attributed share of
 * all time is unknown. */
void fleet_importance_from_fleet(const struct fleet *f,
	const struct importance *is, enum importance_weight weight, bool part,
	const struct catalog *c, struct arena *a, struct fleet_importance *out);
void fleet_importance_from_set(const char *name, const struct reference *r,
	const struct catalog *c, struct arena *a, struct fleet_importance *out);

/* Keeps the rows whose name, or what it is, holds `q` in any case; NULL all. */
void fleet_importance_search(struct fleet_importance *m, const char *q);
/* Only those of a set of this type and phase: DTYPE_UNKNOWN and NULL any. */
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
	SORT_NAME
};
/* Numbers descend and names ascend; `reverse` inverts both. Unknown values
 * always come last. Equal rows are ordered by name. */
void fleet_importance_sort(struct fleet_importance *m,
	enum fleet_importance_order by, bool reverse);

/* An operator's shape, of a fleet or a set. */
struct fleet_importance_shape {
	int64_t id, calls, runs;
	const char *description, *text, *kwargs; /* kwargs: JSON */
	const char *dtype, *phase, *platform, *regime, *why;
	double total_s, share, ai, s;
	bool costed;
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
};

/* `against`, which may be NULL, is one more platform to compute T_SOL for; `time_s`
 * is all of the operator's weighted time. */
void fleet_importance_shapes_from_fleet(const struct fleet_shape *rows,
	uint32_t n, double time_s, const struct catalog *c,
	const struct platform *against, struct arena *a,
	struct fleet_importance_shapes *out);
void fleet_importance_shapes_from_set(const struct reference *r,
	const struct reference_operator *o, struct arena *a,
	struct fleet_importance_shapes *out);

/* "compute", "memory"; NULL. */
const char *fleet_importance_regime(enum leg leg);
/* The sorted[n/2] of the values that are known; reorders them. NaN of none. */
double fleet_importance_median(double *v, uint32_t n);
/* Of all types. */
double fleet_importance_flops(const struct cost *c);
/* NaN of nothing. */
double fleet_importance_pct(int64_t part, int64_t whole);
