/* run_breakdown.c - the layers of a run as stored, or computed again. */
#include "run_breakdown.h"
#include "note.h"
#include "query.h"
#include "reanalyze.h"
#include <stdlib.h>
#include <string.h>

bool breakdown_fits(int64_t run, const struct breakdown_stored *is,
	struct err *e)
{
	size_t *bytes = calloc(is->kernels_n + 1, sizeof *bytes), sum = 0;
	if (!bytes)
		abort();
	for (uint32_t i = 0; i < is->kernels_n; i++)
		bytes[i] = strlen(is->kernels[i].name) +
			   strlen(is->kernels[i].short_name);
	for (uint32_t i = 0; i < is->breakdown.rows_n; i++) {
		const struct breakdown_row *r = &is->breakdown.rows[i];
		sum += r->kernel == ROW_NO_KERNEL ? 0 : bytes[r->kernel];
		sum += r->module ? strlen(r->module) : 0;
	}
	free(bytes);
	return sum <= QUERY_PAGE_BYTES ||
	       err_set(e, ERR_TOO_LARGE,
		       "the names in the layers of run %lld come to %lld MiB, "
		       "and an answer holds %d; /runs/%lld/kernels lists its "
		       "kernels page by page",
		       (long long)run, (long long)(sum >> 20) + 1,
		       (int)(QUERY_PAGE_BYTES >> 20), (long long)run);
}

bool breakdown_lags(struct service_call *c, int64_t run, bool *lag,
	struct err *e)
{
	struct note_row *notes;
	uint32_t n;
	*lag = false;
	if (!query_notes(c->db, &c->arena, run, &notes, &n, e))
		return false;
	for (uint32_t i = 0; i < n; i++)
		*lag |= !strcmp(notes[i].code, note_name(NOTE_names_lag));
	return true;
}

bool breakdown_read(struct service_call *c, int64_t run,
	const struct breakdown_asked *asked, struct breakdown_stored *out,
	struct err *e)
{
	return service_db(c, e) &&
	       (asked ? ranged_layers(c, run, asked, out, e)
		      : query_breakdown(c->db, &c->arena, run, out, e)) &&
	       breakdown_fits(run, out, e);
}
