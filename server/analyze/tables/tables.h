/* tables.h - runs of which only a table is known that another tool computed.
 *
 * They have no single launches: no busy time, no span, no percentiles. What the
 * table lacks stays unknown; only sums and their quotients are computed. */
#pragma once
#include "catalog.h"
#include "profile.h"
#include "trace.h"

/* Returns the source of a process's numbers: launches if it has any. */
enum content tables_content(const struct process *proc);

/* Notes how many rows are ignored if a process has both single records and a
 * table; p->content is the one that counts. */
void tables_note_ignored(const struct process *proc, struct profile *p);

/* Reads a table of kernel statistics, in its own order. If it has lines by grid
 * only, their sums are added. Fails with ERR_TRACE if its sums exceed what a
 * trace can hold, with ERR_TOO_LARGE if the arena is full. */
bool tables_statistics(const struct trace *t, const struct process *proc,
	const struct catalog *f, struct profile *p, struct err *e);

/* Reads a table of patterns: GPU functions, summed over iterations. The rows of
 * a function's metrics repeat its duration, which counts once. Errors as above. */
bool tables_patterns(const struct trace *t, const struct process *proc,
	const struct catalog *f, struct profile *p, struct err *e);
