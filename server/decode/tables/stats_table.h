/* stats_table.h - decodes the kernel summary of nsys stats */
#pragma once
#include "stats_heading.h"
#include "trace.h"

/* one line of a table of kernel statistics, read.
 *
 * A line that cannot be read wholly is not read at all: a figure that is not
 * surely one costs its row, never a digit. Only a cell that is empty is
 * something the table does not tell, unless it is one of those a row cannot do
 * without. */

struct stats_line {
	struct stat_row row; /* but its name, source and launch */
	struct cell name;
	struct cell before; /* what stands in front of the percentage */
	bool is_path; /* it looks like one */
	bool rounded; /* a time has a unit above the nanosecond */
	bool has_grid;
	struct launch_shape shape;
};

/* Reads a record's cells by the heading they stand under. */
bool stats_line_read(struct stats_line *l, const struct stats_heading *h,
	struct cells *c);
