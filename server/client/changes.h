/* changes.h - a comparison from the server, and its text for a terminal.
 *
 * This module computes nothing: all figures come from the server. The text
 * shows the headline, the findings, where the time of an iteration is spent,
 * all operators if they are known, and the functions that a user may want to act
 * on. It only gives the number of the other functions. */
#pragma once
#include "arena.h"
#include "err.h"
#include "terminal.h"
#include <stdint.h>

/* One row: a part of the iteration, an operator, or a function. Text has no control
 * characters; an unknown number is NaN. */
struct change_line {
	const char *verdict, *evidence; /* verdict "": none */
	const char *name, *device; /* device "": none */
	const char *head_name; /* "": `name` */
	double base_ns, head_ns, delta_ns, ratio, p_family;
	double base_launches, head_launches;
	const char *kernels; /* of an operator, on each side: "a → b"; "" */
};

struct change_side {
	const char *ids; /* of its runs: "1,2,3" */
	double iteration_ns;
	int64_t runs, iterations, iterations_used;
	const char *detector;
};

/* The terms of a mean time, which add up to the first line. */
struct change_terms {
	const char *of, *reason; /* reason: why it is no output token; "" */
	struct change_term_line {
		const char *name;
		int64_t base_ns, head_ns, delta_ns;
		double low_ns, high_ns;
	} * lines;
	size_t n; /* 0: none */
	double base_median_ns, head_median_ns, base_tokens, head_tokens;
	int64_t by_tokens_ns;
};

struct change_finding {
	const char *severity, *text;
};

struct change_count {
	const char *verdict;
	int64_t n;
};

struct changes {
	struct arena arena;
	const char *headline;
	bool comparable;
	struct change_finding *findings;
	struct change_side base, head;
	bool by_operator;
	struct change_line *split, *operators, *items;
	struct change_terms terms;
	struct change_count *counts;
	double common; /* ratio by which most kernels changed; NaN: none */
	int64_t seed, permutations;
	size_t findings_n, split_n, operators_n, items_n, counts_n;
};

/* Parses an answer of GET /compare with the score `verdict`. Returns false with
 * a message if it is something else. */
bool changes_init(struct changes *c, const char *body, size_t len,
	struct err *e);
void changes_release(struct changes *c);
void changes_print(const struct changes *c, const struct terminal *t);
