/* attribution.h - what the ways of knowing hand each other: one entry per
 * kernel row of the process, filled by the first way that knows.
 *
 * `operator` NULL: not known yet. `sizes` NULL: not known. `call` groups the
 * launches of one call; launches of different calls never share it. */
#pragma once
#include "catalog.h"
#include "trace.h"

enum { LAUNCH_NO_CALL = UINT32_MAX };

struct attributed {
	const struct operator_info *op;
	const struct shape *sizes;
	enum how known;
	enum phase phase;
	uint32_t call;
};

struct attribution {
	const struct trace *trace;
	uint32_t process;
	const struct process *proc;
	const struct catalog *catalog;
	const struct platform *platform; /* of all devices; NULL */
	struct profile *profile;
	const uint32_t *kernel_of, *call_of; /* by kernel row of the process */
	struct attributed *of; /* likewise */
	const struct operator_info **by_rule; /* by kernel of the profile: what
		its name alone says, or NULL */
	/* Innermost of p->frames around each launch, by kernel row of the
	 * process, 0 none; set once all is known. NULL: not known. */
	const uint32_t *frame_of;
	struct attribute_host
		*host; /* attribute_sources.h; NULL once all is known */
	const struct graph_book *book; /* NULL: no graphs of other runs */
	/* Launches that stream captures only recorded: rows of the calls,
	 * ascending, and what each is of. Rules over names do not apply to
	 * them. */
	const uint32_t *captured;
	const uint32_t *capture_of; /* beside each: which capture, from 0 */
	struct attributed *of_captured;
	uint32_t captured_n, captures_n;
	uint32_t calls; /* numbers given so far */
	struct arena *arena;
};
