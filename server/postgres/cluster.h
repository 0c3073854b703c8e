/* cluster.h - the private PostgreSQL cluster, which is used if --db names no
 * other database.
 *
 * The server creates, starts, watches and stops the cluster in its data folder
 * (cluster.c). Clients connect through a socket in a folder that only the
 * server's account and root can enter. Each of the two can connect only under
 * its own name (peer authentication). The cluster is durable: fsync is on and
 * pages have checksums. cluster_tend() restarts the postmaster if it dies.
 * Until the postmaster answers, requests get 503.
 *
 * Only one thread may use the cluster, and it must live as long as the process,
 * because PostgreSQL is set to stop when that thread ends. PostgreSQL's
 * processes inherit no file descriptor of the server. */
#pragma once
#include "err.h"

struct cluster;

enum cluster_role {
	/* own it as long as the server runs; fails if another server owns it */
	CLUSTER_SERVE,
	/* use a running server's cluster, or own it for a short time */
	CLUSTER_COMMAND,
	CLUSTER_ATTACH, /* use a running server's cluster, or fail */
};

/* Starts the cluster and waits until PostgreSQL answers. `data` is the value of
 * the option; "" means the default folder. `connections` is the maximum number
 * of connections. Returns NULL with *e after a failure. */
struct cluster *cluster_new(const char *data, enum cluster_role role,
	int connections, struct err *e);
/* The connection string for db_new(); valid as long as the cluster. */
const char *cluster_conninfo(const struct cluster *c);
/* The path of PostgreSQL's log; valid as long as the cluster. */
const char *cluster_log(const struct cluster *c);
/* Restarts PostgreSQL if it died; call this about every 100 ms. */
void cluster_tend(struct cluster *c);
/* Stops PostgreSQL cleanly if this process started it. `discard` also removes
 * the cluster if it did not exist before cluster_new(). */
void cluster_free(struct cluster *c, bool discard);
