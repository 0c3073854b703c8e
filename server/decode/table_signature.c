/* table_signature.c - looks for a heading, line by line. */
#include "table_signature.h"
#include "pattern_heading.h"
#include "stats_headless.h"
#include <string.h>

/* The first line that is not blank: a pattern file's heading, or a row of a
 * table that has none. */
static enum sniffed first_line(const char *line, size_t len, struct err *e)
{
	struct stats_heading h;
	if (stats_headless_from(&h, line, len))
		return SNIFF_STATS_TABLE;
	switch (pattern_heading_of(line, len)) {
	case PATTERN_HEADING:
		return SNIFF_PATTERNS;
	case PATTERN_COUNTERS:
		err_set(e, ERR_FORMAT,
			"this is a file of counters, which belongs behind its "
			"pattern file; upload both as one (`cat patterns.csv "
			"counters.csv`, or `kernsift upload --counters "
			"counters.csv patterns.csv`)");
		return SNIFF_UNKNOWN;
	default:
		return SNIFF_UNKNOWN;
	}
}

enum sniffed table_signature(const char *text, size_t len, struct err *e)
{
	const char *end = text + len;
	bool first = true;
	while (text < end) {
		struct stats_heading h;
		const char *stop = memchr(text, '\n', (size_t)(end - text));
		stop = stop ? stop : end;
		size_t n = (size_t)(stop - text);
		n -= n && text[n - 1] == '\r';
		if (stats_heading_from(&h, text, n))
			return SNIFF_STATS_TABLE;
		struct cell line = cell_trim((char *)(uintptr_t)text, n);
		if (first && line.len) {
			enum sniffed s = first_line(line.at, line.len, e);
			if (s != SNIFF_UNKNOWN || e->code)
				return s;
			first = false;
		}
		text = stop < end ? stop + 1 : end;
	}
	return SNIFF_UNKNOWN;
}
