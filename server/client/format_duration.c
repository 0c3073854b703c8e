/* format_duration.c - formats a duration in the unit that needs the fewest
 * digits. */
#include "format_duration.h"
#include <math.h>

const char *format_duration(char to[FORMAT_CELL], double ns, const char *sign)
{
	static const struct {
		double from, unit;
		const char *name;
	} units[] = { { 1e9, 1e9, "s" }, { 1e6, 1e6, "ms" }, { 1e3, 1e3, "us" },
		{ 0, 1, "ns" } };
	int i = 0;
	if (!isfinite(ns))
		return "-";
	while (fabs(ns) < units[i].from)
		i++;
	snprintf(to, FORMAT_CELL, *sign ? "%+.2f %s" : "%.2f %s",
		ns / units[i].unit, units[i].name);
	return to;
}
