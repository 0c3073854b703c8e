/* stand_in_cuda.c - a libcuda that returns only its version,
 * $STAND_IN_DRIVER. */
#include <stdlib.h>

#define EXPORT __attribute__((visibility("default")))

EXPORT int cuDriverGetVersion(int *version);
EXPORT int cuDriverGetVersion(int *version)
{
	const char *text = getenv("STAND_IN_DRIVER");
	*version = text ? atoi(text) : 0;
	return text ? 0 : 34;
}
