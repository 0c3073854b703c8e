/* changes.h - a comparison of the server, and its text for a terminal.
 *
 * Nothing is computed here: all figures are the server's. The text has the
 * headline, the findings, where the time of an iteration is spent, and the rows
 * that a user may want to act on; the other rows are counted. */
#pragma once
#include "arena.h"
#include "err.h"
#include <stdint.h>
#include <stdio.h>

/* A part of the iteration, or a function. Text has no control characters; an
 * unknown number is NaN. */
struct change_line {
	const char *verdict, *evidence; /* verdict "": none */
	const char *name, *device; /* device "": none */
	double base_ns, head_ns, delta_ns, ratio, p_family;
	double base_launches, head_launches;
};

struct change_side {
	double iteration_ns;
	int64_t runs, iterations, iterations_used;
	const char *detector;
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
	struct change_line *split, *items;
	struct change_count *counts;
	double common; /* ratio by which all kernels changed; NaN: none */
	int64_t seed, permutations;
	size_t findings_n, split_n, items_n, counts_n;
};

/* Reads an answer of GET /compare, score verdict. False with a message if it
 * is not one. */
bool changes_init(struct changes *c, const char *body, size_t len,
	struct err *e);
void changes_release(struct changes *c);
void changes_print(const struct changes *c, FILE *out);
