/* idle.h - processes that a file declares and of which it tells nothing. */
#pragma once
#include "trace.h"

/* Takes out the processes that have no row but facts and nodes, with these and
 * their devices; the note of how many there are follows. False where the arena
 * is full. */
bool idle_drop(struct trace *t);
