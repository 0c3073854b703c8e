/* serving_steps.h - the steps that a serving engine marked by ranges, and the
 * work that the names of these ranges describe. */
#pragma once
#include "iterations.h"
#include "trace.h"

struct serving_work {
	enum phase phase;
	int64_t sequences, tokens, kv_tokens; /* of both phases; -1 unknown */
	int64_t context, context_tokens; /* of prefill alone; -1 unknown */
};

/* Reads a step's work from a name; false if the name gives none. */
bool serving_steps_read(const char *name, struct serving_work *s);

/* Whether two steps do the same work, however much they attend to. */
bool serving_steps_same(const struct serving_work *a,
	const struct serving_work *b);

struct serving_step {
	int64_t start_ns, end_ns;
	uint32_t around; /* position, from 1, of the last step before this one
		that ends later; 0 none */
	uint32_t thread;
	struct serving_work work;
};

struct serving_steps {
	struct serving_step *list; /* by start */
	uint32_t n;
};

/* Finds the steps among the process's annotations on the host. Release
 * out->list with arena_drop(). False if the arena is full. */
bool serving_steps_find(const struct trace *t, const struct process *proc,
	struct arena *a, struct serving_steps *out);

/* The innermost step that contains a moment. If only a step around this one has
 * the number of keys, that step. Searches the thread first, then all threads.
 * NULL if there is none. */
const struct serving_work *serving_steps_at(const struct serving_steps *s,
	uint32_t thread, int64_t at_ns);
