/* inspect_document.h - what `kernsiftd inspect --format json` prints: a trace and all
 * its runs as one JSON document, with the fields of the API.
 *
 *   format, framework   of the file; framework is null if the file does not name it
 *   rows                how many the trace holds, by kind and table
 *   runs[]              one per process, in order:
 *     totals            what GET /runs/{id} says of the trace
 *     devices[], notes[]
 *     kernels[], copies[], graphs[], launches[]   as the API's lists, without
 *                       ids of a database; kernels also have `mangled`
 *     callers[]         those of every kernel, which each names
 *     operators         platform, gpu_ns, replayed, replayed_known, rows[],
 *                       shapes[] (each names its operator), unattributed[]
 *
 * `by` "device" or "grid" adds kernels_by_device, copies_by_device or
 * kernels_by_grid; "layers" adds `breakdown`, what GET /runs/{id}/breakdown says
 * and, from the run's first record, the passes' windows[] and the sections'
 * instances[], and groups[], the items of GET /runs/{id}/groups. The order is the profile's; tenths are exact. */
#pragma once
#include "profile.h"
#include "trace.h"
#include <stdio.h>

struct inspect_document;

struct inspect_document *inspect_document_new(const struct trace *t);
/* Copies what it needs. `by` NULL: no split. */
void inspect_document_add(struct inspect_document *d, const struct profile *p,
	const char *by);
void inspect_document_print(const struct inspect_document *d, FILE *out);
void inspect_document_free(struct inspect_document *d);
