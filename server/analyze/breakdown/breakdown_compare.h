/* breakdown_compare.h - compares breakdowns of several runs, row by row.
 *
 * Rows are matched by kind of layer, block and role. Each line covers the
 * smallest set of roles such that every row of every side has roles of one line
 * only. So one kernel of a side may match three kernels of another side. Rows
 * without a role are matched by module, else by kernel, in their order. Kernels
 * are the same if their names are equal, except those of which an identity says
 * otherwise. Kernels that an identity sums up are one line. All rows of all
 * sides are in the result: if a side has no rows of a line, its
 * cell says so. The function is pure and allocates everything in the arena. */
#pragma once
#include "arena.h"
#include "breakdown.h"
#include "comparison.h"

enum { BREAKDOWN_COMPARE_MAX = 8 };

/* The stored breakdown of one run, and the names of its kernels. */
struct breakdown_compare_side {
	const struct breakdown *breakdown;
	const char *const *kernels; /* by breakdown_row.kernel */
	const char *const *short_names;
	/* Kernels of the first side and of this one that names do not match. */
	const struct kernel_identity *same;
	uint32_t same_n;
};

struct breakdown_compare_cell {
	uint32_t rows_n; /* 0: this side has no such line */
	const uint32_t *rows; /* of the side's breakdown, in order */
	double sum_ns; /* mean per instance of the section, rounded to tenths like all means; NaN without rows */
	double s; /* T_SOL over time; NaN unknown */
	double diff_ns, diff_pct; /* from the first side; NaN unknown */
};

enum breakdown_compare_match {
	COMPARE_BY_ROLE, /* by role */
	COMPARE_BY_MODULE, /* by the module's name */
	COMPARE_BY_KERNEL, /* by the kernel's name or identity */
	COMPARE_ALONE, /* only one side has such a row */
};

struct breakdown_compare_line {
	uint32_t block; /* index into blocks */
	enum breakdown_compare_match match;
	layer_roles roles;
	const char *module; /* of the first side that has one; NULL */
	/* How its kernels were found on the other sides, and what that rests on;
	 * of several identities the last kind in row_identity. */
	enum row_identity identity;
	const char *reason; /* NULL: by their names */
	struct breakdown_compare_cell cells[BREAKDOWN_COMPARE_MAX];
};

/* A block of a section. sum_ns is NaN for a side without this block. */
struct breakdown_compare_block {
	uint32_t section;
	enum layer_block_kind kind;
	uint32_t parallel_to; /* as in breakdown_block; an index into
		breakdown_compare.blocks */
	double sum_ns[BREAKDOWN_COMPARE_MAX];
};

struct breakdown_compare_section {
	enum section_place place;
	const char *name; /* NULL if sides have different names */
	uint32_t of
		[BREAKDOWN_COMPARE_MAX]; /* each side's section; UINT32_MAX none */
	double sum_ns
		[BREAKDOWN_COMPARE_MAX]; /* of its rows, mean per instance */
};

struct breakdown_compare {
	uint32_t sides_n;
	struct breakdown_compare_section *sections;
	struct breakdown_compare_block *blocks;
	struct breakdown_compare_line *lines; /* by block, in order */
	uint32_t sections_n, blocks_n, lines_n;
	/* By side and kernel: kernels with equal numbers are the same. */
	const uint32_t *kernel[BREAKDOWN_COMPARE_MAX];
};

/* The kernels of all sides: breakdown_identity.c. */
struct breakdown_identities {
	/* By side and kernel: kernels with equal numbers are the same; the
	 * identity that says so, NULL if it is the name. */
	uint32_t *number[BREAKDOWN_COMPARE_MAX];
	const struct kernel_identity **by[BREAKDOWN_COMPARE_MAX];
	bool *several; /* by number: whether a side has several such kernels */
	uint32_t n; /* numbers are below n */
};
/* Returns false if the arena is full. */
bool breakdown_identities_from(const struct breakdown_compare_side *sides,
	uint32_t sides_n, struct arena *a, struct breakdown_identities *out);

/* Compares `sides_n` breakdowns, 2 to BREAKDOWN_COMPARE_MAX. Returns false if
 * the arena is full. */
bool breakdown_compare_from(const struct breakdown_compare_side *sides,
	uint32_t sides_n, struct arena *a, struct breakdown_compare *out);
