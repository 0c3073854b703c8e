/* finish.h - what every format does with a trace once all its rows are read:
 * times become relative to the first record, and processes without records
 * are dropped. */
#pragma once
#include "trace.h"

/* Subtracts the earliest start from every row and keeps it as base_ns. Rows
 * whose start is further from the median start than a trace may be long are
 * dropped first and counted as huge_time: one event with a broken clock must
 * not push the others out of range. */
void finish_rebase(struct trace *t);

/* The same for rows that were a trace before: if that trace is no longer than a
 * trace may be, no row is dropped. The base is `latest` if no row is
 * earlier. */
void finish_rebase_kept(struct trace *t, int64_t latest);

/* Takes out the processes that have no row but facts and nodes, with these and
 * their devices; the note of how many there are follows. False where the arena
 * is full. */
bool finish_drop_idle(struct trace *t);
