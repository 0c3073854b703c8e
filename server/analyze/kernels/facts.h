/* facts.h - lists named facts about a process and its environment, such as
 * versions and clocks. */
#pragma once
#include "profile.h"
#include "trace.h"

/* More facts than any format has. Further ones are ignored. */
enum { FACTS_MOST = 256 };

/* Fills p->facts, sorted by name. Of several facts of one name the first is
 * kept. False if the arena is full. */
bool facts_from(const struct trace *t, const struct process *proc,
	struct profile *p);
