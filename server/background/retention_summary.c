/* retention_summary.c - one line of text that says what a retention pass
 * deleted. */
#include "retention_summary.h"
#include <stdio.h>
#include <string.h>

/* Sums the rows of the report for each kind; *bytes is the sum over all kinds.
 */
static void retention_summary_totals(const struct retention_report *r,
	int64_t n[RETENTION_KINDS_N], int64_t *bytes)
{
	*bytes = 0;
	memset(n, 0, RETENTION_KINDS_N * sizeof *n);
	for (uint32_t i = 0; i < r->sums_n; i++) {
		n[r->sums[i].kind] += r->sums[i].n;
		*bytes += r->sums[i].bytes;
	}
}

void retention_summary_text(const struct retention_report *r,
	char text[RETENTION_SUMMARY_TEXT])
{
	int64_t n[RETENTION_KINDS_N], bytes;
	retention_summary_totals(r, n, &bytes);
	snprintf(text, RETENTION_SUMMARY_TEXT,
		"%s=%lld %s=%lld %s=%lld bytes=%lld",
		retention_kind_word(RETENTION_RUN), (long long)n[RETENTION_RUN],
		retention_kind_word(RETENTION_RAW), (long long)n[RETENTION_RAW],
		retention_kind_word(RETENTION_GATE),
		(long long)n[RETENTION_GATE], (long long)bytes);
}
