/* facts.h - what surrounded a process, a line per name. */
#pragma once
#include "profile.h"
#include "trace.h"

/* More than any format has; the rest is ignored. */
enum { FACTS_MOST = 256 };

/* Fills p->facts: by name, of a name the first. False if the arena is full. */
bool facts_from(const struct trace *t, const struct process *proc,
	struct profile *p);
