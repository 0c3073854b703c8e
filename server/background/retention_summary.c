/* retention_summary.c - what a retention pass dropped, as one line of text. */
#include "retention_summary.h"
#include <stdio.h>
#include <string.h>

void retention_summary_totals(const struct keep_report *r,
	int64_t n[KEEP_KINDS_N], int64_t *bytes)
{
	*bytes = 0;
	memset(n, 0, KEEP_KINDS_N * sizeof *n);
	for (uint32_t i = 0; i < r->sums_n; i++) {
		n[r->sums[i].kind] += r->sums[i].n;
		*bytes += r->sums[i].bytes;
	}
}

void retention_summary_text(const struct keep_report *r,
	char text[RETENTION_SUMMARY_TEXT])
{
	int64_t n[KEEP_KINDS_N], bytes;
	retention_summary_totals(r, n, &bytes);
	snprintf(text, RETENTION_SUMMARY_TEXT,
		"%s=%lld %s=%lld %s=%lld bytes=%lld", keep_kind_word(KEEP_RUN),
		(long long)n[KEEP_RUN], keep_kind_word(KEEP_RAW),
		(long long)n[KEEP_RAW], keep_kind_word(KEEP_GATE),
		(long long)n[KEEP_GATE], (long long)bytes);
}
