/* reference.h - reads an imported reference set: the published figures of a
 * fleet.
 *
 * The document contains the figures of Atrex-Bench, or others with the keys of
 * Atrex-Bench. It is stored and shown unchanged. The published pages compute
 * the following values from the figures:
 *   AI of a shape = sum W / (Q read + Q written). The regime follows from the
 *   median AI: > 10 compute, < 0.01 indexing, else memory
 *   The median shape for AI, T_SOL, T_prod is at index floor(n/2) of the list
 *   S = round(T_SOL in us, 2) / round(T_prod in us, 1). The median S is
 *   sorted[floor(n/2)]. The table of S lists operators by median S, ascending
 *
 * The values in these structs are not rounded, except S. The pages print them
 * as follows:
 *   shares (importance, S)   100*x, one decimal, "39.5%"
 *   AI                       one decimal, "102.8"; from 1000 on "15.4k"
 *   T_SOL                    two decimals, "27.18 us"; from 1000 us on "3.43 ms"
 *   T_prod                   whole, "118 us"; from 1000 us on one decimal, "10.6 ms"
 * Each value is rounded once, from the unrounded value. Ties round to the even
 * digit; the set contains none. */
#pragma once
#include "catalog.h"

struct reference_shape {
	int64_t id, calls; /* calls -1 unknown */
	const char *description; /* NULL unknown */
	const char *dtype; /* if the shape has its own; NULL: the operator's */
	/* shape.h; NULL if the catalog has no name for one of its sizes */
	const char *sizes;
	const char
		*kwargs; /* the document's own input_kwargs, JSON text; NULL */
	/* whether W and Q are known; if not, cost is 0 and ai is NaN */
	bool costed;
	struct cost cost;
	double ai;
	const double *sol_us, *prod_us; /* by platform; NaN unknown */
	double s; /* on the first platform that was measured; NaN */
};
struct reference_operator {
	const char *name, *id, *dtype, *phase; /* all but name NULL unknown */
	double importance;
	int64_t runs;
	double ai, s_median;
	const char *regime; /* "compute", "memory", "indexing"; NULL unknown */
	uint32_t median; /* index of the shape at floor(n/2) */
	struct reference_shape *shapes;
	uint32_t shapes_n;
};
struct reference {
	const char *source; /* NULL unknown */
	int64_t runs;
	struct platform *platforms; /* the document's own peaks */
	struct reference_operator *operators; /* by importance, then name */
	uint32_t platforms_n, operators_n;
};

/* Reads a document with Atrex-Bench's keys. Arguments may also use the
 * catalog's names of sizes, and a shape may have a key "shape" with a text of
 * shape.h. Missing figures are unknown. `c` gives the names of sizes. If an
 * entry is wrong: ERR_INPUT with a sentence that names the entry. The arena
 * owns all results. */
bool reference_read(const struct catalog *c, const char *json, size_t len,
	struct arena *a, struct reference *out, struct err *e);
