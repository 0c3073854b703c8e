/* serving_rates.h - how fast a serving engine works: time per iteration and tokens
 * per second, for each phase.
 *
 * The numbers are of the kept iterations of one phase (struct stratum), whose
 * sequences and tokens the labels of the engine or the sizes give. Prefill
 * and decode are apart, because a decode iteration makes one token of each
 * sequence, and a prefill iteration reads the tokens of a prompt. A benchmark's
 * TTFT and TPOT also contain the time of requests in queues and outside the
 * engine. */
#pragma once
#include "arena.h"
#include "iterations.h"

struct serving_rate {
	enum phase phase;
	uint32_t iterations;
	double median_ns, mean_ns; /* of an iteration */
	/* Means per iteration, and the sum of tokens / the sum of durations. NaN: the
	 * tokens (sequences) of an iteration are not known. */
	double sequences, tokens, tokens_per_s;
	/* Median of a decode iteration: the time in which a sequence gets its next
	 * token. NaN if an iteration has more tokens than sequences, as in
	 * speculative decoding: how many of them are accepted is not known. */
	double tpot_ns;
};

/* Fills out[] with the phases that have kept iterations, in the order prefill, decode,
 * mixed; *n: their number. False if the arena is full. */
enum { SERVING_PHASES = 3 };
bool serving_rates_from(const struct iterations *c, struct arena *a,
	struct serving_rate out[static SERVING_PHASES], uint32_t *n);

/* Why the tokens of an iteration cannot be divided among the devices of the run:
 * other ranks may work on them, too. NULL: they can. `ranks` is the number of ranks of
 * the job, -1 unknown. */
const char *serving_rates_shared(const struct iterations *c, int32_t ranks,
	uint32_t devices, struct arena *a);
