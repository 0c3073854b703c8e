/* attribute.h - which operator each launch belongs to, with which sizes.
 *
 * In this order, and each launch keeps how it is known (known.def):
 *   an annotation or NVTX range that tells sizes, around the launch
 *   the innermost host operator that made the call, if the catalogue knows it
 *   an NVTX or module range whose name or class the catalogue knows
 *   for a kernel replayed from a CUDA graph the ranges that were open when its
 *      node was made (attribute_sources.h), which may tell sizes
 *   its place in a CUDA graph whose capture was seen (attribute_sources.h)
 *   a rule over the kernel's name, with the grid for a shape
 * A host operator that the catalogue does not know is passed over for the one
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

/* Fills p->operators; the rest of the profile is there. `kernel_of` and
 * `call_of` are by kernel row of the process; `cycles` tells which cycle rows
 * are of, whose phase is theirs. *at then tells of each launch what it is of, until
 * attribute_release(), which is due in any case. False where the arena is full. */
bool attribute_from(const struct trace *t, uint32_t process,
	const struct catalog *c, const struct graph_book *book,
	const uint32_t *kernel_of, const uint32_t *call_of,
	const struct iteration_rows *cycles, struct profile *p,
	struct attribution *at);
void attribute_release(struct attribution *at);

/* The same of a run of which only tables are known: by name alone, without
 * sizes. */
bool attribute_tables(const struct catalog *c, struct profile *p);
