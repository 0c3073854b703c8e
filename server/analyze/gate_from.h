/* gate_from.h - a comparison and rules become an outcome: pure, seeded.
 *
 * The rule of the cycle, of operators and of headroom rests on one number per
 * unit. Their logarithms differ between runs by a deviation that is learnt from
 * the sides' own units beside each other in time (floor.h's variance, moderated by
 * what stored repeats tell, or by 3 %), so that a level that changed within the
 * baseline is not taken for chance. Regressed: the change is at least the limit
 * and the one-sided p of its t is within alpha. Pass: the interval ends below the
 * limit, or the change does and is not shown. Undecided: anything else, and
 * wherever a side has one unit and no repeats tell how much runs differ. Functions
 * are judged by compare_from, whose floors hear the sides' own units as well.
 *
 * A baseline that changed its level (change_point.h) accuses nobody who is at the
 * new one: gate_rule.since_run.
 *
 * What a gate with these rules finds, and whom it accuses, is measured in
 * tests/sim (sim_gate.c), which prints it. */
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
