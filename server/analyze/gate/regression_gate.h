/* regression_gate.h - a comparison and rules become an outcome: pure, seeded.
 *
 * The rules of the cycle, of operators and of headroom rest on one number per unit
 * (gate_level.h). Regressed: the head is above the base by the limit or more, and
 * the one-sided p of that is within alpha. Pass: it is above by less, or not at all.
 * Undecided: anything else. One unit of the head accuses nobody, nor does a base of
 * one unit where no repeats tell how much runs differ; with a floor that is given
 * they may. Functions are judged by compare_from(), whose floors hear the sides' own
 * units, and let pass where their change is less than share_pct of the cycle.
 *
 * A baseline that changed its level (change_point.h) accuses nobody who is at the
 * new one: gate_rule.since_run.
 *
 * alpha is shared: of eight parts the cycle, of two each all operators together,
 * headroom, functions as a family; what is not asked leaves its part to the others.
 *
 * Measured (tests/sim: of each kind 20 histories of 200 heads of three runs of 30
 * cycles, 3 % between runs; five heads are slower by 5 to 10 % and stay so; the base
 * are the newest 60 runs; slower heads found, others accused):
 *
 *   all functions slower, 3 % common to a run (base: 20 runs)  82 %, 0.7 % (75, 0.6)
 *   one function slower, 3 % of each function                  100 %, 0.4 %
 *   both kinds of 3 %                                          92 %, 0.8 %
 *   never merged (95.4 % of the intervals hold the truth)      83 %, 0.8 %
 *   beside them a drift of 5 %; five heads that are faster     86, 84 %; 0.8, 0.5 %
 *   3 runs of 10 are on a machine that is 6 % slower           74 %, 1.0 %
 *   3 heads of 10 are, with all their runs                     31 %, 1.9 % */
#pragma once
#include "compare.h"
#include "gate.h"

/* Per unit and operator: what store/ tells of the sides' runs. */
struct gate_operator_time {
	int64_t run;
	const char *operator; /* NULL: unattributed */
	double share; /* of the run's GPU time, 0..1 */
	double headroom; /* likewise, of its time above T_SOL; NaN unknown */
};
struct gate_given {
	const struct compared_run *base, *head;
	uint32_t base_n, head_n;
	const struct repeats *repeats;
	const struct gate_operator_time *operators;
	uint32_t operators_n;
};

/* The defaults that gate.h (model) tells. */
void gate_policy_init(struct gate_policy *p);
/* False where a rule makes no sense, or memory ends. */
bool gate_from(const struct gate_given *given, const struct gate_policy *p,
	struct arena *a, struct gate *out, struct err *e);
