/* compare_size.h - whether two strata worked on the same sizes.
 *
 * Of every operator that both have, the share of its calls on sizes that both
 * have; over operators the mean, weighted by the root of how often each came, so
 * that neither bookkeeping in loops decides nor what comes once. Where operators
 * are not told on both sides, kernels and their grids take their place. Operators
 * of one side alone are a change of the code, and say nothing of the work. */
#pragma once
#include "arena.h"
#include "cycles.h"
#include "names.h"

/* A stratum's works with numbers in their sizes, by name, then size. */
struct size_list {
	struct size_row {
		uint32_t name, size; /* in size_words */
		double share; /* of the name's calls */
		double calls; /* the name's, per cycle */
	} * rows[2]; /* by enum work_kind */
	uint32_t n[2];
};

/* `words` gives equal texts equal numbers, over all lists that are compared. */
void size_list_from(const struct cycles *c, uint32_t stratum,
	struct names *words, struct arena *a, struct size_list *out);

/* 0 to 1; -1 where there is nothing that both tell. */
double size_agreement(const struct size_list *a, const struct size_list *b);

/* What differs most often, for people: text[0] of a, text[1] of b. False where
 * no operator or kernel has other sizes in b. */
bool size_difference(const struct size_list *a, const struct size_list *b,
	const struct names *words, struct arena *arena, const char *text[2]);
