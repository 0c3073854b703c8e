/* tables.h - runs of which only what others computed is known.
 *
 * Without single launches: no busy time, no span, no percentiles. What the
 * table does not tell stays unknown; nothing is worked out of it but sums and
 * their quotients. */
#pragma once
#include "catalog.h"
#include "profile.h"
#include "trace.h"

/* What a process's numbers rest on: launches where it has some. */
enum content tables_content(const struct process *proc);

/* Notes how many rows are left out, where a process has both single records
 * and a table, and p->content tells which of them counts. */
void tables_beside(const struct process *proc, struct profile *p);

/* A table of kernel statistics, in its own order. One that tells grids alone is
 * summed over them, too. ERR_TRACE where its sums are beyond what a trace can
 * hold, ERR_TOO_LARGE where the arena is full. */
bool tables_statistics(const struct trace *t, const struct process *proc,
	const struct catalog *f, struct profile *p, struct err *e);

/* Shares per cycle: GPU functions, summed over cycles. A row per metric tells
 * the same duration again, and counts once. */
bool tables_patterns(const struct trace *t, const struct process *proc,
	const struct catalog *f, struct profile *p, struct err *e);
