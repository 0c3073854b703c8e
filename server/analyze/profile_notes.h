/* profile_notes.h - the notes that analysis adds to a run's data quality. */
#pragma once
#include "profile.h"
#include "trace.h"

/* Adds them to p->notes once p is otherwise complete: no kernels, devices
 * without a name, launches without a grid or without a call. `call_of` is by
 * kernel row of the process. */
void profile_notes_add(const struct trace *t, const struct process *proc,
	const uint32_t *call_of, struct profile *p);
