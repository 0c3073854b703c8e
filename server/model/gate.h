/* gate.h - the rules of a gate, and its outcome.
 *
 * A gate holds a head against a baseline under rules. Each rule says pass,
 * regressed or undecided. The gate's outcome is bad data if the data do not meet
 * its requirements, else the worst of its rules. Times are nanoseconds per
 * iteration; a change in percent is of the base. NaN: unknown. Text is the arena's. */
#pragma once
#include "comparison.h"

/* As programs exit with them. */
enum gate_outcome { GATE_PASS, GATE_REGRESSED, GATE_UNDECIDED, GATE_BAD_DATA };
/* "pass", "regressed", "undecided", "bad_data". */
const char *gate_outcome_word(enum gate_outcome o);

enum gate_rule_kind {
	GATE_ITERATION, /* the iteration's whole time */
	GATE_OPERATOR, /* an operator's time of an iteration */
	GATE_HEADROOM, /* time above what the hardware could do, of an iteration */
	GATE_FUNCTIONS, /* classes of single functions */
};

struct gate_operator_limit {
	const char *op;
	double pct;
};

/* gate_policy.def describes the members. NaN: the gate does not have the limit, or
 * the noise floor is estimated. Classes are bits 1 << enum change_class, findings
 * bits 1 << enum finding_code. */
struct gate_policy {
#define POLICY(kind, field, ...) GATE_MEMBER_##kind(field)
#define GATE_MEMBER_LIMIT(field) double field;
#define GATE_MEMBER_REAL(field) double field;
#define GATE_MEMBER_FLOOR(field) double field;
#define GATE_MEMBER_COUNT(field) uint32_t field;
#define GATE_MEMBER_CLASSES(field) uint32_t field;
#define GATE_MEMBER_FINDINGS(field) uint64_t field;
#define GATE_MEMBER_SEED(field) uint64_t field;
#define GATE_MEMBER_OPERATORS(field)       \
	struct gate_operator_limit *field; \
	uint32_t field##_n;
#include "gate_policy.def"
#undef POLICY
};

/* One number per unit (a run, or a job), oldest first. */
struct gate_values {
	const double *base, *head;
	uint32_t base_n, head_n;
};

struct gate_rule {
	enum gate_rule_kind kind;
	const char
		*of; /* operator or function; NULL: the iteration, headroom */
	const char *
		device; /* of a function, if the row is of one device; else NULL */
	enum gate_outcome outcome; /* not BAD_DATA */
	double limit_pct;
	double base_ns, head_ns, change_pct, low_pct, high_pct, p;
	double floor, floor_df; /* between runs, as in struct change */
	/* Slower than most of the baseline, but no slower than its newest part: the
	 * first run of that part; 0 none. It is then not this head's doing. */
	int64_t since_run;
	/* Runs of the head, in all, that would probably decide; 0: it is decided;
	 * -1: no number of them would, the baseline is too small. */
	int32_t runs_needed;
	const char *sentence;
};

struct gate {
	enum gate_outcome outcome;
	const char *sentence; /* one that says it all */
	struct gate_rule
		*rules; /* regressed, undecided, pass; by time at stake */
	uint32_t rules_n;
	struct gate_shortfall { /* why the data are bad */
		const char *
			what; /* finding's name, or "runs", "iterations", "coverage",
				     "attributed" */
		const char *sentence;
	} * shortfalls;
	uint32_t shortfalls_n;
	int32_t runs_needed; /* the most that an undecided rule needs */
	struct comparison compared;
};
