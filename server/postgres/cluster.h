/* cluster.h - the private PostgreSQL, used if --db names no other.
 *
 * The server creates, starts, watches and stops it in its data folder
 * (cluster.c). It is reached through a socket in a folder that only its
 * account and root can enter, and each of them only under its own name
 * (peer). It is durable: fsync is on, pages have checksums. cluster_tend()
 * restarts a postmaster that dies; until it answers, requests get 503.
 *
 * For use by one thread, which must live as long as the process: PostgreSQL
 * is set to stop when that thread ends. Its descendants inherit no file
 * descriptor of the server. */
#pragma once
#include "err.h"

struct cluster;

enum cluster_role {
	CLUSTER_SERVE, /* own it for long; refused if another server does */
	CLUSTER_COMMAND, /* use a server's, else own it for a moment */
	CLUSTER_ATTACH, /* use a server's, or fail */
};

/* Waits until PostgreSQL answers. `data` is the option, "" the default
 * folder; `connections` is how many it is to allow. NULL with *e. */
struct cluster *cluster_new(const char *data, enum cluster_role role,
	int connections, struct err *e);
/* For db_new(); lives as long as the cluster. */
const char *cluster_conninfo(const struct cluster *c);
/* The path of PostgreSQL's log; lives as long as the cluster. */
const char *cluster_log(const struct cluster *c);
/* Restarts it if it died; call it about every 100 ms. */
void cluster_tend(struct cluster *c);
/* A clean stop, if this process started it. `discard`: also removes the cluster if
 * there was none before cluster_new(). */
void cluster_free(struct cluster *c, bool discard);
