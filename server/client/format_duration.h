/* format_duration.h - formats durations for the texts of comparisons and gates.
 */
#pragma once

enum { FORMAT_CELL = 24 };

/* Examples: "21.40 ms", "-900.00 us"; "+900.00 us" if `sign` is "+"; "-" if
 * unknown. */
const char *format_duration(char to[FORMAT_CELL], double ns, const char *sign);
