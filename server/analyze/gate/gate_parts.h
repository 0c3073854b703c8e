/* gate_parts.h - what the parts of gate_from.c hand each other. */
#pragma once
#include "compare_state.h"
#include "regression_gate.h"
#include "level_test.h"

struct gating {
	const struct gate_given *given;
	const struct gate_policy *p;
	struct arena *a;
	struct compare *c;
	struct gate *out;
	/* How alpha is shared: among rules that are asked, by their weight. */
	double alpha[GATE_FUNCTIONS + 1];
	uint32_t *units[2],
		units_n[2]; /* that have cycles enough, oldest first */
};

/* gate_data.c: what is demanded of the data, and not there. */
void gate_data_from(struct gating *g);
void gate_shortfall_add(struct gating *g, const char *what,
	const char *sentence);
/* Units that have cycles enough. */
void gate_units_from(struct gating *g);

/* gate_units.c: numbers of units, and the first run of each of the base. NaN ones
 * are left out. */
struct gate_units {
	struct gate_values v;
	int64_t *runs;
};
struct gate_units gate_units_cycle(const struct gating *g);
struct gate_units gate_units_row(const struct gating *g,
	const struct compare_row *row);
/* Of an operator, its time of a cycle; of NULL, headroom, and *covered the mean
 * time of operators whose headroom is known. */
struct gate_units gate_units_operator(const struct gating *g,
	const char *operator, double * covered);
/* Whether any is 0: there are no logarithms. */
bool gate_units_zero(const struct gate_values *v);
/* Share of GPU time that is attributed to operators; NaN unknown. */
double gate_attributed(const struct gating *g, int side);

/* gate_rules.c, gate_functions.c */
bool gate_rules_from(struct gating *g, struct err *e);
bool gate_functions_from(struct gating *g, struct err *e);
struct gate_rule *gate_rule_add(struct gating *g);

/* gate_text.c: sentences. */
const char *gate_text_rule(const struct gating *g, const struct gate_rule *r);
const char *gate_text_function(const struct gating *g,
	const struct gate_rule *r, const struct changed_row *row);
const char *gate_text_all(const struct gating *g);
