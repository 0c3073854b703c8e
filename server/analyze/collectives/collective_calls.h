/* collective_calls.h - which collective call each launch executed.
 *
 * What is known about a call comes from its records: the kernel's own, which
 * has its correlation, then those of the host that were open on the thread when
 * the kernel was launched, from the innermost outwards (the annotation
 * nccl:all_reduce inside record_param_comms). The first record that states a
 * field is used. If no record of the host was open, the kernel executed the
 * calls that were recorded on this thread before, launched nothing and ended:
 * a group of calls is launched at its end. If no record names the kind, the
 * kernel's name is used; the element type is never taken from it. */
#pragma once
#include "collective.h"
#include "profile.h"
#include "trace.h"

/* From what the parts of an all-to-all are computed. */
struct collective_parts {
	const char
		*splits; /* "[4, 4] [8, 8]", input and output; NULL unknown */
	int64_t in_elements, out_elements; /* of this rank; -1 unknown */
	bool several; /* one kernel executed several calls */
};

struct collective_calls {
	/* By kernel row of the process: index + 1 of `list`; 0: the launch is
	 * no collective. NULL if there are none. */
	uint32_t *of;
	struct collective_call *list; /* by launch, in the order of the rows */
	struct collective_parts *parts; /* of the same calls */
	uint32_t n;
};

/* Needs p->kernels. `kernel_of` and `call_of` are by kernel row of the process.
 * False if the arena is full. */
bool collective_calls_from(const struct trace *t, const struct process *proc,
	const uint32_t *kernel_of, const uint32_t *call_of, struct profile *p,
	struct collective_calls *out);
void collective_calls_release(struct collective_calls *c, struct arena *a);

/* The call that a launch executed; NULL if it is no collective, or if `c` is
 * NULL. */
static inline struct collective_call *
collective_calls_at(const struct collective_calls *c, uint32_t i)
{
	return c && c->of && c->of[i] ? &c->list[c->of[i] - 1] : NULL;
}
