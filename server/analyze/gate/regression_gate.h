/* regression_gate.h - applies gate rules to a comparison. Deterministic for a
 * seed, without I/O.
 *
 * The rules for the iteration, operators, headroom, bus bandwidth and measures use one
 * value per unit (level_test.h). Bus bandwidth is tested as its inverse, the time per
 * byte, and so are measures of which higher values are better, so that "above" means
 * worse for all of them. Their outcomes are:
 *
 *  - regressed: the head is above the base by the limit or more, and the
 *    one-sided p of this difference is at most alpha;
 *  - pass: the head is above the base by less than the limit, or not above it;
 *  - undecided: all other cases.
 *
 * A head of one unit fails a gate only if the base has at least 20 commits
 * (LEVEL_TEST_ONE_RUN_COMMITS). A base of one unit does not let a gate fail if
 * there are no earlier units that show how much runs differ. With a given floor,
 * both can fail. A base of several units of one commit, without earlier commits,
 * can fail a head, and the sentence says that the difference between commits is
 * not known. Functions are classified by compare_from(), whose floors include
 * the units of both sides. A function passes if its change is less than
 * share_pct of the base's iteration.
 *
 * If the base changed its level (change_point.h), a head at the new level does
 * not fail: gate_rule.since_run.
 *
 * A measure of a unit is the mean over the ranks that have it; a unit without it is not
 * part of the rule. If a value is negative, or a value whose inverse is tested is 0,
 * the rule is undecided. A measure that is 0 in the whole base, such as the number of
 * failed requests, regresses if it is not 0 in the head and both sides have several
 * units.
 *
 * The bus bandwidth of a unit is Σ bytes·factor / Σ time of its collectives with
 * known size and process group, without sends and receives. The time of a job's
 * collective is the shortest of its ranks, which contains no waiting for each
 * other; a single run has only its own durations.
 *
 * A second rule of the iteration compares the head with an anchor
 * (creep_test.h), because many small rises pass the first one. Its values are
 * those of gate_given.history. Without the first rule there is no second one.
 *
 * alpha is divided among the rules: eight parts for the iteration, one part for
 * the iteration against the anchor, and two parts each for all operators together,
 * for headroom, for bus bandwidth, for all measures together and for all functions
 * together. The parts of
 * rules that are not in use are distributed to the others.
 *
 * Measured (tests/sim, sim_gate_cells; 200 earlier runs are stored, so with the rule
 * against an anchor; limits 2 % and 3 %; alpha 0.8 %, that of the first gate of a
 * commit). Percent of 6,000 unchanged heads that fail, for 1, 3 and 5 runs per head, with
 * a base of 20 and 60 runs each; in brackets those that fail only by functions and only
 * by the anchor, of 36,000:
 *
 *   normal 0.5 %         0    0     0    0     0    0    (0, 0)
 *   normal 1.5 %         0.3  0.3   0.4  0.4   0.2  0.1  (0, 0)
 *   long tails           0.6  0.4   0.8  0.8   0    0.1  (16, 4)
 *   machine per run      0.1  0     0.9  0.8   0.6  0.5  (0, 0)
 *   machine per commit   0.2  0.1   0.6  0.5   0.7  0.6  (5, 5)
 *   AR 0.8               0.3  0     1.2  1.2   1.1  0.9  (1/60: of 1,000 heads)
 *
 * Percent of 300 heads that fail if they are 3 % and 5 % slower:
 *
 *   normal 1.5 %, 1/20; 1/60; 3/20; 3/60; 5/20; 5/60
 *                           17 19  66  71  86  89        64  66  98  99 100 100
 *   long tails               2  0  88  93  94  98         5   5 100 100 100 100
 *   machine per run         23 25  71  74  82  89        54  61 100 100 100 100
 *   machine per commit      46 48  61  64  58  67        92  94  98  99  98  98
 *
 * The 95 % intervals contain the true change in 92 to 97 % of the heads of a cell, and
 * in 98.5 % with a machine per run and 1/60.
 *
 * --creep 12, a rise of 1 % every five commits, three runs per head, base 20: a gate
 * fails before +6 % in 12 of 12 series (0.5 and 1.5 %) with 30, 60 and 200 runs before
 * the first rise; with 20 runs (seven commits) in 10 and 12. */
