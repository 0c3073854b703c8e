/* thread.h - threads of our own in somebody else's process, and their waiting.
 *
 * All signals are blocked in them, they are named, stand back behind the host's
 * (nice 10), and are never joined: who waits for one waits for a while at most. */
#pragma once
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

typedef void *thread_fn(void *ctx);
bool thread_start(const char *name, thread_fn *f, void *ctx);
/* Called first by such a thread. */
void thread_stand_back(void);

/* A number that others raise to wake who sleeps on it. bell_wait() returns when
 * it is no longer `seen` or the time is over. */
struct bell {
	_Atomic uint32_t rung;
};
uint32_t bell_seen(const struct bell *b);
void bell_wait(struct bell *b, uint32_t seen, int64_t ns);
void bell_ring(struct bell *b);
