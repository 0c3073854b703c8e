/* retention_summary.h - one line of text that says what a retention pass
 * deleted. */
#pragma once
#include "retention.h"

enum { RETENTION_SUMMARY_TEXT = 200 };

/* For example "runs=3 uploads=12 gates=0 bytes=1048576". */
void retention_summary_text(const struct retention_report *r,
	char text[RETENTION_SUMMARY_TEXT]);
