/* tables.h - runs of which only a table is known that another tool computed.
 *
 * They have no single launches: no busy time, no span, no percentiles. What the
 * table lacks stays unknown; only sums and their quotients are computed. */
#pragma once
#include "catalog.h"
#include "profile.h"
#include "trace.h"

/* Sets p->content, the source of a process's numbers: launches if it has any. Notes
 * how many rows are ignored if it has both single records and a table. */
void tables_content(const struct process *proc, struct profile *p);

/* Reads the table of p->content.
 *
 * A table of kernel statistics is read in its own order. If it has lines by grid
 * only, their sums are added. Of a table of patterns the GPU functions are read,
 * summed over iterations. The rows of a function's metrics repeat its duration,
 * which counts once. Fails with ERR_TRACE if its sums exceed what a trace can hold,
 * with ERR_TOO_LARGE if the arena is full. */
bool tables_read(const struct trace *t, const struct process *proc,
	const struct catalog *c, struct profile *p, struct err *e);
