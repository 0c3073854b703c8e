/* beside.h - breakdowns of several runs, row by row.
 *
 * Rows are put together by kind of layer, block and role: a line is the smallest
 * set of roles that no side's row crosses, so that one kernel on a side may stand
 * beside three on another. What has no role goes by module, else by kernel, in its
 * order. Nothing is left out: a line that a side does not have says so. Pure; all
 * is in the arena. */
#pragma once
#include "arena.h"
#include "breakdown.h"

enum { BESIDE_MOST = 8 };

/* One run's, as stored; kernels are names. */
struct beside_side {
	const struct breakdown *breakdown;
	const char *const *kernels; /* by breakdown_row.kernel */
	const char *const *short_names;
};

struct beside_cell {
	uint32_t rows_n; /* 0: this side has no such line */
	const uint32_t *rows; /* of the side's breakdown, in order */
	double sum_ns; /* mean per instance of the section, in tenths as all such;
		NaN without rows */
	double s; /* T_SOL over time, of what is known; NaN unknown */
	double diff_ns, diff_pct; /* to the first side; NaN unknown */
};

enum beside_match {
	BESIDE_ROLE, /* by role */
	BESIDE_MODULE, /* by the module's name */
	BESIDE_KERNEL, /* by the kernel's name */
	BESIDE_ALONE, /* one side has it */
};

struct beside_line {
	uint32_t block; /* index into blocks */
	enum beside_match match;
	layer_roles roles;
	const char *module; /* of the first side that has one; NULL */
	struct beside_cell cells[BESIDE_MOST];
};

/* A block of a section; NaN where a side has none. */
struct beside_block {
	uint32_t section;
	enum layer_block_kind kind;
	uint32_t beside; /* as in breakdown_block, of this list */
	double sum_ns[BESIDE_MOST];
};

struct beside_section {
	enum section_place place;
	const char *name; /* where sides name it alike; else NULL */
	uint32_t of[BESIDE_MOST]; /* each side's section; UINT32_MAX none */
	double sum_ns[BESIDE_MOST]; /* of its rows, mean per instance */
};

struct beside {
	uint32_t sides_n;
	struct beside_section *sections;
	struct beside_block *blocks;
	struct beside_line *lines; /* by block, as they come */
	uint32_t sections_n, blocks_n, lines_n;
};

/* `sides_n` is 2 to BESIDE_MOST. False where the arena is full. */
bool beside_from(const struct beside_side *sides, uint32_t sides_n,
	struct arena *a, struct beside *out);
