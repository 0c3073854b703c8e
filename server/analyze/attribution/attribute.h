/* attribute.h - which operator each launch belongs to, with which sizes.
 *
 * In this order, and each launch keeps how it is known (known.def):
 *   an annotation or NVTX range that tells sizes, around the launch
 *   the innermost host operator that made the call, if the catalog knows it
 *   an NVTX or module range whose name or class the catalog knows
 *   for a kernel replayed from a CUDA graph the ranges that were open when its
 *      node was made (attribute_sources.h), which may tell sizes
 *   its place in a CUDA graph whose capture was seen (attribute_sources.h)
 *   a rule over the kernel's name, with the grid for a shape
 * A host operator that the catalog does not know is passed over for the one
 * around it. Where the kernel's own rule says it belongs to no operator of that
 * kind (a collective below aten::copy_), the rule wins: see the README.
 *
 * Copies and sets are of the operators `copy` and `memset`; opaque graphs of
 * none. */
#pragma once
#include "attribution.h"
#include "catalog.h"
#include "iteration_find.h"
#include "graph_key.h"
#include "trace.h"

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
