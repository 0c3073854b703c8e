/* stats_headless.h - tables that nsys printed without their heading (csv:nohdr).
 *
 * Their columns are those of cuda_gpu_kern_sum or cuda_gpu_kern_gb_sum, by
 * their number. A line is taken for a row of such a table only where its
 * numbers agree with each other as these columns must: the average is total by
 * instances, to the printed digit, and lies with the median between minimum and
 * maximum. */
#pragma once
#include "stats_table.h"

/* Whether a line is such a row; *h is then the heading that its table lacks. */
bool stats_headless_from(struct stats_heading *h, const char *line, size_t len);

/* Whether the numbers of a row agree. */
bool stats_headless_agrees(const struct stats_line *l);
