/* table_magic.h - recognizes a text table by one line of it */
#pragma once
#include <stdbool.h>
#include <stddef.h>

/* stats_table_is_heading(): whether a line is the heading of a table that `nsys
 * stats` prints. The other function: whether a line is a row of a kernel
 * summary that was printed without a heading (csv:nohdr). */
bool stats_table_is_heading(const char *line, size_t len);
bool stats_table_is_row(const char *line, size_t len);

enum pattern_kind { PATTERN_NO_HEADING, PATTERN_HEADING, PATTERN_COUNTERS };

/* Which heading a line is: that of a pattern file or that of its counters. */
enum pattern_kind pattern_file_heading_of(const char *line, size_t len);
