/* format.h - figures as a table on a terminal shows them. */
#pragma once

enum { CELL = 24 };

/* "21.40 ms", "-900.00 us"; "+900.00 us" where `sign` is "+", "-" where it is
 * not known. */
const char *shown_duration(char to[CELL], double ns, const char *sign);
