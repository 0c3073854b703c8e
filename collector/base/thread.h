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

/* A number that others raise to wake who sleeps on it. thread_event_wait() returns when
 * it is no longer `seen` or the time is over. */
struct thread_event {
	_Atomic uint32_t raised;
};
uint32_t thread_event_seen(const struct thread_event *b);
void thread_event_wait(struct thread_event *b, uint32_t seen, int64_t ns);
void thread_event_raise(struct thread_event *b);
