/* blocks.h - cycles in a row, taken together until they can be exchanged.
 *
 * Cycles of a process are alike to their neighbours; blocks of enough of them
 * are not. A block lies within one unit; all have the same length give or take
 * one cycle. Where units are what is exchanged, each is one block. */
#pragma once
#include "verdict.h"

struct block {
	uint32_t from, to; /* cycles of its side */
	uint32_t unit;
};

struct blocks {
	uint32_t length; /* cycles; 0 where blocks are units */
	uint32_t base_n, head_n;
	const struct block *base, *head;
	/* Degrees of freedom that went with what units of a side differ by. */
	uint32_t base_lost, head_lost;
	/* What is left of correlation between blocks: the deviation of a mean
	 * difference is that much greater than blocks tell. */
	double widen;
};

/* False where the arena is full. */
bool blocks_from(const struct verdict_input *in, uint32_t length,
	struct arena *a, struct blocks *out);

/* How many degrees of freedom the blocks' variance has, of both sides. */
double blocks_df(const struct blocks *b);

/* Means of each block of x / factor, base's then head's. `factor` NULL: 1. Where
 * blocks are not units, what units of a side differ by is taken out, and what is
 * left is widened so that its variance is still that of blocks. */
void blocks_means(const struct blocks *b, const struct verdict_row *row,
	const double *base_factor, const double *head_factor, double *means);
