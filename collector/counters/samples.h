/* samples.h - values on their way from a sampling thread to the writing one.
 *
 * One thread puts, one takes; neither waits. What finds no room is counted. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

enum counter {
#define COUNTER(name, unit, whose, source) COUNTER_##name,
#include "counters.def"
#undef COUNTER
	COUNTERS
};

/* "gpu_usage" and so on. */
const char *counter_name(enum counter c);

struct sample {
	int64_t at_ns; /* CLOCK_REALTIME */
	double value;
	int32_t device; /* CUDA's number; -1 the host */
	enum counter counter;
};

/* When something was read; durations are taken from steady_ns, which nobody
 * sets. A test has its own. */
struct moment {
	int64_t real_ns, steady_ns;
};
typedef struct moment moment_fn(void *ctx);
moment_fn moment_now;

struct samples;

/* Room for a power of two; NULL if there is no memory. `now` comes from
 * samples_now(). */
struct samples *samples_new(uint32_t room, moment_fn *now, void *ctx);
void samples_free(struct samples *s);

struct moment samples_now(const struct samples *s);
void samples_put(struct samples *s, const struct sample *one);
bool samples_next(struct samples *s, struct sample *one);
/* What was put so far and not taken is passed over, and counted as dropped, by
 * the next samples_next(); any thread. */
void samples_forget(struct samples *s);
/* Samples that found no room since the last call. */
int64_t samples_dropped(struct samples *s);

/* A count that grows. */
struct rate {
	uint64_t count;
	int64_t at_ns; /* steady */
	bool known;
};
/* What it grew by per second since the last time; false the first time, and
 * where count or time went back. */
bool rate_next(struct rate *r, uint64_t count, int64_t at_ns, double *per_s);

/* The next turn after one that was due at `due_ns`, every `period_ns`: a
 * late caller skips turns, and does not make up for them. */
int64_t cadence_next(int64_t due_ns, int64_t now_ns, int64_t period_ns);

/* Whether it is time for what is done once a second within a faster loop. */
bool cadence_second(int64_t *due_ns, int64_t now_ns);
