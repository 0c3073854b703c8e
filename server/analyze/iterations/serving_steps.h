/* serving_steps.h - the steps that a serving engine marked by ranges whose names
 * are step labels (catalog.h). */
#pragma once
#include "catalog.h"
#include "trace.h"

struct serving_step {
	int64_t start_ns, end_ns;
	uint32_t around; /* position, from 1, of the last step before this one
		that ends later; 0 none */
	uint32_t thread;
	struct step_label label;
};

struct serving_steps {
	struct serving_step *list; /* by start */
	uint32_t n;
	int64_t odd; /* labels whose numbers cannot be read or contradict each
		other */
	const char *first_odd; /* a name of the trace; NULL: none */
};

/* Finds the steps among the process's annotations on the host. Release
 * out->list with arena_drop(). False if the arena is full. */
bool serving_steps_find(const struct catalog *c, const struct trace *t,
	const struct process *proc, struct arena *a, struct serving_steps *out);

/* The innermost step that contains a moment. If only a step around this one has
 * the number of keys, that step. Searches the thread first, then all threads.
 * NULL if there is none. */
const struct step_label *serving_steps_at(const struct serving_steps *s,
	uint32_t thread, int64_t at_ns);
