/* duration_text.c - writes a duration for a sentence. */
#include "duration_text.h"
#include <math.h>

/* A unit is used for the values that its format does not round to 1000. */
const char *duration_text(struct arena *a, double ns)
{
	double size = fabs(ns);

	if (size < 9.995e2)
		return arena_printf(a, "%.3g ns", ns);
	if (size < 9.9995e5)
		return arena_printf(a, "%.4g µs", ns / 1e3);
	if (size < 9.9995e8)
		return arena_printf(a, "%.4g ms", ns / 1e6);
	return arena_printf(a, "%.2f s", ns / 1e9);
}
