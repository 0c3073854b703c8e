/* compare.h - compares two sides of runs. Deterministic for a seed, without
 * I/O.
 *
 * The steps are:
 *
 *  - report differences other than times as findings (finding.def);
 *  - group runs and jobs into units, match devices by role and match strata;
 *  - build the matrix of nanoseconds per iteration;
 *  - get the verdict of each row (verdict.h);
 *  - sort the rows by the size of their change.
 *
 * If there is a finding of severity REFUSE, all rows are undecided; their times
 * are still reported. The arena must have no size limit. The runs must live as
 * long as the result. */
#pragma once
#include "arena.h"
#include "compared.h"
#include "comparison.h"
#include "err.h"

/* Stored runs that repeat each other: they have the same workload and signature
 * and no known difference. For each: mean nanoseconds per iteration, by
 * function. */
struct repeat_run {
	int64_t run;
	uint32_t group; /* runs of a group repeat each other */
	/* Ranks of one workload: groups whose runs are not independent. */
	uint32_t cluster;
	/* The run is of another workload or signature than the compared ones:
	 * its times are evidence only for the prior. */
	bool other;
	const char *device_name; /* of its first device; NULL unknown */
	struct repeat_mean {
		const char *name;
		double mean_ns;
	} * means; /* by name, over all devices */
	uint32_t means_n;
	const char *commit; /* NULL unknown; only gates need it */
};
struct repeats {
	struct repeat_run *runs;
	uint32_t n;
	const struct noise_prior *prior; /* NULL: the default */
};

struct compare_options {
	double floor; /* relative, between runs; negative: learned from repeats
		and their prior (noise_floor.h) */
	double margin; /* relative (verdict.h). Default 0.05 */
	double alpha; /* family-wise. Default 0.05 */
	uint32_t permutations; /* default 2000 */
	uint64_t seed; /* default 1 */
	/* Which pair of groups is compared: an index, or one of these. */
	int64_t group;
};
enum {
	COMPARE_LARGEST = -1, /* the pair with the largest share of time */
	COMPARE_MIXED = -2, /* all pairs, in equal proportions on both sides; if
		that is impossible, the largest pair */
};
#define COMPARE_OPTIONS                                  \
	{                                                \
		-1, 0.05, 0.05, 2000, 1, COMPARE_LARGEST \
	}

/* The name of a finding in finding.def, and its severity. */
const char *finding_name(enum finding_code code);
enum finding_severity finding_severity(enum finding_code code);

bool compare_from(const struct compared_run *base, uint32_t base_n,
	const struct compared_run *head, uint32_t head_n,
	const struct repeats *repeats, const struct compare_options *o,
	struct arena *a, struct comparison *out, struct err *e);

/* Fills only out's findings and whether the sides are comparable. Published
 * scores use these. */
bool compare_findings(const struct compared_run *base, uint32_t base_n,
	const struct compared_run *head, uint32_t head_n, struct arena *a,
	struct comparison *out, struct err *e);

/* Fills the stems of kernels and ranges in the runs, by which kernels are found
 * again under another name; the texts are in the arena. Without it, names alone
 * identify kernels. Fills which kernels of a table of statistics are
 * collectives. */
struct catalog;
void compare_stems(const struct catalog *k, struct compared_run *runs,
	uint32_t n, struct arena *a);
/* Adds up the means of kernels of one stem, under its text, because one number
 * means another kernel in each repeat. */
void compare_repeat_stems(const struct catalog *k, struct repeats *r,
	struct arena *a);

/* How the work of two sides differs: a sentence for people, in the arena. NULL if
 * it does not, or if nothing is known. The work differs if no group of iterations
 * is a pair, if the pairs have less than half of the time of a side, or if the
 * mean iteration changed mostly because the proportions of the groups did. Of
 * the runs, only the iterations and the list patterns.iteration are used. The
 * arena must have no size limit. */
const char *compare_groups_changed(const struct compared_run *before,
	uint32_t before_n, const struct compared_run *after, uint32_t after_n,
	struct arena *a);

/* The kernels of a device in each of two runs that names alone do not match: at
 * most one identity per kernel. All other kernels are the same if their names
 * are equal. compare_stems() must have filled the stems. */
void compare_kernels(const struct compared_run *base, int32_t base_device,
	const struct compared_run *head, int32_t head_device, struct arena *a,
	struct kernel_identity **out, uint32_t *n);

/* The iterations of one function, for a chart: nanoseconds and launches in each
 * iteration that compare_from() uses, on each side. ERR_NOT_FOUND if neither side has
 * the function. */
struct compare_function {
	const char *name; /* in the base, or in the head if the base lacks it */
	const char *device; /* NULL: the sum over all devices */
	bool in_head; /* `name` is that in the head */
	int64_t group; /* as in compare_options */
};
struct compare_series {
	const double *ns, *launches, *beta_pct, *iteration_ns;
	const int64_t *runs, *numbers; /* run and number of each iteration */
	uint32_t n;
};
bool compare_series_from(const struct compared_run *base, uint32_t base_n,
	const struct compared_run *head, uint32_t head_n,
	const struct compare_function *wants, struct arena *a,
	struct compare_series sides[2], struct err *e);
