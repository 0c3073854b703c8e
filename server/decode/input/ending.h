/* ending.h - how a trace in JSON ends: well, cut off, or in garbage. */
#pragma once
#include "items.h"
#include "trace.h"

/* Reads what lies behind the last bracket, to the very end, so that a gzip cut
 * short is told; what is no white space is noted. */
bool ending_read(struct items *is, struct trace *t, struct err *e);

/* Notes that the text was cut, unless the compression's end tells it. */
void ending_note(const struct items *is, struct trace *t);

/* Whether that is why not one of its `records` could be used; *e says so. */
bool ending_explains(const struct items *is, int64_t records, const char *what,
	struct err *e);
