/* pg_tools.h - which PostgreSQL of this machine to use, and how to call it. */
#pragma once
#include "arena.h"
#include "err.h"

enum { POSTGRES_OLDEST = 15 };

struct postgres {
	int major;
	const char *initdb, *server; /* paths of the programs */
};

/* Looks where packages put it, then asks pg_config, then along PATH. `major`
 * is the one that an existing cluster asks for, 0 where any newest will do. */
bool postgres_find(struct postgres *p, int major, struct arena *a,
	struct err *e);

/* Those that copy a database: of the oldest major from `least` on, since a newer
 * one copies what an older server holds, and not the other way round. */
struct postgres_tools {
	const char *dump, *restore;
};
bool postgres_tools_find(struct postgres_tools *t, int least, struct arena *a,
	struct err *e);

/* The major version of the cluster in the folder; 0 where there is none. */
int postgres_cluster_major(const char *pg, struct arena *a);
