/* attribution.h - the attribution of each launch, which the attribution sources
 * fill in one after the other.
 *
 * There is one entry per kernel row of the process. The first source that knows
 * the operator fills in the entry. A later source does not change the
 * operator. */
#pragma once
#include "catalog.h"
#include "trace.h"

enum { LAUNCH_NO_CALL = UINT32_MAX };

/* Whether a launch computes again what was computed before, as in activation
 * checkpointing (attribute_op.c). */
enum recompute { RECOMPUTE_UNKNOWN, RECOMPUTE_NO, RECOMPUTE_YES };

struct attributed {
	const struct operator_info *op; /* NULL: not known yet */
	const struct shape *sizes; /* NULL: not known */
	enum how known;
	enum phase phase;
	uint32_t call; /* number of the operator call, equal for all launches of
		that call only; LAUNCH_NO_CALL: unknown */
	const char
		*lacks; /* why its context length is unknown; NULL if it is not,
		or if no serving step gives it */
	enum recompute recompute;
};

struct collective_calls;

struct attribution {
	const struct trace *trace;
	uint32_t process;
	const struct process *proc;
	const struct catalog *catalog;
	const struct platform *platform; /* of all devices; NULL: unknown or
		different */
	/* It with the compute peaks at the run's SM clock; `platform` itself if
	 * that clock or the platform is unknown. */
	const struct platform *at_clock;
	struct profile *profile;
	const uint32_t *kernel_of, *call_of; /* by kernel row of the process */
	/* Gains the sizes that only host operators state. */
	struct collective_calls *collectives;
	struct attributed *of; /* by kernel row of the process */
	uint8_t *busy_of; /* by kernel row of the process: enum busy_class by
		the roofline bound of its operator call; set by
		attribute_from() */
	uint32_t *shape_of; /* by kernel row of the process: `number` of the
		launch's shape row; set by attribute_from() */
	/* By kernel row of the process: row + 1 of the innermost host operator
	 * around its API call; 0 none, or replayed. NULL if the trace has no
	 * tensors; set by attribute_from(). */
	uint32_t *op_of;
	const struct operator_info **by_rule; /* by kernel of the profile: the
		operator that its name alone gives, or NULL */
	/* By kernel row of the process: the innermost of profile->frames around
	 * the launch; 0 none. Set after attribution; NULL before. */
	const uint32_t *frame_of;
	struct attribute_host
		*host; /* attribute_sources.h; NULL after attribution */
	const struct graph_book *book; /* NULL: no graphs of other runs */
	/* Launches that a stream capture recorded without running a kernel: the
	 * rows of their API calls, ascending. Rules over names do not apply to
	 * them. */
	const uint32_t *captured;
	const uint32_t *capture_of; /* parallel: which capture, from 0 */
	struct attributed *of_captured; /* parallel: the attribution */
	uint32_t captured_n, captures_n;
	uint32_t calls; /* how many operator calls are numbered so far */
	struct arena *arena;
};
