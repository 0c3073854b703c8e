/* fleet_fusions.h - operators in sequence that one kernel could execute, over
 * many runs, ranked by what this would save. analyze/fusions/fusions.h has the
 * formula.
 *
 * All data is in the arena. NaN, NULL and -1 mean unknown. */
#pragma once
#include "catalog.h"
#include "fleet_importance.h"
#include "query_fleet.h"

enum { FLEET_FUSION_RUNS = 5, FLEET_FUSION_OVERLAPS = 5 };

/* Pairs of the same two shapes, on all platforms. */
struct fleet_fusion_candidate {
	const struct fleet_fusion *is; /* operators, shapes, phase, kind,
		consumers and bytes; its sums are those of one platform */
	const char *platforms; /* "H100, H20"; "" unknown */
	/* Passes over the tensor that are saved; 0: different per run. */
	int passes;
	int64_t pairs, replayed, runs;
	const int64_t *run; /* at most FLEET_FUSION_RUNS of them, those with
		most time first */
	uint32_t run_n;
	double pair_s, pair_hours; /* time of both calls */
	/* GPU-hours that are saved. `hours` is the sum of the next two, and
	 * unknown if the saved traffic is. */
	double hours, traffic_hours, gap_hours;
	double at_peak_hours; /* of the traffic, at the peak bandwidth of the
		DRAM */
	double saved_s; /* over the recordings, without weights */
	/* Candidates that may contain the same call: the second operator and
	 * shape of one is the first of the other. Both are saved only if one
	 * kernel executes all three. "gemm m=8 n=8 k=8, then elementwise
	 * x=[8,8]"; at most FLEET_FUSION_OVERLAPS. Shapes must be known. */
	const char **overlap;
	uint32_t overlap_n;
};

/* `all` is sorted by consumers, then by hours, most first, and then those whose
 * hours are unknown, by their launch gaps. */
struct fleet_fusion_list {
	struct fleet_fusion_candidate *all;
	uint32_t n;
	uint32_t from[FUSION_CONSUMERS + 1]; /* by consumers: their slice */
	uint32_t
		total[FUSION_CONSUMERS]; /* by consumers, before any were cut */
	int64_t runs, unknown;
	double hours;
};

/* Keeps at most `limit` candidates of each kind of readers; 0 keeps all. `only`
 * keeps one kind; FUSION_CONSUMERS keeps all. */
void fleet_fusions_from(const struct fleet_fusions *f, const struct catalog *c,
	enum fusion_consumers only, uint32_t limit, struct arena *a,
	struct fleet_fusion_list *out);

/* The candidates as operators with one shape each, named "first+second", for
 * view_set_from_fleet(): sizes are those of both with the prefixes first_ and
 * second_, and the cost is that of one kernel. The importance is the share of GPU
 * time that both operators take, and the time of a call (`med_ns`) is the mean of
 * both together. Those without sizes, costs or the size of the tensor are left
 * out, because no benchmark can run them. */
void fleet_fusions_tasks(const struct fleet_fusion_list *l,
	const struct catalog *c, struct arena *a, struct fleet_importance *m,
	struct fleet_shape **shapes, uint32_t *n);
