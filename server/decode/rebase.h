/* rebase.h - times of a trace become relative to its first record. */
#pragma once
#include "trace.h"

/* Subtracts the earliest start from every row and keeps it as base_ns. Rows
 * whose start lies further from the middle one than a trace may be long are
 * dropped first and counted as huge_time: one event with a broken clock must
 * not push the others out of range. */
void rebase(struct trace *t);
