/* thread.h - the collector's own threads in the host process, and how they
 * wait.
 *
 * These threads block all signals, have names, and run at nice 10 so that the
 * host's threads run first. They are never joined: every wait for one of them
 * has a time limit. */
#pragma once
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

typedef void *thread_fn(void *ctx);
bool thread_start(thread_fn *f, void *ctx);
/* The first call in each such thread: sets its name, of at most 15 bytes, and
 * its nice value. */
void thread_begin(const char *name);

/* A number that other threads increase to wake a thread that sleeps on it.
 * thread_event_wait() returns when the number differs from `seen` or after
 * `ns` nanoseconds. */
struct thread_event {
	_Atomic uint32_t raised;
};
uint32_t thread_event_seen(const struct thread_event *b);
void thread_event_wait(struct thread_event *b, uint32_t seen, int64_t ns);
void thread_event_raise(struct thread_event *b);
