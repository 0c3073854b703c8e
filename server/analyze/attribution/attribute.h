/* attribute.h - attributes each launch to an operator, with its sizes.
 *
 * Attribution sources (known.def) are tried in this order, and the first that
 * gives an operator is stored with the launch:
 *
 *   1. an annotation or NVTX range around the launch that gives sizes
 *   2. the innermost host operator that made the call, if the catalog has it
 *   3. an NVTX or module range whose name or class the catalog has
 *   4. for a kernel of a graph replay, the ranges that were open when its graph
 *      node was made, which may give sizes (attribute_sources.h)
 *   5. the position in a CUDA graph whose capture was recorded
 *      (attribute_sources.h)
 *   6. a rule over the kernel's name; the grid is used instead of a shape
 *
 * If the catalog does not have a host operator, the host operator around it is
 * used. If the rule over the kernel's name contradicts the kind of the operator
 * (a collective below aten::copy_), the rule is used.
 *
 * Copies and sets have the operators `copy` and `memset`; opaque graphs have
 * none. */
#pragma once
#include "attribution.h"
#include "catalog.h"
#include "graph_sketch.h"
#include "iteration_find.h"
#include "operators.h"
#include "trace.h"

/* Lists the graphs that a process replayed, each key once. */
bool attribute_wanted(const struct trace *t, uint32_t process, struct arena *a,
	struct graph_wanted **wanted, uint32_t *n);

/* Fills the operators of at->profile, whose other fields must be filled in. The
 * caller sets trace, process, catalog, book, profile, kernel_of, call_of and
 * collectives of *at and leaves the rest 0. `iterations` assigns rows to iterations; the phase
 * of a launch is the phase of its iteration. *at contains the attribution of
 * each launch until attribute_release(), which the caller always calls. False
 * if the arena is full. */
bool attribute_from(struct attribution *at,
	const struct iteration_rows *iterations);
void attribute_release(struct attribution *at);

/* Fills the operators of a run with tables only, by name and without shapes. */
bool attribute_tables(const struct catalog *c, struct profile *p);

/* T_SOL of one operator call of a shape on a platform, in picoseconds; -1 if it
 * is unknown. *b: the bound; sol_s is NaN if it is unknown. */
int64_t attribute_bound_ps(const struct attribution *at,
	const struct platform *p, const struct operator_info *is,
	const struct shape *sizes, struct bound *b);
