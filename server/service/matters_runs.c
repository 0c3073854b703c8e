/* matters_runs.c - of runs that match, and that no figure has. */
#include "matters_told.h"

static const char *runs_of(struct arena *a, int64_t n)
{
	return arena_printf(a, "%lld %s", (long long)n,
		n == 1 ? "run" : "runs");
}

const char *matters_uncounted_text(struct arena *a, int64_t n)
{
	return arena_printf(a,
		"%s %s analysed before operators were known and %s not "
		"counted: `kernsiftd rebuild` analyses anew",
		runs_of(a, n), n == 1 ? "was" : "were", n == 1 ? "is" : "are");
}

const char *matters_left_out_text(struct arena *a, int64_t n)
{
	return arena_printf(a,
		"%s %s not counted: kernels' names lag behind their durations "
		"there, so that times per operator are not to be trusted",
		runs_of(a, n), n == 1 ? "is" : "are");
}
