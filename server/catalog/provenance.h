/* provenance.h - from which nodes of a program TorchInductor generated each
 * kernel, as its files say. */
#pragma once
#include "catalog.h"
#include "profile.h"
#include <stddef.h>

/* More than any compilation writes: the largest log of tlparse's tests, which
 * contains all artifacts of a compilation, has 0.3 MiB. */
enum { PROVENANCE_BYTES_MAX = 16 << 20 };

/* Reads one file, or a JSON array of such files. ERR_INPUT with a sentence that
 * begins with `label` if it is not one. The arena owns *out. */
bool provenance_read(const char *label, const char *bytes, size_t len,
	struct arena *a, struct provenance *out, struct err *e);

/* Sets `origins` of each of the `n` runs of an upload. Returns false with
 * ERR_TRACE and a sentence if the file is of another compilation, or if the
 * arena is full.
 *
 * A file belongs to the runs' compilation if it names at least half of the
 * different kernels that TorchInductor generated for them. It need not name
 * all: the compiler writes one file per graph, and a run may execute graphs
 * whose files were not sent. A file of another compilation has some of the
 * names by chance, because numbers begin at 0 in each of them. In
 * tests/gen/compiled.py, two compilations of one program share 2 of 5 names. */
bool provenance_match(const struct provenance *p, const struct catalog *c,
	struct profile *runs, uint32_t n, struct arena *a, struct err *e);
