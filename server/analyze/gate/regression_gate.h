/* regression_gate.h - applies gate rules to a comparison. Deterministic for a
 * seed, without I/O.
 *
 * The rules for the iteration, operators, headroom and bus bandwidth use one value
 * per unit (level_test.h). Bus bandwidth is tested as its inverse, the time per
 * byte, so that "above" means worse for all of them. Their outcomes are:
 *
 *  - regressed: the head is above the base by the limit or more, and the
 *    one-sided p of this difference is at most alpha;
 *  - pass: the head is above the base by less than the limit, or not above it;
 *  - undecided: all other cases.
 *
 * A head of one unit never fails a gate. A base of one unit does not either if
 * there are no repeats that show how much runs differ. With a given floor, both
 * can fail. Functions are classified by compare_from(), whose floors include
 * the units of both sides. A function passes if its change is less than
 * share_pct of the iteration.
 *
 * If the base changed its level (change_point.h), a head at the new level does
 * not fail: gate_rule.since_run.
 *
 * The bus bandwidth of a unit is Σ bytes·factor / Σ time of its collectives with
 * known size and process group, without sends and receives. The time of a job's
 * collective is the shortest of its ranks, which contains no waiting for each
 * other; a single run has only its own durations.
 *
 * alpha is divided among the rules: eight parts for the iteration, and two
 * parts each for all operators together, for headroom, for bus bandwidth and for
 * all functions together. The parts of rules that are not in use are distributed to the
 * others.
 *
 * Measured (tests/sim: 20 histories per kind; each has 200 heads of three runs
 * of 30 iterations, with 3 % between runs; five heads are slower by 5 to 10 %,
 * and all later heads, too; the base is the newest 60 runs). The columns are
 * the share of slower heads that fail, and of other heads that fail:
 *
 *   all functions slower, 3 % common to a run (base: 20 runs)  82 %, 0.7 % (75, 0.6)
 *   one function slower, 3 % of each function                  100 %, 0.4 %
 *   both kinds of 3 %                                          92 %, 0.8 %
 *   never merged (95.4 % of the intervals hold the truth)      83 %, 0.8 %
 *   with a drift of 5 % as well; with five faster heads         86, 84 %; 0.8, 0.5 %
 *   3 runs of 10 are on a machine that is 6 % slower           74 %, 1.0 %
 *   3 heads of 10 are, with all their runs                     31 %, 1.9 % */
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
struct gate_given {
	const struct compared_run *base, *head;
	uint32_t base_n, head_n;
	const struct repeats *repeats;
	const struct gate_operator_time *operators;
	uint32_t operators_n;
};

/* Sets the defaults of gate.h (model). */
void regression_gate_policy_init(struct gate_policy *p);
/* False if a rule is invalid (ERR_INPUT), or memory is short. */
bool regression_gate_from(const struct gate_given *given,
	const struct gate_policy *p, struct arena *a, struct gate *out,
	struct err *e);
