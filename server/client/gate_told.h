/* gate_told.h - a gate as the server answers it, and as a terminal shows it.
 *
 * Nothing is judged here: outcome, figures and sentences are the server's. Text
 * holds no control characters and nothing that GitHub's runner, which reads what
 * a step prints, would take for a command of its own. */
#pragma once
#include "arena.h"
#include "err.h"
#include <stdint.h>
#include <stdio.h>

/* As `kernsift gate` exits with them. */
enum gate_told_outcome {
	GATE_TOLD_PASS,
	GATE_TOLD_REGRESSED,
	GATE_TOLD_UNDECIDED,
	GATE_TOLD_BAD_DATA,
};

/* What a rule says; a number that the server does not know is NaN. */
struct gate_told_rule {
	const char *rule, *of, *device, *sentence; /* "" none */
	enum gate_told_outcome outcome;
	double limit_pct, base_ns, head_ns, change_pct, low_pct, high_pct, p;
	int64_t since_run; /* 0 none */
};

struct gate_told_side {
	const char *asked;
	int64_t units, cycles;
};

struct gate_told {
	struct arena arena;
	int64_t id;
	enum gate_told_outcome outcome;
	const char *sentence, *compare; /* the page's path; "" none */
	int64_t runs_needed; /* 0 decided, -1 the baseline is too small */
	struct gate_told_side base, head;
	struct gate_told_rule *rules;
	const char **shortfalls, **findings; /* sentences */
	size_t rules_n, shortfalls_n, findings_n;
};

/* Reads an answer of POST /gates. False with a sentence where it is none. */
bool gate_told_init(struct gate_told *g, const char *body, size_t len,
	struct err *e);
void gate_told_release(struct gate_told *g);
/* `server`: whose pages the links name. */
void gate_told_print(const struct gate_told *g, const char *server, FILE *out);
