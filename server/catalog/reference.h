/* reference.h - an imported operator catalogue: a fleet that somebody published.
 *
 * The document is kept as it came (Atrex-Bench's figures, or a document of the
 * same keys) and read here; figures are shown as they are in it. What the
 * published pages compute of them (definitions.md 2.5):
 *   AI of a shape = sum W / (Q read + Q written); regime by the median AI:
 *   > 10 compute, < 0.01 indexing, else memory
 *   the median shape is the one at floor(n/2) in list order for AI, T_SOL, T_prod
 *   S = round(T_SOL in us, 2) / round(T_prod in us, 1); the median S is
 *   sorted[floor(n/2)]; operators of the table of S stand by it, rising
 *
 * Figures here are not rounded, S aside. The pages print them so:
 *   shares (importance, S)   100*x, one decimal, "39.5%"
 *   AI                       one decimal, "102.8"; from 1000 on "15.4k"
 *   T_SOL                    two decimals, "27.18 us"; from 1000 us on "3.43 ms"
 *   T_prod                   whole, "118 us"; from 1000 us on one decimal, "10.6 ms"
 * each rounded once, from the figure itself; ties, which none of the set's figures
 * has, go to the even digit. */
#pragma once
#include "catalog.h"

struct reference_shape {
	int64_t id, calls; /* calls -1 unknown */
	const char *description; /* NULL unknown */
	const char *dtype; /* where it tells its own; NULL: the operator's */
	const char *
		sizes; /* shape.h; NULL where it tells what we have no name for */
	const char
		*kwargs; /* the document's own input_kwargs, JSON text; NULL */
	bool costed; /* whether W and Q are told; else cost is 0, ai NaN */
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

/* Reads a document of Atrex-Bench's keys; arguments may go by our names of sizes,
 * too, or a shape tell its "shape" as shape.h writes it, and what has no figures is
 * unknown. ERR_INPUT with a sentence that names the entry at fault.
 * `c` gives the names of sizes. All of it is the arena's. */
bool reference_read(const struct catalog *c, const char *json, size_t len,
	struct arena *a, struct reference *out, struct err *e);
