/* gate.h - the rules of a gate, and its outcome.
 *
 * A gate compares a head with a baseline and applies rules to the comparison.
 * The outcome of each rule is pass, regressed or undecided. If the data do not
 * meet the gate's requirements, the gate's outcome is bad data, else it is the
 * worst outcome of its rules. Times are nanoseconds per iteration. A change in
 * percent is relative to the base. NaN means unknown. The arena owns all
 * texts. */
#pragma once
#include "comparison.h"

/* The values are the exit statuses of programs. */
enum gate_outcome { GATE_PASS, GATE_REGRESSED, GATE_UNDECIDED, GATE_BAD_DATA };
/* "pass", "regressed", "undecided", "bad_data". */
const char *gate_outcome_word(enum gate_outcome o);

enum gate_rule_kind {
	GATE_ITERATION, /* the duration of an iteration */
	GATE_OPERATOR, /* the time of an operator per iteration */
	GATE_HEADROOM, /* the headroom per iteration */
	GATE_BUSBW, /* the bus bandwidth of collectives, which is better higher */
	GATE_MEASURE, /* a result of a benchmark */
	GATE_ANCHOR, /* the duration of an iteration, against the anchor */
	GATE_FUNCTIONS, /* the classes of single functions */
};

struct gate_limit {
	const char *of; /* an operator, or a measure */
	double pct;
};

/* gate_policy.def describes the members. A limit that is NaN does not apply; if
 * the noise floor is NaN, it is estimated. A set of classes has the bits
 * 1 << enum change_class, a set of findings the bits 1 << enum finding_code. */
struct gate_policy {
#define POLICY(kind, field, ...) GATE_MEMBER_##kind(field)
#define GATE_MEMBER_LIMIT(field) double field;
#define GATE_MEMBER_REAL(field) double field;
#define GATE_MEMBER_FLOOR(field) double field;
#define GATE_MEMBER_COUNT(field) uint32_t field;
#define GATE_MEMBER_CLASSES(field) uint32_t field;
#define GATE_MEMBER_FINDINGS(field) uint64_t field;
#define GATE_MEMBER_SEED(field) uint64_t field;
#define GATE_MEMBER_OPERATORS(field) \
	struct gate_limit *field;    \
	uint32_t field##_n;
#define GATE_MEMBER_MEASURES(field) GATE_MEMBER_OPERATORS(field)
#include "gate_policy.def"
#undef POLICY
};

/* One value per unit (a run, or a job), oldest first. */
struct gate_values {
	const double *base, *head;
	uint32_t base_n, head_n;
};

/* The label that names the commit of a run, unless the request names another. */
#define GATE_UNIT "commit"
/* Labels that name a commit: most runs of a branch differ in them, so they do not
 * say whether runs do the same work. */
#define GATE_COMMIT_LABELS "commit,revision,sha,build"

/* A stored unit of the same work as the head (a run, or a job). */
struct gate_stored_unit {
	int64_t run; /* of a job, the run with the lowest rank */
	int64_t stored; /* us since 1970 */
	const char *commit; /* NULL unknown */
	double ns; /* median of the kept iterations; of a job, the mean over
		its ranks */
};

/* Units that were stored before the head, oldest first, and the head's own. */
struct gate_history {
	const struct gate_stored_unit *units, *head;
	uint32_t n, head_n;
	/* The first units of `units` are those that the user named as the
	 * anchor, by this query. None: NULL, and the anchor is found. */
	uint32_t named;
	const char *query;
	uint32_t excluded; /* runs that the query selects, and that do other
		work */
	const char *labels; /* "branch=main, host=a": those of the base, which
		all units have that the user did not name; NULL: none */
	const char *reason; /* why the history cannot be used; NULL: it can */
};

/* The level against which creep is tested. */
struct gate_anchor {
	const char *query; /* NULL: the lowest level of the history */
	const struct gate_stored_unit *const *units;
	uint32_t units_n, commits; /* commits 0: no commit is known */
	uint32_t excluded; /* as in struct gate_history */
	uint32_t levels; /* it is the lowest of this many */
	int64_t since, until; /* when the first and last unit were stored */
	double median_ns;
	const char *reason; /* why there is no anchor; NULL: there is one */
};

struct gate_rule {
	enum gate_rule_kind kind;
	const char *of; /* operator, measure or function; NULL for all others */
	const char *
		device; /* of a function, if the row is of one device; else NULL */
	enum gate_outcome outcome; /* not BAD_DATA */
	double base_ns, head_ns; /* GATE_ANCHOR: base is the anchor's level */
	double base_gb_s, head_gb_s; /* of GATE_BUSBW, which has no times */
	double base_value, head_value; /* of GATE_MEASURE, which has no times */
	const char *unit; /* of these two values; NULL unknown */
	bool fall; /* a lower value is worse: limit_pct is that of a fall */
	/* The change, its 95 % interval and the limit, relative to the base. A
	 * rule has one of the two limits; the other is NaN. */
	double limit_pct, change_pct, low_pct, high_pct;
	/* The same, as percentages of the base's iteration: of GATE_HEADROOM
	 * and GATE_FUNCTIONS. */
	double iteration_limit_pct, iteration_change_pct, iteration_low_pct,
		iteration_high_pct;
	/* p: one-sided, the probability of so large a rise (or fall, if `fall`)
	 * by chance, of this rule's test alone. p_family: GATE_ANCHOR: p times
	 * the number of levels of which the anchor is the lowest.
	 * GATE_FUNCTIONS: change.p_family, which is two-sided. A rule fails only
	 * if those that are known are at most `alpha`, except that p_family does
	 * not decide whether a function appeared, vanished or is likely. */
	double p, p_family, alpha;
	double floor, floor_df; /* between runs, as in struct change */
	/* Units before the baseline that the floor is of, too, and commits whose
	 * differences are part of it; 1: how much commits differ is not known. 0:
	 * the floor is given. Of a function, both are those of p alone. */
	uint32_t earlier_units, commits;
	/* If the head is slower than most of the baseline, but not slower than
	 * the newest part of the baseline: the first run of that part. This
	 * head did not cause the slowdown then. Else 0. */
	int64_t since_run;
	/* Total number of runs of the head with which the rule would probably
	 * be decided. 0: it is decided. -1: no number of runs would decide it,
	 * because the baseline is too small. */
	int32_t runs_needed;
	const char *sentence;
};

struct gate {
	enum gate_outcome outcome;
	const char *sentence; /* summary in one sentence */
	struct gate_rule
		*rules; /* regressed, undecided, pass; then by change in time */
	uint32_t rules_n;
	struct gate_shortfall { /* a requirement that the data do not meet */
		const char *
			what; /* finding's name, or "runs", "iterations", "coverage",
				     "attributed" */
		const char *sentence;
	} * shortfalls;
	uint32_t shortfalls_n;
	int32_t runs_needed; /* the maximum over the undecided rules */
	struct gate_anchor anchor;
	struct comparison compared;
};
