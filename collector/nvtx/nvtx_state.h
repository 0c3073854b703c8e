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
	NVTX_THREADS = 512, /* that have ranges open, at once */
	NVTX_RINGS = 64, /* threads that recorded, at once */
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
	uint64_t *words; /* of all rings */
	pthread_key_t key;
	_Atomic uint32_t mode; /* enum nvtx_mode */
	_Atomic int64_t opened_ns, closed_ns; /* the latest window */
	_Atomic int64_t lost, marks, odd; /* nvtx_dropped(); marks; payloads */
	_Atomic(nvtx_wake_fn *) wake;
	_Atomic(void *) wake_ctx;
	_Atomic uint32_t born; /* threads so far */
	_Atomic uint32_t domains_n;
	_Atomic uint64_t domains[NVTX_DOMAINS]; /* nvtx_domain.c */
	_Atomic uint32_t places[NVTX_THREADS]; /* enum nvtx_place */
	_Atomic uint32_t rings_taken[NVTX_RINGS];
	struct nvtx_ring rings[NVTX_RINGS];
};

/* NULL if there was no memory, and before nvtx_state_make(). */
struct nvtx_state *nvtx_state(void);
struct nvtx_state *nvtx_state_make(void);

/* The calling thread's stack; NULL if all are taken. */
struct nvtx_thread *nvtx_state_thread(struct nvtx_state *w);
/* The same, but only if it already has one. */
struct nvtx_thread *nvtx_state_my_thread(void);

/* A ring for the thread; NULL if all are taken. */
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
