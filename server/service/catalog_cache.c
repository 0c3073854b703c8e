/* catalog_cache.c - counts the requests that use each catalog, under one
 * lock. */
#include "catalog_cache.h"
#include "log.h"
#include "site_overrides.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct catalog_cache {
	pthread_mutex_t lock;
	struct catalog_cache_entry *now;
};

static struct catalog_cache_entry *catalog_cache_entry_new(struct catalog *c,
	int64_t version, const char *fault)
{
	struct catalog_cache_entry *h = calloc(1, sizeof *h);
	if (!h)
		abort();
	*h = (struct catalog_cache_entry){ c, version,
		fault ? strdup(fault) : NULL, 0 };
	return h;
}

static void catalog_cache_entry_free(struct catalog_cache_entry *h)
{
	catalog_free(h->catalog);
	free(h->fault);
	free(h);
}

struct catalog_cache *catalog_cache_new(struct err *e)
{
	struct catalog *c = catalog_new(NULL, e);
	if (!c)
		return NULL;
	struct catalog_cache *h = calloc(1, sizeof *h);
	if (!h)
		abort();
	pthread_mutex_init(&h->lock, NULL);
	h->now = catalog_cache_entry_new(c, 0, NULL);
	return h;
}

void catalog_cache_free(struct catalog_cache *h)
{
	if (!h)
		return;
	catalog_cache_entry_free(h->now);
	pthread_mutex_destroy(&h->lock);
	free(h);
}

/* The catalog in force, if it has this version. */
static struct catalog_cache_entry *catalog_cache_in_force(struct catalog_cache
								  *h,
	int64_t version)
{
	pthread_mutex_lock(&h->lock);
	struct catalog_cache_entry *now =
		h->now->version == version ? h->now : NULL;
	if (now)
		now->readers++;
	pthread_mutex_unlock(&h->lock);
	return now;
}

/* Puts `fresh` in force, unless another thread has already put this version in
 * force. */
static struct catalog_cache_entry *catalog_cache_replace(struct catalog_cache
								 *h,
	struct catalog_cache_entry *fresh)
{
	pthread_mutex_lock(&h->lock);
	struct catalog_cache_entry *gone = fresh;
	if (h->now->version != fresh->version) {
		gone = h->now;
		h->now = fresh;
	}
	if (gone->readers)
		gone = NULL; /* its last reader frees it */
	struct catalog_cache_entry *now = h->now;
	now->readers++;
	pthread_mutex_unlock(&h->lock);
	if (gone)
		catalog_cache_entry_free(gone);
	return now;
}

static struct catalog_cache_entry *catalog_cache_build(struct service_call *c,
	struct err *e)
{
	struct catalog *catalog;
	const char *fault;
	int64_t version;
	if (!site_overrides_catalog(c->db, &c->arena, &catalog, &version,
		    &fault, e))
		return NULL;
	if (fault)
		log_warn("catalog version=%lld is not in force: %s",
			(long long)version, fault);
	return catalog_cache_replace(c->service->catalog,
		catalog_cache_entry_new(catalog, version, fault));
}

const struct catalog *catalog_cache_take(struct service_call *c, struct err *e)
{
	int64_t version;
	if (c->in_force)
		return c->in_force->catalog;
	if (!service_db(c, e) || !site_overrides_version(c->db, &version, e))
		return NULL;
	c->in_force = catalog_cache_in_force(c->service->catalog, version);
	if (!c->in_force)
		c->in_force = catalog_cache_build(c, e);
	return c->in_force ? c->in_force->catalog : NULL;
}

void catalog_cache_return(struct service_call *c)
{
	if (!c->in_force)
		return;
	struct catalog_cache *h = c->service->catalog;
	pthread_mutex_lock(&h->lock);
	struct catalog_cache_entry *mine = c->in_force;
	bool last = --mine->readers == 0 && mine != h->now;
	pthread_mutex_unlock(&h->lock);
	if (last)
		catalog_cache_entry_free(mine);
	c->in_force = NULL;
}
