/* nvtx_world.c - pools, and threads that come and go.
 *
 * A thread is known by a pointer of its own; 1 stands for one that found no
 * place, or is about to end. Its end is told by a pthread key. */
#include "nvtx_world.h"
#include "clock.h"
#include "nvtx_room.h"
#include <sys/syscall.h>
#include <unistd.h>

#define GONE ((struct nvtx_thread *)1)

static _Atomic(struct nvtx_world *) the_world;
static _Thread_local struct nvtx_thread *mine;

struct nvtx_world *nvtx_world(void)
{
	return atomic_load_explicit(&the_world, memory_order_acquire);
}

/* Nothing was recorded that is not told yet. */
static bool nothing_to_tell(const struct nvtx_world *w,
	const struct nvtx_thread *t)
{
	struct nvtx_open o;
	uint32_t depth = atomic_load_explicit(&t->depth, memory_order_relaxed);
	if (atomic_load_explicit(&t->ring, memory_order_relaxed) ||
		(depth && nvtx_mode(w) != NVTX_OFF))
		return false;
	for (uint32_t i = 0; i < depth; i++)
		if (nvtx_thread_at(t, i, &o) && o.start_ns)
			return false;
	return true;
}

static void leave(void *thread)
{
	struct nvtx_world *w = nvtx_world();
	struct nvtx_thread *t = thread;
	enum nvtx_place now = NVTX_ENDED;

	mine = GONE;
	if (nothing_to_tell(w, t))
		now = NVTX_FREE;
	atomic_store_explicit(&t->ended_ns, clock_real_ns(),
		memory_order_relaxed);
	atomic_store_explicit(&w->places[t - w->threads], now,
		memory_order_release);
}

static bool fill(struct nvtx_world *w)
{
	w->texts = nvtx_texts_new();
	w->schemas = nvtx_schemas_new();
	w->loose = nvtx_loose_new();
	w->drainer = nvtx_drainer_new();
	w->threads = nvtx_room(NVTX_THREADS * sizeof *w->threads);
	w->words = nvtx_room(sizeof(uint64_t[NVTX_RING_WORDS]) * NVTX_RINGS);
	if (!w->texts || !w->schemas || !w->loose || !w->drainer ||
		!w->threads || !w->words || pthread_key_create(&w->key, leave))
		return false;
	for (size_t i = 0; i < NVTX_RINGS; i++)
		w->rings[i].words = w->words + i * NVTX_RING_WORDS;
	return true;
}

static void unmake(struct nvtx_world *w)
{
	if (w->texts)
		nvtx_texts_free(w->texts);
	if (w->schemas)
		nvtx_schemas_free(w->schemas);
	if (w->loose)
		nvtx_loose_free(w->loose);
	if (w->drainer)
		nvtx_drainer_free(w->drainer);
	if (w->threads)
		munmap(w->threads, NVTX_THREADS * sizeof *w->threads);
	if (w->words)
		munmap(w->words,
			sizeof(uint64_t[NVTX_RING_WORDS]) * NVTX_RINGS);
	munmap(w, sizeof *w);
}

/* Of all threads a forked child has the one that forked, under another number.
 * Its open ranges stay; what waits to be told is the parent's. */
static void in_child(void)
{
	struct nvtx_world *w = nvtx_world();
	struct nvtx_thread *me = nvtx_me_already();

	for (uint32_t i = 0; i < NVTX_RINGS; i++)
		atomic_store_explicit(&w->rings[i].taken,
			atomic_load_explicit(&w->rings[i].put,
				memory_order_relaxed),
			memory_order_relaxed);
	for (uint32_t i = 0; i < NVTX_THREADS; i++)
		if (&w->threads[i] != me &&
			atomic_load_explicit(&w->places[i],
				memory_order_relaxed) != NVTX_FREE)
			nvtx_world_bury(w, i);
	if (me)
		atomic_store_explicit(&me->tid, (uint32_t)syscall(SYS_gettid),
			memory_order_relaxed);
}

struct nvtx_world *nvtx_world_make(void)
{
	struct nvtx_world *there = nvtx_world();
	if (there)
		return there;
	struct nvtx_world *w = nvtx_room(sizeof *w);
	if (!w)
		return NULL;
	bool ok = fill(w);
	if (ok && atomic_compare_exchange_strong_explicit(&the_world, &there, w,
			  memory_order_acq_rel, memory_order_acquire)) {
		pthread_atfork(NULL, NULL, in_child);
		return w;
	}
	if (ok)
		pthread_key_delete(w->key);
	unmake(w);
	return there;
}

static bool claim(_Atomic uint32_t *place)
{
	uint32_t free = NVTX_FREE;
	return atomic_load_explicit(place, memory_order_relaxed) == free &&
	       atomic_compare_exchange_strong_explicit(place, &free, NVTX_LIVES,
		       memory_order_acq_rel, memory_order_relaxed);
}

static struct nvtx_thread *join(struct nvtx_world *w)
{
	uint32_t i = 0;
	mine = GONE; /* also where a memory allocator calls NVTX below */
	while (i < NVTX_THREADS && !claim(&w->places[i]))
		i++;
	if (i == NVTX_THREADS)
		return NULL;
	struct nvtx_thread *t = &w->threads[i];
	uint32_t born = 1 + atomic_fetch_add_explicit(&w->born, 1,
				    memory_order_relaxed);
	nvtx_thread_init(t, born, (uint32_t)syscall(SYS_gettid));
	if (pthread_setspecific(w->key, t)) {
		atomic_store_explicit(&w->places[i], NVTX_FREE,
			memory_order_release);
		return NULL;
	}
	return mine = t;
}

struct nvtx_thread *nvtx_me(struct nvtx_world *w)
{
	if (mine > GONE)
		return mine;
	return mine ? NULL : join(w);
}

struct nvtx_thread *nvtx_me_already(void)
{
	return mine > GONE ? mine : NULL;
}

struct nvtx_ring *nvtx_world_ring(struct nvtx_world *w, struct nvtx_thread *t)
{
	for (uint32_t i = 0; i < NVTX_RINGS; i++) {
		struct nvtx_ring *r = &w->rings[i];
		if (!claim(&w->rings_taken[i]))
			continue;
		r->taken_seen =
			atomic_load_explicit(&r->taken, memory_order_relaxed);
		r->told = false;
		atomic_store_explicit(&t->ring, r, memory_order_release);
		return r;
	}
	return NULL;
}

void nvtx_world_bury(struct nvtx_world *w, uint32_t place)
{
	struct nvtx_thread *t = &w->threads[place];
	struct nvtx_ring *r =
		atomic_load_explicit(&t->ring, memory_order_relaxed);
	if (r) {
		madvise(r->words, sizeof(uint64_t[NVTX_RING_WORDS]),
			MADV_DONTNEED);
		atomic_store_explicit(&t->ring, NULL, memory_order_relaxed);
		atomic_store_explicit(&w->rings_taken[r - w->rings], NVTX_FREE,
			memory_order_release);
	}
	atomic_store_explicit(&w->places[place], NVTX_FREE,
		memory_order_release);
}
