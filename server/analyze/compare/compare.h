/* compare.h - two sides become a comparison: pure, seeded, deterministic.
 *
 * The steps: findings on what differs around the figures (finding.def); units of
 * runs and jobs, devices matched by role; matching strata; the matrix of nanoseconds
 * per iteration; its verdict (verdict.h); rows sorted by the size of their change. A
 * finding of severity REFUSE leaves all rows undecided, with their figures. The
 * arena has no ceiling; the runs must live as long as the result. */
#pragma once
#include "arena.h"
#include "compared.h"
#include "comparison.h"
#include "err.h"

/* Stored repeats: runs of one workload and signature without a known difference.
 * Mean nanoseconds per iteration, by function and run. */
struct repeat_run {
	int64_t run;
	uint32_t group; /* runs of a group repeat each other */
	const char *device_name; /* of its first device; NULL unknown */
	struct repeat_mean {
		const char *name;
		double mean_ns;
	} * means; /* by name, over all devices */
	uint32_t means_n;
};
struct repeats {
	struct repeat_run *runs;
	uint32_t n;
};

struct compare_options {
	double floor; /* relative, between runs; negative: learn it, 3 % without repeats */
	double margin; /* relative; within it is "unchanged": 0.05 */
	double alpha; /* family-wise: 0.05 */
	uint32_t permutations; /* 2000 */
	uint64_t seed; /* 1 */
};
#define COMPARE_OPTIONS                 \
	{                               \
		-1, 0.05, 0.05, 2000, 1 \
	}

/* The name, as in finding.def, and the severity of a finding. */
const char *finding_name(enum finding_code code);
enum finding_severity finding_severity(enum finding_code code);

bool compare_from(const struct compared_run *base, uint32_t base_n,
	const struct compared_run *head, uint32_t head_n,
	const struct repeats *repeats, const struct compare_options *o,
	struct arena *a, struct comparison *out, struct err *e);

/* Only out's findings and whether the sides are comparable, for published
 * scores. */
bool compare_findings(const struct compared_run *base, uint32_t base_n,
	const struct compared_run *head, uint32_t head_n, struct arena *a,
	struct comparison *out, struct err *e);

/* One function's iterations, for a chart: nanoseconds and launches per used iteration
 * of each side, the iterations of compare_from. ERR_NOT_FOUND if neither side
 * has it. `device` NULL: all devices together. */
struct compare_series {
	const double *ns, *launches, *beta_pct, *iteration_ns;
	const int64_t *runs, *numbers; /* run and number of each iteration */
	uint32_t n;
};
bool compare_series_from(const struct compared_run *base, uint32_t base_n,
	const struct compared_run *head, uint32_t head_n, const char *name,
	const char *device, struct arena *a, struct compare_series sides[2],
	struct err *e);
