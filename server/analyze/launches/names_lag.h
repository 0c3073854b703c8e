/* names_lag.h - detects kernels that are recorded with the duration of another
 * kernel.
 *
 * Some profilers assign names to the wrong launches: durations repeat with the
 * model's layers, but names are shifted against them. A reduction then seems to
 * take as long as a matrix product. The error is visible on the busiest stream.
 * Find the period at which durations repeat best. If names lag, launches one
 * period apart take the same time although their names differ, and launches of
 * one name take different times. */
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
	uint32_t launches; /* launches that seem to have another kernel's
		duration; 0 if names do not lag */
	uint32_t period; /* at which durations repeat best */
	uint32_t first; /* the name of one of these launches */
};

/* Whether two durations may be of the same kernel: they differ by at most 16
 * %. */
static inline bool names_lag_similar(int64_t a, int64_t b)
{
	return a < b ? b * 100 <= a * 116 : a * 100 <= b * 116;
}
/* Share of launches whose duration is similar to the one a period earlier. The
 * period must be below s->n. */
double names_lag_periodic(const struct lag_sequence *s, uint32_t period);
/* False if the arena is full. */
bool names_lag_find(const struct lag_sequence *s, struct arena *a,
	struct names_lag *out);

/* Adds NOTE_names_lag if names lag. False if the arena is full. */
bool names_lag_note(const struct trace *t, struct slice kernels,
	const uint32_t *kernel_of, struct profile *p);
