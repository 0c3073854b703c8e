/* decimals.h - prints a number so that it stays on its side of a limit. */
#pragma once
#include <stdio.h>
#include <stdlib.h>

/* The number of decimals for printing `x`: `minimum`, or as many more as are
 * needed so that the rounded number stays on its side of the limit. Example:
 * for x = 1.96 and the limit 2, one decimal would print "2.0", so the result is
 * 2. */
static inline int decimals_near_limit(double x, double limit, int minimum)
{
	char shown[400];
	for (int n = minimum; n < minimum + 6; n++) {
		snprintf(shown, sizeof shown, "%.*f", n, x);
		if ((strtod(shown, NULL) >= limit) == (x >= limit))
			return n;
	}
	return minimum;
}
