/* compare_state.h - the state that the files of a comparison share.
 *
 * A unit is one repetition of the measured work: a run, or all runs of one job.
 * The lanes of a unit are the devices and hosts of its runs. Each lane is
 * assigned to a place by the work that it does, so that lanes of different
 * units in one place do equal work. A row is a function in a place, with its
 * time in every compared iteration, one unit after the other. */
#pragma once
#include "compare.h"
#include "names.h"
#include "verdict.h"

struct compare_unit {
	const struct compared_run **runs;
	/* Per run. at: the indices of the compared iterations in the arrays of
	 * the run's patterns. place_of: the place of each pattern. */
	uint32_t **at, **place_of;
	/* The identity of each pattern: its index + 1 in compare.identities; 0:
	 * its name. */
	uint32_t **identity;
	uint32_t runs_n;
	uint32_t iterations_n,
		first; /* compared; index into the side's arrays */
};

struct compare_side {
	const struct compared_run *runs;
	struct compare_unit *units;
	uint32_t runs_n, units_n, iterations_n;
	uint32_t *unit_iterations; /* per unit, for the verdict */
	uint32_t *by_time; /* [units_n]: units, the oldest first */
	double *iteration_ns; /* [iterations_n]; a job's is the mean over its ranks */
	double per_launch; /* factor on its times; 1 if not a longer window */
};

/* Functions that are compared as one row although names alone do not find it.
 * The names of a side are those in its first run. */
struct compare_identity {
	enum row_identity kind;
	const char *name[2]; /* "a + b" if there are several; NULL: none */
	const char **names[2];
	uint32_t names_n[2];
	const char *reason; /* a sentence; NULL */
};

enum { COMPARE_PLACE_ALL = UINT32_MAX }; /* the sum over several devices */
struct compare_row {
	const char *name; /* in the base; in the head if the base lacks it */
	const char *device[2];
	const struct compare_identity *identity; /* NULL: found by its name */
	const char *repeat_name; /* in repeats: its stem, or its name */
	enum function_type type;
	uint32_t place;
	double *ns[2]; /* per side and iteration */
	double launches[2], min_ns[2], max_ns[2], beta[2];
	/* PATTERN_SPREAD launch durations, from the shortest to the longest:
	 * for each, the minimum and the maximum over the runs of a side. NULL
	 * if a run does not have them. */
	double *low_ns[2], *high_ns[2];
	bool spread_lacks[2];
	/* The patterns whose times are summed in the row. */
	struct compare_source {
		int side;
		uint32_t unit, run, pattern;
	} * sources;
	uint32_t sources_n;
};

/* The device of a row on a side. A place has a device on both sides; a function that
 * only one side ran was on that side's. */
static inline const char *compare_row_device(const struct compare_row *r,
	int side)
{
	bool absent = !r->device[side] ||
		      (r->launches[side] == 0 && r->launches[!side] > 0);
	return r->device[absent ? !side : side];
}

/* A function over all places: the rows that have its names. */
struct compare_fold {
	uint32_t *rows, rows_n; /* indices into compare.rows */
	uint32_t operator_; /* index into compare.operators; OPERATOR_NONE */
	bool same; /* its times are those of its only row */
	double *ns[2]; /* per side and iteration */
	double launches[2];
	/* What is known of its operator. */
	const char *operator_name; /* NULL unknown */
	const char *shape; /* the only one that it ran; NULL: not known, or
		several */
	const char *also; /* other operators that it ran; NULL none */
};

/* The functions of an operator, or of one of its shapes, or of the operators of a
 * group that only one side has. */
struct compare_operator {
	const char *name, *shape, *also;
	bool joined; /* of a group; `name` is the group's */
	/* Of a group: the operators of each side, the most time first. */
	const char **operators[2];
	uint32_t operators_n[2];
	uint32_t *folds, folds_n; /* indices into compare.folds */
	double *ns[2], launches[2];
};

struct compare_split {
	enum split_part part;
	double *ns[2];
};

struct compare_cause {
	enum wait_cause cause;
	double *ns[2]; /* per side and iteration */
};

struct compare {
	const struct compare_options *o;
	const struct repeats *repeats;
	struct arena *a;
	struct compare_side side[2];
	const char **place[2]; /* [places_n]: the name of a place */
	uint32_t places_n;
	struct compare_identity *identities;
	struct compare_row *rows;
	struct compare_split *split; /* known parts */
	struct compare_cause *causes; /* of idle time, that either side has */
	struct compare_fold *folds;
	struct compare_operator *operators;
	uint32_t identities_n, rows_n, split_n, causes_n, folds_n, operators_n;
	double *means; /* room for one per unit of a side */
	bool statistics; /* rows are time per launch */
	/* BASE is the head that the caller gave, and HEAD its base. The result
	 * is exchanged at the end. */
	bool mirrored;
	struct comparison *out;
};

