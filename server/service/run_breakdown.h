/* run_breakdown.h - the layers of a run: as stored, or as a request asks. */
#pragma once
#include "breakdown_asked.h"
#include "service.h"
#include "query_breakdown.h"

/* `asked` NULL: as stored. Else made anew from the run's capture (ranged.h),
 * which wants a place of heavy.h's from the caller. *out is the call's arena's;
 * ERR_NOT_FOUND with a sentence where the run has none, and as breakdown_fits(). */
bool breakdown_read(struct service_call *c, int64_t run,
	const struct breakdown_asked *asked, struct breakdown_stored *out,
	struct err *e);

/* Whether the run's kernels' names lag behind their durations, as recorded. */
bool breakdown_lags(struct service_call *c, int64_t run, bool *lag,
	struct err *e);

/* ERR_TOO_LARGE with a sentence where its rows' names are more than an answer
 * holds: a kernel may have a long name and many places. */
bool breakdown_fits(int64_t run, const struct breakdown_stored *is,
	struct err *e);
