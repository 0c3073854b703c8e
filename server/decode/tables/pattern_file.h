/* pattern_file.h - recognizes a pattern file by its heading */
#pragma once
#include <stddef.h>

enum pattern_kind { PATTERN_NO_HEADING, PATTERN_HEADING, PATTERN_COUNTERS };

/* What a line is the heading of. */
enum pattern_kind pattern_file_heading_of(const char *line, size_t len);