enum { BASE, HEAD };

/* compare.c: runs all steps of compare_from(). The caller sets c->o, repeats, a
 * and out. */
bool compare_run(struct compare *c, const struct compared_run *base,
	uint32_t base_n, const struct compared_run *head, uint32_t head_n,
	struct err *e);

/* compare_match.c: units, their iterations and their places.
 *
 * Runs of one job are one unit, other runs one unit each. */
void compare_match_units(const struct compared_run *runs, uint32_t n,
	struct arena *a, struct compare_side *out);
/* Selects the iterations to compare, at most as many as `wanted` says. Removes
 * units without iterations. Finds the place of each lane. */
void compare_match_iterations(struct compare *c, uint32_t **const wanted[2]);
/* Fills place[lane] with the assignment of n lanes to n places that has the
 * lowest total cost; cost[lane * n + place] >= 0. The choice between
 * assignments of equal cost is deterministic. O(n^3). */
void compare_match_assign(const double *cost, uint32_t n, struct arena *a,
	uint32_t *place);
/* Whether functions of a type run on the host. */
bool compare_on_host(enum function_type t);

/* compare_identity.c: finds the kernels of both sides that are the same although
 * their names differ. Fills identities, and identity of each unit. */
void compare_identity_from(struct compare *c);

/* compare_launch.c: recognizes launches of one kernel on the same work with other
 * grids and blocks.
 *
 * A launch is read from a work's size, "128x1x1 / 256x1x1". A block that the size
 * lacks is unknown; then only equal grids are the same work. */
struct compare_launch {
	int32_t grid[3], block[3];
	bool grid_known, block_known;
};
void compare_launch_read(const char *size, struct compare_launch *out);
/* Both relations are symmetric. */
bool compare_launch_same_work(const struct compare_launch *x,
	const struct compare_launch *y);
/* Whether the grids or the known blocks differ. */
bool compare_launch_differs(const struct compare_launch *x,
	const struct compare_launch *y);

/* compare_work.c: the sizes on which iterations worked.
 *
 * The works of a stratum whose sizes contain numbers, sorted by name, then
 * size. Names and sizes are ids of texts in `words`, which maps equal texts to
 * equal numbers over all lists that are compared. */
struct compare_sizes {
	struct compare_size {
		uint32_t name, size;
		double share; /* of the name's calls */
		double calls; /* the name's, per iteration */
		struct compare_launch launch; /* of a kernel */
	} * rows[2]; /* by enum work_kind */
	uint32_t n[2];
};
void compare_work_sizes_from(const struct iterations *c, uint32_t stratum,
	struct names *words, struct arena *a, struct compare_sizes *out);
/* The agreement, 0 to 1; -1 if the lists have no name in common. */
double compare_work_agreement(const struct compare_sizes *a,
	const struct compare_sizes *b);
/* A text for the most frequent difference: text[0] of a, text[1] of b. False
 * if no operator or kernel has other sizes in b. */
bool compare_work_difference(const struct compare_sizes *a,
	const struct compare_sizes *b, const struct names *words,
	struct arena *arena, const char *text[2]);
/* Kernels that were launched differently for the same work in n pairs of lists,
 * as text: "scan 8x1x1 / 512x1x1 → 4x1x1 / 1024x1x1". NULL: none. */
const char *compare_work_relaunches(const struct compare_sizes *const *base,
	const struct compare_sizes *const *head, uint32_t n,
	struct names *words, struct arena *a);

/* compare_groups.c: groups the iterations of both sides by their work, and pairs
 * the groups. Fills out->groups and out->group, and `wanted` with the number of
 * iterations per run and stratum that are compared. NULL: all iterations.
 * ERR_NOT_FOUND if the options name a group that no pair has. */
bool compare_groups_from(struct compare *c, uint32_t **wanted[2],
	struct err *e);

/* Whether the iterations of a side are whole recordings. */
static inline bool compare_is_window(const struct compare_side *s)
{
	for (uint32_t i = 0; i < s->runs_n; i++)
		if (s->runs[i].iterations.detector != ITERATIONS_WINDOW)
			return false;
	return s->iterations_n > 0;
}

/* compare_fold.c: folds the rows of each function over devices and ranks. Fills
 * folds, without their times. Must follow all changes of rows. */
void compare_fold_from(struct compare *c);
/* Fills the times of the folds, from those of the rows. */
void compare_fold_sum(struct compare *c);

/* compare_operators.c: finds the operator of each fold, and groups the folds by
 * it. Fills operators, without their times. */
void compare_operators_from(struct compare *c);
/* Fills the times of the operators, from those of the folds. */
void compare_operators_sum(struct compare *c);
/* The parts of each side's kernel time that are in operators, and in operators
 * that both sides have; NaN without kernels. */
void compare_operators_shares(const struct compare *c, double known[2],
	double common[2]);

