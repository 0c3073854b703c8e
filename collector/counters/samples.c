/* samples.c - a ring between two threads; times of samples and rates. */
#include "samples.h"
#include "clock.h"
#include <assert.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/mman.h>

struct samples {
	moment_fn *now;
	void *ctx;
	uint32_t room;
	_Atomic uint32_t put; /* of the writing side */
	_Atomic uint32_t taken; /* of the reading side */
	_Atomic uint32_t forgotten; /* samples before this position are
				     * skipped */
	_Atomic int64_t dropped;
	struct sample ring[];
};

const char *counter_name(enum counter c)
{
	static const char *const names[COUNTERS] = {
#define COUNTER(name, unit, whose, source) #name,
#include "counters.def"
#undef COUNTER
	};
	return names[c];
}

struct moment moment_now(void *ctx)
{
	(void)ctx;
	return (struct moment){ clock_real_ns(),
		clock_read_ns(CLOCK_MONOTONIC) };
}

static size_t samples_bytes(uint32_t room)
{
	return sizeof(struct samples) + room * sizeof(struct sample);
}

struct samples *samples_new(uint32_t room, moment_fn *now, void *ctx)
{
	assert(room && (room & (room - 1)) == 0);
	struct samples *s = mmap(NULL, samples_bytes(room),
		PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (s == MAP_FAILED)
		return NULL;
	s->now = now;
	s->ctx = ctx;
	s->room = room;
	return s;
}

void samples_free(struct samples *s)
{
	if (s)
		munmap(s, samples_bytes(s->room));
}

struct moment samples_now(const struct samples *s)
{
	return s->now(s->ctx);
}

void samples_put(struct samples *s, const struct sample *one)
{
	uint32_t at = atomic_load_explicit(&s->put, memory_order_relaxed);
	uint32_t taken = atomic_load_explicit(&s->taken, memory_order_acquire);
	if (at - taken == s->room) {
		atomic_fetch_add_explicit(&s->dropped, 1, memory_order_relaxed);
		return;
	}
	s->ring[at & (s->room - 1)] = *one;
	atomic_store_explicit(&s->put, at + 1, memory_order_release);
}

void samples_forget(struct samples *s)
{
	atomic_store(&s->forgotten, atomic_load(&s->put));
}

/* Positions are counted without wrapping. The positions from taken to put are
 * in use; all others are free. */
static uint32_t samples_pass_over(struct samples *s, uint32_t at)
{
	uint32_t to = atomic_load(&s->forgotten);
	if (to == at || to - at > atomic_load(&s->put) - at)
		return at;
	atomic_fetch_add_explicit(&s->dropped, (int64_t)(to - at),
		memory_order_relaxed);
	atomic_store_explicit(&s->taken, to, memory_order_release);
	return to;
}

bool samples_next(struct samples *s, struct sample *one)
{
	uint32_t at = samples_pass_over(s,
		atomic_load_explicit(&s->taken, memory_order_relaxed));
	if (at == atomic_load_explicit(&s->put, memory_order_acquire))
		return false;
	*one = s->ring[at & (s->room - 1)];
	atomic_store_explicit(&s->taken, at + 1, memory_order_release);
	return true;
}

int64_t samples_dropped(struct samples *s)
{
	return atomic_exchange_explicit(&s->dropped, 0, memory_order_relaxed);
}

bool rate_next(struct rate *r, uint64_t count, int64_t at_ns, double *per_s)
{
	bool ok = r->known && count >= r->count && at_ns > r->at_ns;
	if (ok)
		*per_s = (double)(count - r->count) * 1e9 /
			 (double)(at_ns - r->at_ns);
	*r = (struct rate){ count, at_ns, true };
	return ok;
}

int64_t cadence_next(int64_t due_ns, int64_t now_ns, int64_t period_ns)
{
	if (now_ns < due_ns)
		return due_ns;
	return due_ns + ((now_ns - due_ns) / period_ns + 1) * period_ns;
}

bool cadence_second(int64_t *due_ns, int64_t now_ns)
{
	/* The turns of the loop that calls this are slightly early or late. */
	enum { SLACK_NS = 20000000 };
	const int64_t second = 1000000000;
	if (*due_ns && now_ns < *due_ns - SLACK_NS)
		return false;
	*due_ns = *due_ns ? cadence_next(*due_ns, now_ns + SLACK_NS, second)
			  : now_ns + second;
	return true;
}
