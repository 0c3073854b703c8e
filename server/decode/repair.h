/* repair.h - strings whose writer forgot to escape.
 *
 * Kineto writes JSON by formatting strings, and older versions left quotes and
 * control characters in names as they were. Where a strict pass over an event
 * fails, a lenient one comes here through scan.h. */
#pragma once
#include "scan.h"

enum { REPAIR_STRING = 16 * 1024 }; /* no string is searched further */

/* Like scan_string(), from p on, for a value in an object or a list: a quote
 * ends the string only where the closing bracket, or a comma and what may
 * follow one come after it. Keys are not repaired. */
const char *repair_string(struct scan *s, const char *p, bool in_object);

/* Like scan_close(), with such strings. */
const char *repair_close(struct scan *s, const char *p, bool in_object);
