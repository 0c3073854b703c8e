/* query_breakdown.h - layers and groups of a run, as stored. */
#pragma once
#include "db.h"
#include "profile.h"

/* A run's breakdown, in the arena; the kernels of its rows are indices into
 * `kernels`. */
struct breakdown_kernel {
	int64_t id; /* id in the dictionary */
	const char *name, *short_name;
	/* Its distinct name (distinct_name.h); NULL: the query does not know the
	 * other kernels of the run. */
	const char *distinct_name;
};
struct breakdown_stored {
	struct breakdown breakdown;
	struct breakdown_kernel *kernels;
	uint32_t kernels_n;
};
/* ERR_NOT_FOUND with a sentence if the run does not exist or has no breakdown
 * (only a table of statistics or patterns was uploaded). */
bool query_breakdown(struct db *db, struct arena *a, int64_t run,
	struct breakdown_stored *out, struct err *e);
/* A summary of a run's breakdown; *there: whether the run has one. */
struct layers_short {
	enum layer_detector detector;
	double confidence;
	uint32_t layers;
};
bool query_layers_short(struct db *db, struct arena *a, int64_t run,
	struct layers_short *out, bool *there, struct err *e);

/* The ids of kernels by their names; -1 if the dictionary lacks one. */
bool query_kernel_ids(struct db *db, struct breakdown_kernel *kernels,
	uint32_t n, struct err *e);

struct groups_stored {
	struct kernel_groups groups; /* kernels are indices into `kernels` */
	struct breakdown_kernel *kernels;
	uint32_t kernels_n;
};
/* ERR_NOT_FOUND as for query_breakdown(). */
bool query_groups(struct db *db, struct arena *a, int64_t run,
	struct groups_stored *out, struct err *e);
