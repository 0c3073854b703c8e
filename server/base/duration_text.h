/* duration_text.h - writes a duration for a sentence. */
#pragma once
#include "arena.h"

/* Examples: "12.3 ns", "1.234 µs", "-900 ms", "2.50 s". Up to three digits of
 * nanoseconds, four of microseconds and milliseconds, two decimals of seconds.
 * In the arena. */
const char *duration_text(struct arena *a, double ns);
