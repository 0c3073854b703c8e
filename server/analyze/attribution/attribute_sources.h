/* attribute_sources.h - the attribution sources that attribute.c calls in order,
 * and the host operators that they share. */
#pragma once
#include "attribution.h"
#include "correlation.h"
#include "ids.h"
#include "input_shape.h"
#include "iteration_find.h"
#include <string.h>

/* attribute_op.c */

enum { ATTRIBUTE_NO_OP = UINT32_MAX };

/* The host operators of a process, which nest on each thread. */
struct attribute_host {
	const struct attribution *at;
	const struct op_rows *op;
	const struct operator_info **of_name; /* by name of the trace */
	uint8_t *looked_up; /* by name: whether of_name is set */
	uint32_t *top; /* by thread; row + 1 */
	uint32_t *
		below; /* by row of the slice; row + 1 of the operator around it */
	uint32_t *known; /* by row: of the innermost known */
	uint32_t *open; /* by call: row + 1 of what was open */
	uint32_t *call; /* by row of the slice: number + 1 of its call */
	struct names
		keys; /* dims, types and values that a shape is read from */
	const struct shape **shapes; /* by key */
	uint32_t shapes_cap;
	struct input_shapes sizes;
	struct ids ids;
	bool by_id; /* External ids identify operators */
};

/* False if the arena is full; release in any case. */
bool attribute_op_init(struct attribute_host *h, const struct attribution *at);

void attribute_op_release(struct attribute_host *h);

/* The innermost operator's row of a call (CORRELATION_NONE: none) or else of
 * an External id; ATTRIBUTE_NO_OP. */
uint32_t attribute_op_innermost(const struct attribute_host *h, uint32_t call,
	int64_t external_id);

/* The shape of a host operator that is the catalog's `is`: from its own dims,
 * or from those of one around it that is the same and has dims; *out is NULL if
 * there are none. False if the arena is full. */
bool attribute_op_shape(struct attribute_host *h, uint32_t row,
	const struct operator_info *is, const struct shape **out);

/* Whether a launch, by kernel row of the process, was replayed by a graph. */
static inline bool attribute_op_replayed(const struct attribution *at,
	uint32_t i)
{
	const struct trace *t = at->trace;
	uint32_t row = at->proc->kernel.from + i, call = at->call_of[i];

	if (t->kernel.graph_node[row] > 0)
		return true;
	return call != CORRELATION_NONE &&
	       strstr(names_text(&t->names, t->call.name[call]), "GraphLaunch");
}

/* All launches, and calls captured for a graph, that have no operator yet.
 * False if the arena is full. */
bool attribute_op(struct attribution *at);

/* attribute_range.c */

/* By ranges that give a shape: KNOWN_SIZES. */
bool attribute_range_shapes(struct attribution *x);

/* By modules and ranges whose name or class the catalog knows: KNOWN_RANGE, then by
 * the ranges around graph nodes: KNOWN_NODE; both for launches that have no
 * operator yet. False if the arena is full. */
bool attribute_range_modules(struct attribution *x);

/* attribute_graph.c */

/* Learns from what of_captured knows, fills the replayed launches that nothing
 * knows yet, and counts. False if the arena is full. */
bool attribute_graph(struct attribution *x);

/* attribute_rows.c */

/* The phase of the iteration that a row is of (iteration_rows). */
static inline enum phase attribute_rows_phase(const struct profile *p,
	uint32_t iteration)
{
	const struct iterations *c = &p->iterations;

	if (iteration == ITERATION_NONE || iteration >= c->n)
		return PHASE_UNKNOWN;
	uint32_t stratum = c->iterations[iteration].stratum;
	return stratum < c->strata_n ? c->strata[stratum].phase : PHASE_UNKNOWN;
}

/* Fills p->operators, except what was learned from captures. False if the arena is full. */
bool attribute_rows(const struct attribution *at,
	const struct iteration_rows *iterations);
