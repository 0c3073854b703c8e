/* retention_summary.h - what a retention pass dropped, as one line of text. */
#pragma once
#include "retention.h"

enum { RETENTION_SUMMARY_TEXT = 200 };

/* "runs=3 uploads=12 gates=0 bytes=1048576" */
void retention_summary_text(const struct retention_report *r,
	char text[RETENTION_SUMMARY_TEXT]);
