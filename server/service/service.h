/* service.h - what a service works with: the data that all requests of one
 * server share, and the context of one request.
 *
 * A service computes the data of a handler's answer. It sees no HTTP. Its
 * caller is a struct service_call, which one thread at a time uses. Its memory
 * and its database connection last as long as the request. All threads share
 * one struct service. Its members are constant or atomic, except for the
 * caches, which have their own locks. */
#pragma once
#include "arena.h"
#include "token.h"
#include <stdatomic.h>

struct catalog_cache;
struct db;
struct db_pool;
struct catalog_cache_entry;
struct strips_cache;

enum { IDENTITY_NAME = 501 };

/* How the caller was identified. */
enum identity_source {
	IDENTITY_NONE,
	IDENTITY_LOOPBACK,
	IDENTITY_TOKEN,
	IDENTITY_COOKIE
};

struct identity {
	enum scope scope;
	enum identity_source by;
	int64_t token; /* id of the token; 0: no token was needed */
	int64_t expires; /* when the token expires; NO_MOMENT never */
	char name[IDENTITY_NAME]; /* name of the token, or "loopback" */
	char project[IDENTITY_NAME]; /* the token's project; "" all */
};

struct service {
	struct db_pool *pool;
	struct catalog_cache *catalog;
	struct strips_cache *strips;
	atomic_int lent; /* database connections in use */
	atomic_int captures; /* number of captures that are being sent */
};

struct service_call {
	struct service *service;
	struct identity who;
	struct arena arena;
	struct db *db; /* NULL before service_db() */
	struct catalog_cache_entry
		*in_force; /* NULL before catalog_cache_take() */
};

/* Gives the request a connection of the pool, and counts it, unless the request
 * has one already. False with *e if none is available. */
bool service_db(struct service_call *c, struct err *e);
void service_db_return(struct service_call *c);
