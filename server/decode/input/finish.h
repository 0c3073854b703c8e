/* finish.h - the last step of decoding, for every format: makes times relative
 * to the first record and drops processes without records. */
#pragma once
#include "trace.h"

/* Subtracts the earliest start from every row's start and stores it as base_ns.
 * First, rows whose start is further from the median start than the maximum
 * length of a trace are dropped and counted as huge_time. Otherwise one event
 * with a broken clock would push the other rows out of range. */
void finish_rebase(struct trace *t);

/* As finish_rebase(), for rows that were already a trace before: no row is
 * dropped if their span is at most the maximum length of a trace. base_ns is
 * the earliest start, or `latest` if that is earlier. */
void finish_rebase_kept(struct trace *t, int64_t latest);

/* Removes the processes that have no rows except facts and graph nodes,
 * together with these rows and the devices of the process. Corrects the note
 * that counts fused processes. False if the arena is full. */
bool finish_drop_idle(struct trace *t);
