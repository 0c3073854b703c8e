/* catalog_cache.h - the catalog in force, which an edit replaces while other
 * requests still read the previous catalog.
 *
 * An edit may come through any server process. A request that needs the catalog
 * therefore queries the version of the edits, which is cheap, and builds the
 * catalog again if the version changed. A request may use its catalog until the
 * request ends. The last request that uses a replaced catalog frees it. The
 * lock protects which catalog is in force and the number of readers of each; no
 * other lock is taken under it. */
#pragma once
#include "catalog.h"
#include "service.h"

struct catalog_cache;

/* The catalog that a request uses after catalog_cache_take(). */
struct catalog_cache_entry {
	struct catalog *catalog;
	int64_t version; /* of the edits */
	char *fault; /* why the edits are not in force; NULL if they are */
	int readers; /* protected by the lock */
};

/* Creates the cache with the catalog without edits. */
struct catalog_cache *catalog_cache_new(struct err *e);
void catalog_cache_free(struct catalog_cache *h);

/* Returns the catalog in force, valid until the request ends; borrows a
 * database connection briefly. Every use within one request returns the same
 * catalog. */
const struct catalog *catalog_cache_take(struct service_call *c, struct err *e);
void catalog_cache_return(struct service_call *c);
