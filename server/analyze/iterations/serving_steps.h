/* serving_steps.h - the steps that a serving engine announced, by moment. */
#pragma once
#include "cycle_serving.h"
#include "trace.h"

struct serving_step {
	int64_t start_ns, end_ns;
	uint32_t around; /* place, from 1, of the last one before it that ends
		later; 0 none */
	uint32_t thread;
	struct serving work;
};

struct serving_steps {
	struct serving_step *list; /* by start */
	uint32_t n;
};

/* Of the process's annotations on the host. To be arena_drop()ped (`list`);
 * false where the arena is full. */
bool serving_steps_find(const struct trace *t, const struct process *proc,
	struct arena *a, struct serving_steps *out);

/* The innermost step around a moment, or one around it where that alone tells
 * how many keys: on that thread where there is one, else on any; NULL. */
const struct serving *serving_steps_at(const struct serving_steps *s,
	uint32_t thread, int64_t at_ns);
