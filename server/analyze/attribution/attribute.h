/* attribute.h - which operator each launch belongs to, with which sizes.
 *
 * The sources, in this order; each launch keeps its attribution source
 * (known.def):
 *   an annotation or NVTX range around the launch that gives sizes
 *   the innermost host operator that made the call, if the catalog knows it
 *   an NVTX or module range whose name or class the catalog knows
 *   for a kernel replayed from a CUDA graph the ranges that were open when its
 *      node was made (attribute_sources.h), which may give sizes
 *   its place in a CUDA graph whose capture was recorded (attribute_sources.h)
 *   a rule over the kernel's name, with the grid for a shape
 * For a host operator that the catalog does not have, the one around it is used.
 * If the kernel's own rule says that it belongs to no operator of that kind (a
 * collective below aten::copy_), the rule takes precedence: see the README.
 *
 * Copies and sets have the operators `copy` and `memset`; opaque graphs have
 * none. */
#pragma once
#include "attribution.h"
#include "catalog.h"
#include "iteration_find.h"
#include "operators.h"
#include "trace.h"

/* Graphs learned from stream captures of other runs, looked up by the keys that
 * attribute_keys() returned; several of a key if captures differed. */
struct graph_book {
	const struct graph_known *graphs; /* by key, then content */
	uint32_t n;
};

/* The keys of the graphs replayed in a process, without doubles. */
bool attribute_keys(const struct trace *t, uint32_t process, struct arena *a,
	uint8_t (**keys)[32], uint32_t *n);

/* Fills the operators of at->profile, which is otherwise complete. The caller
 * sets trace, process, catalog, book, profile, kernel_of and call_of of *at and
 * leaves the rest 0; `iterations` assigns rows to iterations, which give them their
 * phase. *at holds the attribution of each launch until attribute_release(),
 * which is due in any case. False if the arena is full. */
bool attribute_from(struct attribution *at,
	const struct iteration_rows *iterations);
void attribute_release(struct attribution *at);

/* The same for a run with tables only: by name alone, without shapes. */
bool attribute_tables(const struct catalog *c, struct profile *p);

/* T_SOL of one call of a shape on the run's platform, picoseconds; -1 if it is
 * unknown. */
int64_t attribute_bound_ps(const struct attribution *at,
	const struct operator_info *is, const struct shape *sizes);
