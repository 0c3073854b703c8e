/* service.h - what a service works with: what the requests of one server
 * share, and one request's part of it.
 *
 * A service computes the data of a handler's answer. It sees no HTTP. Its
 * caller is a struct service_call, used by one thread at a time, whose memory
 * and database connection last as long as the request. All threads share
 * struct service, which is constant or atomic, except for the catalog cache,
 * which has a lock of its own. */
#pragma once
#include "arena.h"
#include "token.h"
#include <stdatomic.h>

struct catalog_cache;
struct db;
struct db_pool;
struct catalog_cache_entry;

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
	int64_t token; /* its id; 0: none was needed */
	int64_t expires; /* the token's; NO_MOMENT never */
	char name[IDENTITY_NAME]; /* the token's, or "loopback" */
	char project[IDENTITY_NAME]; /* the token's project; "" all */
};

struct service {
	struct db_pool *pool;
	struct catalog_cache *catalog;
	atomic_int lent; /* database connections in use */
	atomic_int captures; /* being read while they are sent */
};

struct service_call {
	struct service *service;
	struct identity who;
	struct arena arena;
	struct db *db; /* NULL before service_db() */
	struct catalog_cache_entry
		*in_force; /* NULL before catalog_cache_take() */
};

/* Lends the call a connection of the pool, counted, unless it has one. False with *e
 * if there is none. */
bool service_db(struct service_call *c, struct err *e);
void service_db_return(struct service_call *c);
