/* cluster.h - the private PostgreSQL, used if --db names no other.
 *
 * Made, started, watched and stopped by the server, in its data folder
 * (data_dir.h); reached through a socket in a folder only its account and root
 * can enter, and by them only as who they are (peer). Durable: fsync is on,
 * pages have checksums. A postmaster that dies is started again by
 * cluster_tend(); until it answers, so do requests with 503.
 *
 * For one thread, the one that lives as long as the process: PostgreSQL is
 * told to stop when that thread ends. Its descendants hold nothing of ours. */
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
/* Where PostgreSQL's log is; lives as long as the cluster. */
const char *cluster_log(const struct cluster *c);
/* Restarts it if it died; call it about every 100 ms. */
void cluster_tend(struct cluster *c);
/* A clean stop, if it is ours. */
void cluster_free(struct cluster *c);
/* The same, and removes the cluster if there was none before cluster_new(). */
void cluster_discard(struct cluster *c);
