/* comparison.h - what changed between two sides: the answer of analyze/compare.
 *
 * Each side is one run or several. Runs of one job count together, as one unit:
 * a repetition of the whole. Times are mean nanoseconds per iteration (double),
 * over the iterations that were compared: kept ones of matching strata. Unknown is
 * NaN. Text is the arena's. */
#pragma once
#include "iterations.h"
#include "patterns.h"
#include <stdbool.h>
#include <stdint.h>

enum finding_severity {
	FINDING_INFO, /* good to know */
	FINDING_WARN, /* the numbers rest on less than they seem to */
	FINDING_REFUSE, /* do not judge by these numbers */
};
enum finding_code {
#define FINDING(code, severity, sentence) FINDING_##code,
#include "finding.def"
#undef FINDING
	FINDING_CODES
};
/* In the order of finding.def: most important first. */
struct finding {
	enum finding_code code;
	const char *text; /* the sentence */
};

/* What a row's class rests on, the strongest there was. */
enum evidence {
	EVIDENCE_NONE, /* nothing to compare: statistics only, other work */
	EVIDENCE_RUNS, /* permutation of runs, four or more units a side */
	EVIDENCE_ITERATIONS, /* permutation of blocks of iterations, with the run floor */
	EVIDENCE_LAUNCHES, /* too few iterations: the launches of all of them moved */
};

enum change_class {
	CHANGE_REGRESSED,
	CHANGE_APPEARED,
	CHANGE_IMPROVED,
	CHANGE_VANISHED,
	CHANGE_LIKELY, /* beyond the floor, but too few runs to prove it */
	CHANGE_UNDECIDED,
	CHANGE_UNCHANGED, /* shown to be within the margin */
};

/* A difference with all that is known about it. Positive: head is slower. */
struct change {
	double base_ns, head_ns; /* mean per iteration */
	double delta_ns; /* head - base */
	double ratio; /* head / base */
	/* Hodges-Lehmann shift per iteration, 95 % interval with the run floor in it. */
	double shift_ns, low_ns, high_ns;
	double p; /* of this row alone */
	double p_family; /* of the largest of all rows: family-wise */
	double q; /* Benjamini-Hochberg over the rows */
	enum change_class is;
	enum evidence evidence;
	/* Relative standard deviation between runs that the interval holds, where
	 * it is from, and how many degrees of freedom it has. */
	double floor;
	enum floor_source {
		FLOOR_DEFAULT,
		FLOOR_LEARNED,
		FLOOR_GIVEN
	} floor_from;
	double floor_df;
};

/* The parts of the iteration's time: the first rows. */
struct split_row {
	enum split_part {
#define SPLIT_PART(code, word, what) SPLIT_PART_##code,
#include "split_part.def"
#undef SPLIT_PART
		SPLIT_PARTS
	} part;
	struct change change;
};

/* A function on a device. */
struct changed_row {
	const char *name;
	enum function_type type;
	const char *
		device; /* the base's; the head's where it is of the head alone */
	const char
		*head_device; /* differs where devices were matched by role */
	struct change change;
	double base_launches, head_launches; /* per iteration */
	double base_mean_ns, head_mean_ns; /* of one launch */
	/* delta_ns = by_count + by_duration: change of launches × base's mean, plus
	 * head's launches × change of the mean. */
	double by_count_ns, by_duration_ns;
	double base_beta_pct, head_beta_pct;
	/* What of the delta is beyond the common factor of all kernels. */
	double beyond_common_ns;
	/* Counters that changed with it: only those sampled fast enough to be this
	 * function's (interpolated nowhere). */
	struct resource {
		const char *name;
		double base_mu, head_mu;
	} * resources;
	uint32_t resources_n;
};

/* One change of clocks or power that is the same in all kernels. */
struct common_factor {
	bool there;
	double ratio, low, high; /* head / base */
	double ns; /* per iteration, all of it */
	uint32_t kernels; /* how many moved with it */
};

struct comparison_side {
	uint32_t runs, units;
	uint32_t iterations, iterations_used;
	enum iteration_detector detector;
	double iteration_ns, iteration_median_ns; /* of the used ones */
	/* The used iterations' durations, by unit and in order; for distributions. */
	const double *iteration_durs_ns;
	const int64_t *iteration_runs; /* the run each is of */
};

struct comparison {
	const char *headline; /* one sentence that says it all */
	bool comparable; /* false: there are no classes; the findings give the reason */
	struct finding *findings;
	struct comparison_side base, head;
	struct split_row *split; /* in split_part.def's order, known ones */
	struct common_factor common;
	/* What changed (to CHANGE_LIKELY), undecided, unchanged; in each by time at
	 * stake |delta_ns|, then name, device. */
	struct changed_row *rows;
	uint32_t findings_n, split_n, rows_n;
	uint32_t count[CHANGE_UNCHANGED + 1]; /* rows of each class */
	/* What was computed with. */
	uint64_t seed;
	uint32_t permutations, block; /* iterations a block holds */
	double alpha, margin, floor; /* floor: the default's */
	uint32_t repeats; /* stored runs that the floors were learned from */
};