/* compare_causes.c: divides the idle part by cause. Fills causes, which add up to
 * the idle part in each iteration, or reports the runs that have no causes. */
void compare_causes_from(struct compare *c);

/* compare_decompose.c: fills out->decompositions and tokens_reason. Requires the
 * complete split, causes and sides of the result. */
void compare_decompose(struct compare *c);

/* The changes of rows, split, causes, folds and operators; each in the order of
 * its list. */
struct compare_changes {
	struct change *rows, *split, *causes, *folds, *operators;
};

/* compare_verdict.c: tests rows and split, as one family, the folds of several
 * rows, and the operators, and withdraws what cannot be tested. */
bool compare_verdict(struct compare *c, struct compare_changes *out,
	struct err *e);

/* compare_result.c: fills the reported rows and split, sorts the findings, and
 * sets the headline. `changes` NULL: the rows were not tested. */
void compare_result_from(struct compare *c,
	const struct compare_changes *changes);
/* compare_result_groups.c: fills the reported functions and operators, after the
 * reported rows. `order`: for each row of compare.rows, its index in them. */
void compare_result_groups_from(struct compare *c,
	const struct compare_changes *changes, const uint32_t *order);
/* The difference of two means, without a test; NaN: unknown. */
struct change compare_plain_change(double base_ns, double head_ns);
/* The order of rows: those that changed first, then the largest difference. */
int compare_result_groups_order(const struct change *a, const struct change *b);
/* Findings on counters: runs without values, and counters sampled too slowly. */
void compare_result_counters(struct compare *c);

/* compare_headline.c: the result of a comparable pair in one sentence: the change
 * of the iteration with its interval, then what of it is shown, then what would
 * prove the rest. Uses only `out`, whose rows, split and sides are complete. */
const char *compare_headline(struct arena *a, const struct comparison *out,
	bool clocks_differ);

/* compare_conditions.c: findings about differences other than times.
 *
 * compare_conditions() reports findings about the runs, their devices, ranks,
 * facts and iterations. compare_conditions_rows() requires the rows and reports
 * findings about them. */
void compare_conditions(struct compare *c);
void compare_conditions_rows(struct compare *c);
/* Whether both sides have anything in common. Requires the operators. */
void compare_conditions_common(struct compare *c);
/* Whether a known clock or power limit of the sides differs. */
bool compare_conditions_clocks_differ(struct compare *c);
/* The share of a side's GPU time that is in iterations; -1 unknown. */
double compare_covered(const struct compare_side *s);

/* compare_mirror.c: the order of the sides in which a comparison is computed.
 *
 * Whether the sides must be exchanged first, so that both comparisons of two
 * sides are computed in one order. */
bool compare_mirror_needed(const struct compared_run *base, uint32_t base_n,
	const struct compared_run *head, uint32_t head_n);
/* Exchanges base and head in rows, split, common factor, sides and counts:
 * differences are negated, and ratios inverted. */
void compare_mirror_result(struct comparison *out);
void compare_mirror_function(struct changed_function *f);
void compare_mirror_operator(struct changed_operator *o);

/* compare_text.c: texts of findings and numbers in sentences, in the arena.
 *
 * Adds a finding. `base` and `head` are the sides in c->side; if c is mirrored,
 * the sentence names them the other way round. A finding of severity REFUSE
 * makes the sides not comparable. */
void compare_finding_add(struct compare *c, enum finding_code code,
	const char *base, const char *head);
/* By code, in the order of finding.def. */
void compare_findings_sort(struct compare *c);
const char *compare_text_pct(struct arena *a, double share);
/* "run 5"; the name of a run that has no id. */
const char *compare_text_run(struct arena *a, const struct compared_run *r);
/* Adds an item to a list with commas. NULL is an empty list. */
const char *compare_text_join(struct arena *a, const char *list,
	const char *item);
/* A kernel's name without its parameters, clipped. */
const char *compare_text_name(struct arena *a, const char *name);
/* The names of a row, the head's first: "gelu_5 (in the base gelu_2)". */
const char *compare_text_function(struct arena *a, const struct changed_row *r);
/* "gelu_2 → gelu_5 (+3.0 %)", of a row that both sides have under other
 * names. */
const char *compare_text_identity(struct arena *a, const struct changed_row *r);
/* "softmax (cunn_SoftMaxForward → softmax_reg)": an operator, and its kernels if
 * they differ; "attention (inferred: attention_forward → mla_decode_attention)": a
 * group, and its operators. */
const char *compare_text_operator(struct arena *a,
	const struct changed_operator *o);
/* Parts of a sentence: what changed ("takes longer"); by how much ("+0.71 ms per
 * iteration (+8.3 %)"); the evidence ("by permutation of runs"). */
const char *compare_text_what(const struct change *c);
const char *compare_text_amount(struct arena *a, const struct change *c);
const char *compare_text_evidence(const struct change *c);
