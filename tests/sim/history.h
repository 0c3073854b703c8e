/* history.h - a CI's history of which it is known which heads are slower.
 *
 * A head has runs of 30 iterations of ten functions, the first of which has a third of
 * the iteration; a tenth of the iteration is idle. Five heads of 200 are slower by 5 to 10 %
 * of the iteration, ten heads or more apart. */
#pragma once
#include "arena.h"
#include "compared.h"

enum {
	HISTORY_HEADS = 200,
	HISTORY_RUNS_MAX = 3,
	HISTORY_PLANTED = 5,
	HISTORY_FIRST = 21, /* head that may be slower, or be judged */
};

struct history_kind {
	const char *name;
	uint32_t runs; /* of a head */
	uint32_t base; /* newest runs that are the baseline */
	/* Deviations between runs: of all functions alike, of each; between heads;
	 * between iterations. */
	double common, own, head, iteration;
	bool one; /* the first function alone is slower; else all of them */
	bool unmerged; /* slower heads are never in a baseline */
	bool better; /* as many heads are faster, by as much, and stay so */
	double drift; /* over all heads, evenly */
	/* So many runs, or heads, are on a machine that is slower by so much. */
	double slow_runs, slow_heads, slow;
	double outliers; /* so many runs take half as long again */
};

struct history {
	const struct history_kind *kind;
	struct compared_run *runs; /* [heads * kind.runs] */
	double level[HISTORY_HEADS]; /* of each head's iteration, log */
	bool planted[HISTORY_HEADS]; /* slower than what was merged before it */
	bool changed[HISTORY_HEADS]; /* slower or faster */
};

/* The same for a seed; needs arena memory alone. */
void history_from(const struct history_kind *kind, uint64_t seed,
	struct arena *a, struct history *out);

/* One more run of a head: `nth` of those that it has not got. */
struct compared_run history_more(const struct history *h, uint64_t seed,
	uint32_t head, uint32_t nth, struct arena *a);
