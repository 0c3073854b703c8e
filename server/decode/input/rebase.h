/* rebase.h - times of a trace become relative to its first record. */
#pragma once
#include "trace.h"

/* Subtracts the earliest start from every row and keeps it as base_ns. Rows
 * whose start lies further from the middle one than a trace may be long are
 * dropped first and counted as huge_time: one event with a broken clock must
 * not push the others out of range. */
void rebase(struct trace *t);

/* The same for what was a trace before: as long as that is no longer than a
 * trace may be, no row is dropped. The base is `latest` where no row is
 * earlier. */
void rebase_kept(struct trace *t, int64_t latest);
