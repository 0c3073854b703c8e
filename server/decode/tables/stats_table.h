/* stats_table.h - recognizes the kernel summary of nsys stats by a line of it */
#pragma once
#include <stdbool.h>
#include <stddef.h>

/* Whether a line is the heading of a table that `nsys stats` prints; whether it
 * is a row of a kernel summary that was printed without one (csv:nohdr). */
bool stats_table_is_heading(const char *line, size_t len);
bool stats_table_is_row(const char *line, size_t len);
