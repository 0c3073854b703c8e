/* history.h - draws a CI history in which the slower heads are known.
 *
 * A head has runs of 30 iterations of ten functions. The first function takes
 * a third of the iteration; the GPU is idle for a tenth of the iteration. Five
 * of 200 heads are slower by 5 to 10 % of the iteration. They are at least ten
 * heads apart. */
#pragma once
#include "arena.h"
#include "compared.h"

enum {
	HISTORY_HEADS = 200,
	HISTORY_RUNS_MAX = 3,
	HISTORY_PLANTED = 5,
	HISTORY_FIRST = 21, /* first head that may be slower or be judged */
};

struct history_kind {
	const char *name;
	uint32_t runs; /* per head */
	uint32_t base; /* number of newest runs in the baseline */
	/* Standard deviations. Between runs: `common` to all functions, and
	 * `own` per function. Between heads: `head`. Between iterations:
	 * `iteration`. */
	double common, own, head, iteration;
	bool one; /* only the first function is slower, else all are */
	bool unmerged; /* slower heads never become part of a baseline */
	bool better; /* as many heads are faster by the same amount, and stay so */
	double drift; /* total over all heads, linear */
	/* The shares of runs and of heads that are on a slower machine, and
	 * how much slower that machine is. */
	double slow_runs, slow_heads, slow;
	double outliers; /* this share of runs takes half as long again */
};

struct history {
	const struct history_kind *kind;
	struct compared_run *runs; /* [heads * kind.runs] */
	double level[HISTORY_HEADS]; /* log of each head's iteration time */
	bool planted[HISTORY_HEADS]; /* slower than what was merged before it */
	bool changed[HISTORY_HEADS]; /* slower or faster */
};

/* Reproducible per seed; allocates only from the arena. */
void history_from(const struct history_kind *kind, uint64_t seed,
	struct arena *a, struct history *out);

/* Draws one more run of a head: the `nth` after those that it has. */
struct compared_run history_more(const struct history *h, uint64_t seed,
	uint32_t head, uint32_t nth, struct arena *a);
