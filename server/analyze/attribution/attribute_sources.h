/* attribute_sources.h - the attribution sources that attribute.c calls in
 * order, and the host operators that they share. */
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
	uint32_t *below; /* by row of the slice: row + 1 of the operator around
		it */
	uint32_t *known; /* by row of the slice: row + 1 of the innermost
		operator around it, itself included, that the catalog has */
	uint32_t *
		sized; /* by row of the slice: row + 1 of the operator, itself or
		around it, whose dims it uses; 0 none */
	struct attribute_op_place *place; /* by row of the slice */
	uint32_t
		*open; /* by API call: row + 1 of the innermost open operator */
	uint32_t *
		call; /* by row of the slice: number + 1 of its operator call */
	struct names
		keys; /* dims, types and values from which a shape is read */
	const struct shape **shapes; /* by key */
	uint32_t shapes_cap;
	struct input_shapes sizes;
	struct ids ids;
	bool by_id; /* External ids identify operators */
	uint8_t *pass; /* by name: enum attribute_op_pass */
	uint8_t *has_dims; /* by name: enum attribute_op_dims */
};

/* False if the arena is full; release in any case. */
bool attribute_op_init(struct attribute_host *h, const struct attribution *at);

void attribute_op_release(struct attribute_host *h);

/* Returns the row of the innermost operator around an API call. Without a call
 * (CORRELATION_NONE) or an operator around it, looks up the External id.
 * ATTRIBUTE_NO_OP if there is none. */
uint32_t attribute_op_innermost(const struct attribute_host *h, uint32_t call,
	int64_t external_id);

/* Reads the shape of a host operator, which is the operator `is` of the
 * catalog. If it has no dims, those of a host operator around it are used that
 * is also `is`. *out is NULL if there are no dims. False if the arena is
 * full. */
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

/* Attributes launches, and launches captured for a graph, that have no operator
 * yet. Sets which launches compute something again. False if the arena is full. */
bool attribute_op(struct attribution *at);

/* attribute_range.c */

/* Attributes launches by ranges that give a shape (KNOWN_SIZES). False if the
 * arena is full. */
bool attribute_range_shapes(struct attribution *x);

/* Attributes launches that have no operator yet: by modules and ranges whose
 * name or class the catalog has (KNOWN_RANGE), then by the ranges around graph
 * nodes (KNOWN_NODE). False if the arena is full. */
bool attribute_range_modules(struct attribution *x);

/* attribute_graph.c */

/* Learns graphs from of_captured, attributes replayed launches that have no
 * operator yet, and counts them in notes. False if the arena is full. */
bool attribute_graph(struct attribution *x);

/* attribute_rows.c */

/* The phase of an iteration (iteration_rows). */
static inline enum phase attribute_rows_phase(const struct profile *p,
	uint32_t iteration)
{
	const struct iterations *c = &p->iterations;

	if (iteration == ITERATION_NONE || iteration >= c->n)
		return PHASE_UNKNOWN;
	uint32_t stratum = c->iterations[iteration].stratum;
	return stratum < c->strata_n ? c->strata[stratum].phase : PHASE_UNKNOWN;
}

/* Fills p->operators, except the graphs learned from captures. False if the
 * arena is full. */
bool attribute_rows(const struct attribution *at,
	const struct iteration_rows *iterations);

/* attribute_devices.c */

/* Fills the times by device of p->operators, if the process used several
 * devices. Needs attribute_rows(). False if the arena is full. */
bool attribute_devices(const struct attribution *at);
