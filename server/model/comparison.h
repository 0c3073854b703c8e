/* comparison.h - what changed between two sides: the result of analyze/compare.
 *
 * Each side is one or more runs. A unit is a job with all its runs, or a run
 * without a job; the units of a side are its repetitions. Iterations are grouped
 * by their work, and the groups of both sides are paired: each pair is a
 * comparison of its own. Times are mean nanoseconds per iteration (double) over
 * the kept iterations of the compared pair. An unknown time is NaN. The arena
 * owns all texts.
 *
 * The comparison of A with B and that of B with A are mirrors: differences and
 * intervals are negated, ratios inverted, regressed and improved exchanged, and
 * appeared and vanished; p, evidence and noise floor are equal. */
#pragma once
#include "iterations.h"
#include "patterns.h"
#include <stdbool.h>
#include <stdint.h>

enum finding_severity {
	FINDING_INFO, /* good to know */
	FINDING_WARN, /* the numbers are less certain than they look */
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

/* The strongest evidence available for a row's class. */
enum evidence {
	EVIDENCE_NONE, /* not comparable: only statistics, or different work */
	EVIDENCE_RUNS, /* permutation of units, at least four per side */
	EVIDENCE_ITERATIONS, /* permutation of blocks of iterations, plus the
		noise floor between runs */
	EVIDENCE_LAUNCHES, /* too few iterations: comparison of all launches */
};

enum change_class {
	CHANGE_REGRESSED,
	CHANGE_APPEARED,
	CHANGE_IMPROVED,
	CHANGE_VANISHED,
	CHANGE_LIKELY, /* beyond the floor, but too few runs to prove it */
	CHANGE_WITHIN_MARGIN, /* proven, but too small to act on */
	CHANGE_UNDECIDED,
	CHANGE_UNCHANGED, /* shown to be within the margin, not proven to
		differ */
};

/* A difference and its statistics. Positive: head is slower. */
struct change {
	double base_ns, head_ns; /* mean per iteration */
	double delta_ns; /* head - base */
	double ratio; /* head / base */
	/* Hodges-Lehmann shift per iteration, and its 95 % interval, which
	 * includes the noise floor between runs. */
	double shift_ns, low_ns, high_ns;
	double p; /* of this row alone */
	double p_family; /* family-wise, from the largest of all rows */
	double q; /* Benjamini-Hochberg over the rows */
	enum change_class is;
	enum evidence evidence;
	/* Noise floor: the relative standard deviation between runs that the
	 * interval includes; its source; its degrees of freedom. */
	double floor;
	enum floor_source {
		FLOOR_DEFAULT,
		FLOOR_LEARNED,
		FLOOR_GIVEN
	} floor_from;
	double floor_df;
};

/* What is known of the noise between runs before a function's own repeats are
 * read: its floors start with sd, which counts as df observations
 * (noise_floor.h). */
struct noise_prior {
	enum floor_source from; /* FLOOR_LEARNED: from stored runs */
	double sd, df; /* df is INFINITY if the floor is given */
	/* The most degrees of freedom that the stored runs support; NAN unless
	 * learned. */
	double most_df;
	uint32_t variances; /* how many were used, one per function and group */
	/* The stored runs that repeat each other, the compared runs'
	 * kind first. Only runs with smaller ids than `before` were searched,
	 * which is the smallest of both sides; 0: nothing was searched. */
	const int64_t *runs;
	uint32_t runs_n;
	int64_t before;
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

/* The time of a cause of idle time: a part of SPLIT_PART_idle. */
struct changed_cause {
	enum wait_cause cause;
	struct change change;
};

/* The change of a mean time, divided into terms that add up to it: the parts of the
 * iteration, with the causes of idle time in place of the idle part if they are
 * known. All times are whole nanoseconds, rounded so that on each side the terms
 * add up to the total; so their changes do, too. `low_ns` and `high_ns` are of the
 * change: the interval of the row in `split` or `causes`. NAN: unknown. */
struct change_term {
	const char *term, *description; /* NULL in a total */
	int64_t base_ns, head_ns;
	double low_ns, high_ns;
};
enum { DECOMPOSITION_TERMS = 4 + WAIT_CAUSES };
struct decomposition {
	/* Of the mean iteration, or of the mean time per output token of a
	 * sequence: mean iteration / mean output tokens. The latter has one more
	 * term if a benchmark measured the time per output token on both sides:
	 * the time outside the engine. Its total is then the benchmark's. */
	enum decomposed { DECOMPOSED_ITERATION, DECOMPOSED_TOKEN } of;
	struct change_term total, terms[DECOMPOSITION_TERMS];
	uint32_t terms_n;
	/* The median iteration divided by the mean tokens. */
	double base_median_ns, head_median_ns;
	/* Mean output tokens of a sequence per iteration: 1, or the accepted
	 * tokens of speculative decoding. 1 of an iteration. */
	double base_tokens, head_tokens;
	/* The part of the change that comes from the change of the tokens. */
	int64_t by_tokens_ns;
};

/* How the function of a row was found on both sides. */
enum row_identity {
	ROW_BY_NAME, /* by its name */
	ROW_RENAMED, /* inferred: its name has another number */
	ROW_VARIANT, /* another kernel runs the same calls */
	ROW_SEVERAL, /* inferred: several kernels fit equally well */
};

/* Kernels of two runs that are compared as one although their names differ, or
 * that are not the same although they have one name. */
struct kernel_identity {
	enum row_identity kind;
	const char
		*reason; /* a sentence; NULL if only one run has the kernels */
	const char *const *names[2]; /* in the base and in the head */
	uint32_t names_n[2];
};

/* A function on a device, or several functions that are compared as one. */
struct changed_row {
	const char *name; /* in the base; in the head if the base lacks it; "a +
		b" if there are several */
	const char *head_name; /* in the head, if it differs; else NULL */
	enum row_identity identity;
	const char
		*reason; /* a sentence: what the identity rests on; NULL if it
		rests on the name */
	/* The names on each side; none if the row is found by its name. */
	const char *const *base_names, *const *head_names;
	uint32_t base_names_n, head_names_n;
	enum function_type type;
	const char *device; /* of the base; of the head if only the head has the
			row */
	const char
		*head_device; /* differs where devices were matched by role; of
			the base if only the base has the row */
	struct change change;
	double base_launches, head_launches; /* per iteration */
	double base_mean_ns, head_mean_ns; /* of one launch */
	/* delta_ns = by_count_ns + by_duration_ns. by_count_ns: change of the
	 * number of launches × the mean of both means. by_duration_ns: the mean
	 * of both numbers of launches × change of the mean. */
	double by_count_ns, by_duration_ns;
	double base_beta_pct, head_beta_pct;
	/* The part of delta_ns that the common factor does not explain. */
	double beyond_common_ns;
	/* Counters that changed together with the row. Only counters with
	 * samples inside every execution of the function: no value is
	 * interpolated. */
	struct resource {
		const char *name;
		double base_mu, head_mu;
	} * resources;
	uint32_t resources_n;
	uint32_t function; /* the folded row: index into comparison.functions */
};

/* A function over all devices and ranks: its rows, folded.
 *
 * Its time per iteration is the sum over the devices of a rank, and the mean
 * over the ranks of a job, as in the parts of a job's iteration (split_row). A
 * rank without the function counts as 0. A collective that is one row for all
 * devices is the time of one device, and is not divided. So the times of all
 * functions add up to those of all rows, divided by the number of ranks.
 *
 * The change of a function with one row is that of its row. If rows of several
 * ranks or devices are folded, the functions that have several are tested in a
 * family of their own: p_family is of the largest of them, and q over them. The
 * classes of the rows do not depend on it. */
struct changed_function {
	const uint32_t *rows; /* indices into comparison.rows, ascending */
	uint32_t rows_n;
	uint32_t operator_; /* index into comparison.operators; OPERATOR_NONE */
	const char *operator_name; /* the catalog's; NULL unknown */
	/* That of its only row, or "8 ranks", with what each of them is: "rank",
	 * "process" or "device". */
	const char *device, *each;
	struct change change;
	/* Per iteration and rank. NaN: the units of a side differ in their
	 * number of ranks. */
	double base_launches, head_launches;
	/* The shortest and the longest time of its rows that ran. */
	struct changed_spread {
		double min_ns, max_ns; /* NaN: it did not run */
		const char *slowest; /* device of the one with the most time;
			NULL */
	} base, head;
};
enum { OPERATOR_NONE = UINT32_MAX };

/* The functions of one operator, or of one of its shapes. This is what both sides
 * have in common if their kernels have other names.
 *
 * A function belongs to the operator with the most of its time: how its time in an
 * iteration is divided among several operators is not stored. The others are in
 * `also`. A shape has a row of its own if both sides have kernels that ran only
 * it, no other kernel ran it, and the shapes of all kernels of the operator are
 * known. All other kernels are in the operator's row without a shape.
 *
 * If only the base has an operator, and only the head another one of the same group
 * of the catalog, the second one is inferred to replace the first. All such operators
 * of a group are one row, which has the name of the group.
 *
 * The times are sums of those of its functions. So all operators, and the
 * functions without one, add up to the sum of all functions. The sums of each
 * iteration are tested, in a family of their own: p_family is of the largest
 * operator, and q over the operators. The functions' classes do not depend on
 * it. */
struct changed_operator {
	const char *name, *shape; /* shape NULL: all others */
	/* A sentence: why the row has the operators of a group; NULL if it is of
	 * one operator. Their names on each side, the most time first. */
	const char *inferred;
	const char *const *base_operators, *const *head_operators;
	uint32_t base_operators_n, head_operators_n;
	const uint32_t *functions; /* indices into comparison.functions,
		ascending */
	uint32_t functions_n;
	struct change change;
	double base_launches, head_launches; /* as a function's */
	/* "fmha_fwd and 2 more": the kernels that took its time on each side,
	 * if they are not the same; else NULL. */
	const char *base_kernels, *head_kernels;
	const char
		*also; /* "reduce, copy": other operators that its kernels ran
		too; their time is in this row; NULL none */
};

/* One factor by which most kernels changed, as after a change of clocks or
 * power. */
struct common_factor {
	bool there;
	double ratio, low, high; /* head / base */
	double ns; /* per iteration, summed over these kernels */
	uint32_t kernels; /* how many changed by this factor */
};

/* Kept iterations that worked on the same: phase, sequences, tokens and context
 * length if they are known, otherwise sizes of operators or grids. `ns` is their
 * time, and `share` its part of the kept iterations' time of the side. A group
 * of one side has no iterations on the other side. */
struct compared_group {
	struct compared_group_side {
		const char *text; /* for people; NULL: no iterations */
		uint32_t iterations;
		double ns, share;
	} side[2]; /* base, head */
	enum phase phase;
	/* How the group was found on both sides. */
	enum group_match {
		GROUP_ALONE, /* it was not */
		GROUP_BY_LABEL, /* phase, sequences and tokens are equal */
		GROUP_BY_SIZES, /* at least half of the sizes agree */
		GROUP_BY_EXCLUSION, /* nothing is known of its work, and it is
			the only other one on both sides */
	} match;
	/* The change of the mean iteration, and the headline of the pair's
	 * comparison. Only the eight pairs with the most time are tested; the
	 * others have no evidence and no headline (NULL). */
	struct change iteration;
	const char *headline;
};

struct comparison_side {
	uint32_t runs, units;
	uint32_t iterations, iterations_used;
	enum iteration_detector detector;
	double iteration_ns, iteration_median_ns; /* of the used ones */
	/* The used iterations' durations, by unit and in order; for distributions. */
	const double *iteration_durs_ns;
	const int64_t *iteration_runs; /* the run of each iteration */
};

enum { GROUP_NONE = UINT32_MAX, GROUP_MIXED = UINT32_MAX - 1 };

struct comparison {
	const char *headline; /* one sentence: the result of the comparison */
	bool comparable; /* false: there are no classes; the findings give the reason */
	struct finding *findings;
	struct comparison_side base, head;
	/* First the pairs, then groups of one side. In both, the largest share
	 * of time first. */
	struct compared_group *groups;
	uint32_t groups_n;
	uint32_t group; /* the compared one; GROUP_NONE: no pair; GROUP_MIXED:
		all pairs, in equal proportions */
	struct split_row
		*split; /* the known parts, in split_part.def's order */
	/* The causes of idle time that have time on a side. They add up to the
	 * idle part. Not known if a run has no causes, or no idle part. */
	bool causes_known;
	struct changed_cause *causes;
	/* First that of the iteration, then that of the output token. None: the
	 * parts of the iteration are not known. */
	struct decomposition *decompositions;
	uint32_t decompositions_n;
	/* Why iterations of decoding have no time per output token, a sentence;
	 * NULL: they have one, or are no decoding. */
	const char *tokens_reason;
	struct common_factor common;
	/* First the changed rows (up to CHANGE_LIKELY), then those that changed
	 * within the margin, then undecided, then unchanged ones. In each group by |delta_ns|, largest first, then by
	 * name and device. */
	struct changed_row *rows;
	/* In the same order. */
	struct changed_function *functions;
	struct changed_operator *operators;
	uint32_t findings_n, split_n, causes_n, rows_n, functions_n,
		operators_n;
	/* Operators are known of at least half of the kernels' time of both
	 * sides, so that the result is stated by operator. */
	bool by_operator;
	uint32_t count[CHANGE_UNCHANGED + 1]; /* rows of each class */
	/* The parameters of the computation. */
	uint64_t seed;
	uint32_t permutations, block; /* block: iterations per block */
	double alpha, margin, floor; /* floor: that of the prior */
	uint32_t repeats; /* stored runs of the compared kind, from which floors
		were learned */
	struct noise_prior noise;
};