#pragma once
#include "compare.h"
#include "gate.h"

/* The time of one operator in one run, from the store. */
struct gate_operator_time {
	int64_t run;
	const char *op; /* NULL: unattributed */
	double share; /* of the run's GPU time, 0..1 */
	double headroom; /* its time above T_SOL, as a share of the run's GPU
		time; NaN unknown */
};
/* A result of a benchmark that is attached to a run. */
struct gate_measure_value {
	int64_t run;
	const char *name, *unit;
	double value;
	bool higher_is_better; /* the same for all values of a name */
};
struct gate_given {
	const struct compared_run *base, *head;
	uint32_t base_n, head_n;
	/* The commit of each run (or the value of another label that says which
	 * runs repeat each other); NULL unknown. If the arrays are NULL, no
	 * commit is known. Runs of the base that are of the head's commits are
	 * not used, unless the base has no others. */
	const char *const *base_commits, *const *head_commits;
	const struct repeats *repeats;
	const struct gate_history
		*history; /* NULL: no test against an anchor */
	const struct gate_operator_time *operators;
	uint32_t operators_n;
	const struct gate_measure_value *measures; /* one per run and name */
	uint32_t measures_n;
	/* The alpha of a gate that repeats this one with more runs of the head; 0:
	 * the same. gate_rule.runs_needed is for such a gate. */
	double repeat_alpha;
};

/* The alpha of the number-th gate of a commit, from 1: 0.8 / number² of alpha. These
 * parts add up to 1.32 alpha, so all gates of a commit together fail an unchanged
 * commit with a probability of at most 4/3 of alpha, however they depend on
 * each other. `number` 0, a commit that is unknown: alpha. With 0.6 the parts add up
 * to less than alpha, but the first gate, usually the only one, finds fewer: 62 %
 * instead of 65 % (normal 1.5 %, 3/20). With 1, a gate fails 2.5 % of the unchanged
 * heads of the worst cell (AR 0.8, 5/20).
 *
 * A simulation of z tests at alpha 1 %, of which one in five has a rise of four
 * deviations: percent of unchanged commits with any false alarm for 1, 3, 10 and
 * 30 gates, and percent of rises found (60,000 independent gates each, so the
 * fourth column has a deviation of 0.2):
 *
 *   alpha for each gate      1.0  2.8  9.3  27      95  95  95  95
 *   0.8 / number²            0.8  1.1  1.2  1.3     94  87  73  54
 *   0.61 / number²           0.6  0.9  1.1  1.4     93  86  72  52
 *   1 / (number² + number)   0.5  0.8  1.1  1.3     92  86  74  56
 *   LORD++                   0.3  0.5  0.6  0.7     90  83  75  71
 *   SAFFRON                  0.2  0.3  0.5  0.6     85  82  77  75
 *
 * The two online rules find more from about ten gates on, but less with few, which
 * is the usual case. They assume independent gates, and gates of one head are not:
 * at a correlation of 0.8, SAFFRON fails 1.7 % of the unchanged commits with 30
 * gates. Their alpha also depends on the outcomes of earlier gates, so a
 * user cannot compute it by hand. */
double regression_gate_alpha(double alpha, uint32_t number);

/* Sets the defaults of gate.h (model). */
void regression_gate_policy_init(struct gate_policy *p);
/* False if a rule is invalid (ERR_INPUT). */
bool regression_gate_policy_check(const struct gate_policy *p, struct err *e);
/* False if a rule is invalid, or memory is short. */
bool regression_gate_from(const struct gate_given *given,
	const struct gate_policy *p, struct arena *a, struct gate *out,
	struct err *e);
