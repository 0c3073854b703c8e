/* pattern_heading.h - the headings of pattern files and of their counters.
 *
 * Columns are known by their names, in any order. */
#pragma once
#include "cells.h"

/* The first PATTERN_NEEDED are what a file cannot do without. */
enum pattern_column {
	PATTERN_CYCLE,
	PATTERN_PID,
	PATTERN_FUNCTION,
	PATTERN_METRIC,
	PATTERN_DEVICE,
	PATTERN_FUNC_TYPE,
	PATTERN_DURATION,
	PATTERN_INSTANCES,
	PATTERN_NEEDED,
	PATTERN_BETA = PATTERN_NEEDED,
	PATTERN_HOST,
	PATTERN_MU,
	PATTERN_SIGMA,
	PATTERN_INTERPOLATED,
	PATTERN_ANCHOR,
	PATTERN_CYCLE_DURATION,
	PATTERN_CYCLE_START,
	PATTERN_SIMPLE_NAME, /* known, and of no use */
	PATTERN_COLUMNS
};

enum counter_column {
	COUNTER_NAME,
	COUNTER_TIME,
	COUNTER_VALUE,
	COUNTER_NEEDED,
	COUNTER_HOST = COUNTER_NEEDED,
	COUNTER_COLUMNS
};

enum pattern_kind { PATTERN_NO_HEADING, PATTERN_HEADING, PATTERN_COUNTERS };

enum { PATTERN_HEADING_MAX = 2048 };

struct pattern_heading {
	enum pattern_kind kind;
	size_t cells;
	int at[PATTERN_COLUMNS]; /* enum counter_column of PATTERN_COUNTERS */
	int unknown; /* columns nobody knows */
	struct cell first_unknown; /* in `text` */
	char text[PATTERN_HEADING_MAX];
};

enum pattern_kind pattern_heading_of(const char *line, size_t len);

/* False where the line is no heading: one of patterns has "cycle" and
 * "function_name", one of counters "counter_name" and "timestamp". */
bool pattern_heading_from(struct pattern_heading *h, const char *line,
	size_t len);

/* Which of the columns that are needed it lacks, as "'pid', 'device'"; empty
 * where it lacks none. */
void pattern_heading_lacks(const struct pattern_heading *h, char *to,
	size_t cap);
