/* decimals.h - a number that is shown beside its limit. */
#pragma once
#include <stdio.h>
#include <stdlib.h>

/* Number of decimals with which to print `x`: `minimum`, or as few more as
 * needed. Rounded, it must stay on its side of the limit (1.96 below 2 is not
 * "2.0"). */
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
