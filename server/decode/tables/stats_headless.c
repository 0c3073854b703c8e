/* stats_headless.c - counts cells, then lets the numbers speak. */
#include "stats_headless.h"
#include <string.h>

#define NUMBERS                                                          \
	"Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns)," \
	"Max (ns),StdDev (ns),"

/* A kernel's name is some 2 KiB at most, as a rule. */
enum { LINE_MAX_BYTES = 16 << 10 };

bool stats_headless_agrees(const struct stats_line *l)
{
	const struct stat_row *r = &l->row;
	double sum = r->avg_ns * (double)r->instances;
	double off = sum - (double)r->total_ns;
	/* Half of the last printed digit, for each instance. */
	double most = 0.051 * (double)r->instances;
	return r->time_pct >= 0 && off <= most && off >= -most &&
	       r->min_ns >= 0 && (double)r->min_ns <= r->med_ns &&
	       r->med_ns <= (double)r->max_ns && r->min_ns <= r->max_ns &&
	       r->stddev_ns >= 0;
}

bool stats_headless_from(struct stats_heading *h, const char *line, size_t len)
{
	static const char plain[] = NUMBERS "Name";
	static const char grids[] = NUMBERS "GridXYZ,BlockXYZ,Name";
	char text[LINE_MAX_BYTES];
	struct cells c;
	struct stats_line l;
	if (len == 0 || len >= sizeof text || !strchr("0123456789\"", *line))
		return false;
	memcpy(text, line, len);
	cells_split(&c, text, len, ',', 0);
	if (c.n != 9 && c.n != 11)
		return false;
	return (c.n == 9 ? stats_heading_from(h, plain, strlen(plain))
			 : stats_heading_from(h, grids, strlen(grids))) &&
	       stats_line_read(&l, h, &c) && stats_headless_agrees(&l);
}
