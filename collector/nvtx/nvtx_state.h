/* nvtx_state.h - the state that all NVTX handlers share. It is created with
 * the first client or window and never freed.
 *
 * Threads and rings come from pools of fixed size. If a thread ends with
 * ranges that are not written yet, the draining thread frees its slot later.
 * Otherwise the slot is free immediately. A forked child has only the slot of
 * its one thread. */
#pragma once
#include "nvtx.h"
#include "nvtx_texts.h"
#include "nvtx_thread.h"
#include <pthread.h>

enum {
	NVTX_THREADS = 512, /* maximum number of threads with open ranges at
			     * one time */
	NVTX_RINGS = 64, /* maximum number of threads that record at one time */
	NVTX_DOMAINS = 4096
};

/* In NVTX_CLOSING, from the close of a window until the next drain, ranges
 * that began before the close are still written when they end. */
enum nvtx_mode { NVTX_OFF, NVTX_RECORD, NVTX_CLOSING };

enum nvtx_place { NVTX_FREE, NVTX_LIVES, NVTX_ENDED };

struct nvtx_drainer;
struct nvtx_loose;
struct nvtx_schemas;

struct nvtx_state {
	struct nvtx_texts *texts;
	struct nvtx_schemas *schemas;
	struct nvtx_loose *loose;
	struct nvtx_drainer *drainer;
	struct nvtx_thread *threads;
	uint64_t *words; /* the memory of all rings */
	pthread_key_t key;
	_Atomic uint32_t mode; /* enum nvtx_mode */
	_Atomic int64_t opened_ns, closed_ns; /* begin and end of the latest
					       * window */
	_Atomic int64_t lost, marks, odd; /* nvtx_dropped(); marks; payloads */
	_Atomic(nvtx_wake_fn *) wake;
	_Atomic(void *) wake_ctx;
	_Atomic uint32_t born; /* number of threads so far */
	_Atomic uint32_t domains_n;
	_Atomic uint64_t domains[NVTX_DOMAINS]; /* nvtx_domain.c */
	_Atomic uint32_t places[NVTX_THREADS]; /* enum nvtx_place */
	_Atomic uint32_t rings_taken[NVTX_RINGS];
	struct nvtx_ring rings[NVTX_RINGS];
};

/* NULL before nvtx_state_make(), and if there was no memory. */
struct nvtx_state *nvtx_state(void);
struct nvtx_state *nvtx_state_make(void);

/* The calling thread's stack. NULL if all stacks are in use. */
struct nvtx_thread *nvtx_state_thread(struct nvtx_state *w);
/* The calling thread's stack, but only if it has one already. */
struct nvtx_thread *nvtx_state_my_thread(void);

/* Returns a ring for the thread, or NULL if all rings are in use. */
struct nvtx_ring *nvtx_state_ring(struct nvtx_state *w, struct nvtx_thread *t);

static inline enum nvtx_mode nvtx_mode(const struct nvtx_state *w)
{
	return (enum nvtx_mode)atomic_load_explicit(&w->mode,
		memory_order_relaxed);
}

static inline void nvtx_count(_Atomic int64_t *of, int64_t n)
{
	atomic_fetch_add_explicit(of, n, memory_order_relaxed);
}
