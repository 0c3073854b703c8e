/* stats_heading.h - the heading of a table of kernel statistics.
 *
 * nsys stats prints one heading in many ways: as CSV or below each other in
 * columns, with units or without, older versions with other words; people paste
 * it with tabs. Columns are known by their names, in any order. */
#pragma once
#include "cells.h"
#include "figure.h"

/* The first three are what a table cannot do without. */
enum stats_column {
	STATS_TOTAL,
	STATS_INSTANCES,
	STATS_NAME,
	STATS_NEEDED,
	STATS_PCT = STATS_NEEDED,
	STATS_AVG,
	STATS_MED,
	STATS_MIN,
	STATS_MAX,
	STATS_STDDEV,
	STATS_GRID,
	STATS_BLOCK,
	STATS_COLUMNS
};

enum stats_layout {
	STATS_CSV,
	STATS_TABS,
	STATS_SPACES, /* a row of dashes below tells the columns' places */
};

enum { STATS_HEADING_MAX = 1024 };

struct stats_heading {
	enum stats_layout layout;
	size_t cells;
	int at[STATS_COLUMNS]; /* index of the cell, -1 where there is none */
	enum figure_unit unit[STATS_COLUMNS];
	int unknown; /* columns nobody knows */
	struct cell first_unknown; /* in `text` */
	struct cells columns; /* in `text` */
	struct extent places[CELLS_MAX]; /* STATS_SPACES */
	char text[STATS_HEADING_MAX];
};

/* False where the line is no heading of `nsys stats`: one begins with
 * "Time (%)", or with "Time" and "Total Time". */
bool stats_heading_from(struct stats_heading *h, const char *line, size_t len);

/* Whether it is one of a kernel summary: has what it cannot do without. */
bool stats_heading_kernels(const struct stats_heading *h);

/* Which of that it lacks: "'Instances' and 'Name'", in `to`. */
void stats_heading_lacks(const struct stats_heading *h, char *to, size_t cap);

/* Takes the places of the columns from a row of dashes; false where the line
 * is none, or of other columns. */
bool stats_heading_places(struct stats_heading *h, const char *line,
	size_t len);
