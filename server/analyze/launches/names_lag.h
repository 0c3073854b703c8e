/* names_lag.h - detects kernels that carry another's duration.
 *
 * Some profilers lose their place: durations keep the period of the model's
 * layers while names drift against it, so that by name a reduction takes as
 * long as a product. It is visible on the busiest stream: at the period at
 * which durations repeat best, launches whose names differ take the same time,
 * while launches of one name do not. */
#pragma once
#include "profile.h"
#include "trace.h"

/* A stream's launches in order; names are numbers below names_n. */
struct lag_sequence {
	int64_t *dur_ns;
	uint32_t *name;
	uint32_t n, names_n;
};
struct names_lag {
	uint32_t launches; /* that look as if they had another's duration; 0
		if names do not lag */
	uint32_t period; /* at which durations repeat best */
	uint32_t first; /* the name of one of them */
};

/* Whether two durations may be of the same kernel: within a sixth. */
static inline bool names_lag_similar(int64_t a, int64_t b)
{
	return a < b ? b * 100 <= a * 116 : a * 100 <= b * 116;
}
/* Share of durations that are similar one period apart; the period is below s->n. */
double names_lag_periodic(const struct lag_sequence *s, uint32_t period);
/* False if the arena is full. */
bool names_lag_find(const struct lag_sequence *s, struct arena *a,
	struct names_lag *out);

/* Adds NOTE_names_lag if names lag. False if the arena is full. */
bool names_lag_note(const struct trace *t, struct slice kernels,
	const uint32_t *kernel_of, struct profile *p);
