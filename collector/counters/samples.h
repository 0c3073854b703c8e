/* samples.h - passes values from a sampling thread to the writing thread.
 *
 * One thread puts samples and one takes them. Neither waits. Samples that find
 * no room are counted. */
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

/* The time of a reading. Durations are computed from steady_ns, because that
 * clock cannot be set. Tests use clocks of their own. */
struct moment {
	int64_t real_ns, steady_ns;
};
typedef struct moment moment_fn(void *ctx);
moment_fn moment_now;

struct samples;

/* `room` is the number of samples, a power of two. NULL if there is no memory.
 * samples_now() calls `now`. */
struct samples *samples_new(uint32_t room, moment_fn *now, void *ctx);
void samples_free(struct samples *s);

struct moment samples_now(const struct samples *s);
void samples_put(struct samples *s, const struct sample *one);
bool samples_next(struct samples *s, struct sample *one);
/* The next samples_next() skips all samples that were put before this call and
 * not taken. It counts them as dropped. Any thread may call this. */
void samples_forget(struct samples *s);
/* Samples that found no room since the last call. */
int64_t samples_dropped(struct samples *s);

/* A count that grows. */
struct rate {
	uint64_t count;
	int64_t at_ns; /* from steady_ns */
	bool known;
};
/* The growth of `count` per second since the last call. False for the first
 * call, and if the count or the time is less than before. */
bool rate_next(struct rate *r, uint64_t count, int64_t at_ns, double *per_s);

/* The next time to act, after the one due at `due_ns`. Times are `period_ns`
 * apart. A late caller skips the times that it missed and does not catch up. */
int64_t cadence_next(int64_t due_ns, int64_t now_ns, int64_t period_ns);

/* Whether one second has passed, for work that a faster loop does once per
 * second. */
bool cadence_second(int64_t *due_ns, int64_t now_ns);
