/* breakdown_compare.h - compares breakdowns of several runs, row by row.
 *
 * Rows are matched by kind of layer, block and role. A line is the smallest set
 * of roles that no side's row crosses, so one kernel on a side may match three
 * on another. Rows without a role are matched by module, else by kernel, in
 * their order. Nothing is left out: a line that a side does not have is marked
 * as such. Pure; all is allocated in the arena. */
#pragma once
#include "arena.h"
#include "breakdown.h"

enum { BREAKDOWN_COMPARE_MAX = 8 };

/* One run's breakdown, as stored; kernels are names. */
struct breakdown_compare_side {
	const struct breakdown *breakdown;
	const char *const *kernels; /* by breakdown_row.kernel */
	const char *const *short_names;
};

struct breakdown_compare_cell {
	uint32_t rows_n; /* 0: this side has no such line */
	const uint32_t *rows; /* of the side's breakdown, in order */
	double sum_ns; /* mean per instance of the section, rounded to tenths like all means; NaN without rows */
	double s; /* T_SOL over time; NaN unknown */
	double diff_ns, diff_pct; /* to the first side; NaN unknown */
};

enum breakdown_compare_match {
	COMPARE_BY_ROLE, /* by role */
	COMPARE_BY_MODULE, /* by the module's name */
	COMPARE_BY_KERNEL, /* by the kernel's name */
	COMPARE_ALONE, /* one side has it */
};

struct breakdown_compare_line {
	uint32_t block; /* index into blocks */
	enum breakdown_compare_match match;
	layer_roles roles;
	const char *module; /* of the first side that has one; NULL */
	struct breakdown_compare_cell cells[BREAKDOWN_COMPARE_MAX];
};

/* A block of a section; NaN if a side has none. */
struct breakdown_compare_block {
	uint32_t section;
	enum layer_block_kind kind;
	uint32_t parallel_to; /* as in breakdown_block, of this list */
	double sum_ns[BREAKDOWN_COMPARE_MAX];
};

struct breakdown_compare_section {
	enum section_place place;
	const char *name; /* if sides have the same name; else NULL */
	uint32_t of
		[BREAKDOWN_COMPARE_MAX]; /* each side's section; UINT32_MAX none */
	double sum_ns
		[BREAKDOWN_COMPARE_MAX]; /* of its rows, mean per instance */
};

struct breakdown_compare {
	uint32_t sides_n;
	struct breakdown_compare_section *sections;
	struct breakdown_compare_block *blocks;
	struct breakdown_compare_line *lines; /* by block, as they come */
	uint32_t sections_n, blocks_n, lines_n;
};

/* Compares `sides_n` breakdowns, 2 to BREAKDOWN_COMPARE_MAX. Returns false if
 * the arena is full. */
bool breakdown_compare_from(const struct breakdown_compare_side *sides,
	uint32_t sides_n, struct arena *a, struct breakdown_compare *out);
