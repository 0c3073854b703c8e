/* copies.h - the tables over memory copies and sets. */
#pragma once
#include "profile.h"
#include "trace.h"

/* Fills p->copy_stats from one process's copies. False where the arena is
 * full. */
bool copies_from(const struct trace *t, struct slice rows, struct profile *p);
