/* changes.h - a comparison as the server tells it, and as a terminal shows it.
 *
 * Nothing is computed here: figures are the server's, made readable. What is
 * shown are headline, findings, where the time of a cycle goes and the rows that
 * somebody may want to act on; the rest is counted. */
#pragma once
#include "arena.h"
#include "err.h"
#include <stdint.h>
#include <stdio.h>

/* A part of the cycle, or a function. Text holds no control characters; a
 * number that the server does not know is NaN. */
struct change_line {
	const char *verdict, *evidence; /* verdict "" where nothing is judged */
	const char *name, *device; /* device "" none */
	double base_ns, head_ns, delta_ns, ratio, p_family;
	double base_launches, head_launches;
};

struct change_side {
	double cycle_ns;
	int64_t runs, cycles, cycles_used;
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
	double common; /* ratio of all kernels alike; NaN none */
	int64_t seed, permutations;
	size_t findings_n, split_n, items_n, counts_n;
};

/* Reads an answer of GET /compare, score verdict. False with a sentence where
 * it is none. */
bool changes_init(struct changes *c, const char *body, size_t len,
	struct err *e);
void changes_release(struct changes *c);
void changes_print(const struct changes *c, FILE *out);
