/* strips_cache.c - a short list of decoded runs, the newest first, under one
 * lock. */
#include "strips_cache.h"
#include "clock.h"
#include "query.h"
#include "reanalyze.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

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
 * take too much memory. Never removes the first, nor an entry that is read. */
static void strips_cache_trim(struct strips_cache *h, int64_t now_us)
{
	size_t bytes = 0;
	struct strips_cache_entry **at = &h->list;

	while (*at) {
		struct strips_cache_entry *is = *at;
		bool old = now_us - is->used_us >
			   STRIPS_CACHE_S * INT64_C(1000000);
		bytes += is->arena.taken;
		if (is != h->list && !is->readers &&
			(old || bytes > STRIPS_CACHE_BYTES)) {
			bytes -= is->arena.taken;
			*at = is->next;
			strips_cache_entry_free(is);
		} else {
			at = &is->next;
		}
	}
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

static struct strips_cache_entry *strips_cache_find(struct strips_cache *h,
	int64_t run, int64_t edition)
{
	struct strips_cache_entry **at = &h->list, *is;

	pthread_mutex_lock(&h->lock);
	while (*at && ((*at)->run != run || (*at)->edition != edition))
		at = &(*at)->next;
	is = *at;
	if (is) {
		*at = is->next;
		strips_cache_front(h, is);
	}
	pthread_mutex_unlock(&h->lock);
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

struct strips_cache_entry *strips_cache_take(struct service_call *c,
	int64_t run, struct err *e)
{
	struct strips_cache *h = c->service->strips;
	struct strips_cache_entry *is;
	int64_t edition;

	if (!strips_cache_edition(c, run, &edition, e))
		return NULL;
	is = strips_cache_find(h, run, edition);
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
	pthread_mutex_lock(&h->lock);
	strips_cache_front(h, is);
	pthread_mutex_unlock(&h->lock);
	return is;
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
