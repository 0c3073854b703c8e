/* utc_time.h - times in requests and answers: ISO 8601 in UTC, and microseconds
 * since 1970. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

enum { UTC_TIME_TEXT = 80 };

/* Accepts "2026-08-22", "2026-08-22T10:11", "…:12" and "….123456", each with or
 * without "Z" or "+02:00". A time without a zone is UTC. Digits below a
 * microsecond are cut. */
bool utc_time_parse(const char *text, int64_t *us);
/* "2026-08-22T10:11:12.123456Z" */
void utc_time_format(int64_t us, char out[UTC_TIME_TEXT]);
