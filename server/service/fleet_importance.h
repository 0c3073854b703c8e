/* fleet_importance.h - what matters, in the one form in which it is shown: of the runs
 * stored here, or of a reference set with its figures as they were published.
 *
 * All of it is the arena's. NaN, NULL and -1 are unknown. */
#pragma once
#include "catalog.h"
#include "importance.h"
#include "query_operator.h"
#include "reference.h"

/* On one platform: of a fleet the mean of a call; of a set its median shape. */
struct matter_place {
	double sol_us, prod_us, flops_per_s;
};

struct matter {
	const char *operator; /* NULL: unattributed */
	const char *id, *what, *group, *dtype, *phase, *regime;
	int64_t shapes, runs;
	double importance, w_time, w_mean, w_present, low, high;
	double prevalence, total_s, ai, s, s_median;
	double sized, bound, headroom, over; /* shares */
	int collective; /* 0, 1; -1 unknown */
	const struct matter_place *places; /* by platform of the list */
};

struct matters {
	const char *set, *source; /* NULL: the runs stored here */
	enum importance_weight weight;
	int64_t runs, uncounted, left_out, clusters;
	double gpu_s, hours;
	double attributed, specific, sized, bound, headroom; /* shares */
	const char *interval_why;
	const struct platform *const *platforms;
	struct matter *rows;
	uint32_t n, platforms_n;
	uint32_t untold; /* operators whose mean call cannot be told */
};

/* `part`: the fleet was narrowed by type or phase, so that what is attributed
 * of all time is not known. */
void matters_from_fleet(const struct fleet *f, const struct importance *is,
	enum importance_weight weight, bool part, const struct catalog *c,
	struct arena *a, struct matters *out);
void matters_from_set(const char *name, const struct reference *r,
	const struct catalog *c, struct arena *a, struct matters *out);

/* Keeps the rows whose name, or what it is, holds `q` in any case; NULL all. */
void matters_search(struct matters *m, const char *q);
/* Only those of a set of this type and phase: DTYPE_UNKNOWN and NULL any. */
void matters_narrow(struct matters *m, enum dtype dtype, const char *phase);

enum matters_sort {
	MATTERS_IMPORTANCE,
	MATTERS_TIME,
	MATTERS_RUNS,
	MATTERS_SHAPES,
	MATTERS_AI,
	MATTERS_S,
	MATTERS_HEADROOM,
	MATTERS_NAME
};
/* Numbers descend and what is unknown comes last, names ascend; the other way
 * round with `reverse`, but for what is unknown. Equals by name. */
void matters_sort(struct matters *m, enum matters_sort by, bool reverse);

/* An operator's shape, of a fleet or a set. */
struct matter_shape {
	int64_t id, calls, runs;
	const char *description, *text, *kwargs; /* kwargs: JSON */
	const char *dtype, *phase, *platform, *regime, *why;
	double total_s, share, ai, s;
	bool costed;
	struct cost cost;
	const struct matter_place *places; /* by platform of the list */
};

struct matter_shapes {
	const char *set, *operator, * id, *what;
	double s_median;
	const struct platform *const *platforms;
	struct matter_shape *rows;
	uint32_t n, platforms_n;
};

/* `against`, which may be NULL, is one more platform whose T_SOL is told;
 * `time_s` is all of the operator's weighted time. */
void matter_shapes_from_fleet(const struct fleet_shape *rows, uint32_t n,
	double time_s, const struct catalog *c, const struct platform *against,
	struct arena *a, struct matter_shapes *out);
void matter_shapes_from_set(const struct reference *r,
	const struct reference_operator *o, struct arena *a,
	struct matter_shapes *out);

/* "unknown" of NULL and "". */
const char *matter_platform_name(const char *name);
/* The catalogue's, or one of that name without peaks. */
const struct platform *matter_platform(const char *name,
	const struct catalog *c, struct arena *a);
/* "compute", "memory"; NULL. */
const char *matter_regime(enum leg leg);
/* The sorted[n/2] of the values that are known; reorders them. NaN of none. */
double matter_median(double *v, uint32_t n);
/* Of all types. */
double matter_flops(const struct cost *c);
/* NaN of nothing. */
double matter_pct(int64_t part, int64_t whole);
