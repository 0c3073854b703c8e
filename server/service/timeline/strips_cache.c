/* strips_cache.c - a short list of decoded runs, the newest first, under one
 * lock. */
#include "strips_cache.h"
#include "clock.h"
#include "query.h"
#include "reanalyze.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Ceiling of the strips of one run and of what computing them needs. A record
 * takes 20 bytes, and less than 30 more for a short time. */
#define STRIPS_BYTES ((size_t)512 << 20)

struct strips_cache_entry {
	struct strips_cache_entry *next;
	int64_t run, edition; /* of its capture: query_capture() */
	int64_t used_us; /* when it was requested last */
	int readers;
	struct arena arena;
	struct strips strips;
};

struct strips_cache {
	pthread_mutex_t lock;
	struct strips_cache_entry *list; /* the newest request first */
};

struct strips_cache *strips_cache_new(void)
{
	struct strips_cache *h = calloc(1, sizeof *h);
	if (!h)
		abort();
	pthread_mutex_init(&h->lock, NULL);
	return h;
}

static void strips_cache_entry_free(struct strips_cache_entry *h)
{
	arena_release(&h->arena);
	free(h);
}

void strips_cache_free(struct strips_cache *h)
{
	if (!h)
		return;
	while (h->list) {
		struct strips_cache_entry *next = h->list->next;
		strips_cache_entry_free(h->list);
		h->list = next;
	}
	pthread_mutex_destroy(&h->lock);
	free(h);
}

/* Removes entries that were not requested for a while, and the oldest ones if all
 * take too much memory. Never removes an entry that is read, nor the first for
 * its size. */
static void strips_cache_trim(struct strips_cache *h, int64_t now_us)
{
	size_t bytes = 0;
	struct strips_cache_entry **at = &h->list;

	while (*at) {
		struct strips_cache_entry *is = *at;
		bool old = now_us - is->used_us >
			   STRIPS_CACHE_S * INT64_C(1000000);
		bool large = is != h->list &&
			     bytes + is->arena.taken > STRIPS_CACHE_BYTES;
		if (!is->readers && (old || large)) {
			*at = is->next;
			strips_cache_entry_free(is);
		} else {
			bytes += is->arena.taken;
			at = &is->next;
		}
	}
}

void strips_cache_expire(struct strips_cache *h)
{
	/* If the lock is taken, another request will do it. */
	if (pthread_mutex_trylock(&h->lock))
		return;
	if (h->list)
		strips_cache_trim(h, clock_us());
	pthread_mutex_unlock(&h->lock);
}

/* Puts an entry in front, for one more reader. */
static void strips_cache_front(struct strips_cache *h,
	struct strips_cache_entry *is)
{
	is->readers++;
	is->used_us = clock_us();
	is->next = h->list;
	h->list = is;
	strips_cache_trim(h, is->used_us);
}

/* The entry of a run, for one more reader; NULL: none. The caller has the
 * lock. */
static struct strips_cache_entry *strips_cache_find(struct strips_cache *h,
	int64_t run, int64_t edition)
{
	struct strips_cache_entry **at = &h->list, *is;

	while (*at && ((*at)->run != run || (*at)->edition != edition))
		at = &(*at)->next;
	is = *at;
	if (is) {
		*at = is->next;
		strips_cache_front(h, is);
	}
	return is;
}

/* The edition of the capture that the run has now. No piece has this number. */
static bool strips_cache_edition(struct service_call *c, int64_t run,
	int64_t *edition, struct err *e)
{
	unsigned char none[1];
	size_t len;

	*edition = 0;
	return service_db(c, e) &&
	       query_capture(c->db, run, INT32_MAX, edition, none, &len, e);
}

/* Adds an entry, unless another request has decoded the same run meanwhile.
 * Returns the one that is kept. */
static struct strips_cache_entry *strips_cache_add(struct strips_cache *h,
	struct strips_cache_entry *is)
{
	struct strips_cache_entry *other;

	pthread_mutex_lock(&h->lock);
	other = strips_cache_find(h, is->run, is->edition);
	if (!other)
		strips_cache_front(h, is);
	pthread_mutex_unlock(&h->lock);
	if (other)
		strips_cache_entry_free(is);
	return other ? other : is;
}

struct strips_cache_entry *strips_cache_take(struct service_call *c,
	int64_t run, struct err *e)
{
	struct strips_cache *h = c->service->strips;
	struct strips_cache_entry *is;
	int64_t edition;

	if (!strips_cache_edition(c, run, &edition, e))
		return NULL;
	pthread_mutex_lock(&h->lock);
	is = strips_cache_find(h, run, edition);
	pthread_mutex_unlock(&h->lock);
	if (is)
		return is;
	is = calloc(1, sizeof *is);
	if (!is)
		abort();
	is->run = run;
	is->edition = edition;
	is->arena.ceiling = STRIPS_BYTES;
	if (!reanalyze_strips(c, run, &is->arena, &is->strips, e)) {
		strips_cache_entry_free(is);
		return NULL;
	}
	return strips_cache_add(h, is);
}

const struct strips *strips_cache_strips(const struct strips_cache_entry *h)
{
	return &h->strips;
}

void strips_cache_return(struct service_call *c, struct strips_cache_entry *h)
{
	struct strips_cache *cache = c->service->strips;

	pthread_mutex_lock(&cache->lock);
	h->readers--;
	pthread_mutex_unlock(&cache->lock);
}
