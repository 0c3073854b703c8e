/* catalog_cache.h - the catalog in force, which an edit replaces while other calls
 * still read the former one.
 *
 * An edit may come through any server process. A call that needs the catalog
 * therefore queries the version of the edits, which is cheap, and builds the catalog
 * again if the version changed. A call may read its catalog until it is closed; the
 * last reader of a replaced one frees it. The lock protects which is in force and
 * how many read each; nothing is taken under it. */
#pragma once
#include "catalog.h"
#include "service.h"

struct catalog_cache;

/* What a call holds after catalog_cache_take(). */
struct catalog_cache_entry {
	struct catalog *catalog;
	int64_t version; /* of the edits */
	char *fault; /* why they are not in force; NULL if they are */
	int readers; /* under the lock */
};

/* The catalog without edits. */
struct catalog_cache *catalog_cache_new(struct err *e);
void catalog_cache_free(struct catalog_cache *h);

/* The catalog in force, valid for the call until it is closed; uses a
 * database connection for a moment. Every use within one call returns the
 * same catalog. */
const struct catalog *catalog_cache_take(struct service_call *c, struct err *e);
void catalog_cache_return(struct service_call *c);
