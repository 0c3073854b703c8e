/* tables.h - reads runs whose only data are a table that another tool computed.
 *
 * Such a run has no single launches, and so no busy time, span or percentiles.
 * A value that the table does not contain remains unknown. Only sums and
 * quotients of sums are computed. */
#pragma once
#include "catalog.h"
#include "profile.h"
#include "trace.h"

/* Sets p->content, the source of the process's numbers: launches if it has any,
 * else its table. If it has both, a note counts the rows that are ignored. */
void tables_content(const struct process *proc, struct profile *p);

/* Reads the table of p->content.
 *
 * The rows of a table of kernel statistics keep their order. If the table has
 * only lines per grid, lines with their sums are added. From a table of
 * patterns, the GPU functions are read and summed over iterations. The rows of
 * a function's metrics repeat its duration, which is counted once. ERR_TRACE if
 * the sums exceed TRACE_TIME_MAX_NS, ERR_TOO_LARGE if the arena is full. */
bool tables_read(const struct trace *t, const struct process *proc,
	const struct catalog *c, struct profile *p, struct err *e);
